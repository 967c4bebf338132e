"""/masks: who may look at whom, what that lets through, and a sentence run under it."""

from typing import Annotated, ClassVar, Literal

from annotated_types import Le
from pydantic import Field

from app.experiment import Experiment, Figure
from app.figures import mask_effects as effects
from app.figures import masks
from app.parameters import MASKS, listed
from app.schema.answers import Answer, Fact, StrictModel, optional
from app.schema.bounds import Fixed, at_most_long, up_to
from app.schema.questions import Commas, Head, Layer, Name, Question, Rows, Text, parameter
from model.layers.choice_names import MASK_NAMES

Place = Annotated[int, Field(ge=0), up_to("masks_length")]
Lengths = Annotated[list[Place], at_most_long("masks_length"), Commas]
Cell = Annotated[int, Field(ge=0), Fixed(Le(1), "a cell is 0 or 1")]
# One wrong cell is told, rather than all 16,384 that may be wrong.
Row = Annotated[list[Cell], Field(fail_fast=True), at_most_long("masks_length")]
Cells = Annotated[list[Row], Field(fail_fast=True), at_most_long("masks_length"), *Rows]


class Masks(Question):
    read_from: ClassVar = ("source", "target", "text")

    pattern: Name | None = Field(
        None,
        description=(
            f"The pattern of the mask: {listed(tuple(MASK_NAMES), 'or')}. Two of them may be joined"
            " by `and` or `or`, for instance `causal and block`."
        ),
    )
    length: Annotated[int, Field(ge=1), up_to("masks_length")] | None = Field(
        None, description="How many rows and columns the mask has."
    )
    prefix: Place | None = parameter(MASKS["prefix"])
    window: Place | None = parameter(MASKS["window"])
    dilation: Place | None = parameter(MASKS["dilation"])
    block: Place | None = parameter(MASKS["block"])
    columns: Place | None = parameter(MASKS["columns"])
    above: Place | None = parameter(MASKS["above"])
    beside: Place | None = parameter(MASKS["beside"])
    lengths: Lengths | None = parameter(MASKS["lengths"])
    flip: Text | None = Field(
        None,
        description=(
            "Cells that are changed in the pattern, with commas between them: query.key for"
            " one cell, or query.first-last for several in a row."
        ),
    )
    cells: Cells | None = Field(
        None,
        description=(
            "The mask itself as rows of 0 and 1, where 1 allows the query of the row to see"
            " the key of the column."
        ),
    )
    layers: Annotated[int, Field(ge=0), up_to("layers")] | None = Field(
        None, description=("Through how many layers `reach` follows what a position can see.")
    )
    model: Name | None = Field(
        None, description=("The id of a model, which then reads the input under the mask.")
    )
    source: Text | None = Field(
        None,
        description=("With `model`: the text that an encoder-decoder or a prefix model reads."),
    )
    target: Text | None = Field(
        None,
        description=(
            "With `model`: the text that has been written so far. If it is left out, the"
            " model writes its own."
        ),
    )
    text: Text | None = Field(
        None, description="With `model`: the text that a model of one stack reads."
    )
    stack: Literal["encoder", "decoder"] | None = Field(
        None, description="With `model`: the stack that is masked."
    )
    layer: Layer | None = Field(
        None, description=("With `model`: the layer whose weights are sent, counted from 0.")
    )


class MasksFigures(Masks):
    display_fields: ClassVar = ("head", "sequence", "query")

    head: Head = Field(
        0,
        description=(
            "The head whose weights are drawn, counted from 0. If it is too large, it is the last."
        ),
    )
    sequence: Place = Field(
        0,
        description=(
            "The sequence of a batch that is drawn, counted from 0. If it is too large, it"
            " is the last."
        ),
    )
    query: Place | None = Field(
        None,
        description=(
            "The query whose keys are drawn on the grid, counted from 0. If it is left out,"
            " it is the one in the middle of the last row."
        ),
    )


class Loss(StrictModel):
    """The mean of -ln p of the next token under both masks."""

    trained: float
    chosen: float
    unit: str


class MasksAnswer(Answer):
    pattern: str
    length: int
    prefix: int = optional()
    window: int = optional()
    dilation: int = optional()
    block: int = optional()
    columns: int = optional()
    above: int = optional()
    beside: int = optional()
    lengths: list[int] = optional()
    layers: int
    visible: int = Field(description="How many cells the mask allows.")
    formula: str | None
    opened: int = Field(description="How many cells were opened by `flip`.")
    closed: int = Field(description="How many cells were closed by `flip`.")
    blind_rows: list[int] | list[list[int]] = Field(
        description="The queries that see no key at all."
    )
    reachable: int
    facts: list[Fact]
    stack: str = optional("Where a model ran under the mask: what it was asked for.")
    layer: int = optional("Where a model ran under the mask: what it was asked for.")
    unit: str = optional("The unit of the run's output.")
    expected: list[str] = optional("The token that comes next at each position.")
    expected_from: int = optional()
    loss: Loss = optional("The loss under both masks, where the model predicts a next token.")


EXPERIMENT = Experiment(
    question=Masks,
    answer=MasksAnswer,
    figure_query=MasksFigures,
    sentence="An attention mask, what can influence what through several layers, and a sentence"
    " that a model reads under the mask",
    example="pattern=window&length=8&window=2&layers=3",
    figures={
        "mask": Figure("Who may look at whom", masks.mask, tensor="allowed", kind="analytic"),
        "leak": Figure("What leaks", effects.LEAK, meta=effects.of_leak),
        "weights": Figure(
            "Where it looks",
            effects.WEIGHTS,
            has=lambda answer: "stack" in answer.fields,
            meta=effects.of_weights,
        ),
        "loss": Figure("What it costs", effects.LOSS, meta=effects.of_loss),
        "sums": Figure("Added, not multiplied", effects.SUMS, meta=effects.of_sums),
        "depth": Figure(
            "How many layers it takes",
            effects.DEPTH,
            kind="analytic",
            meta=effects.of_depth,
        ),
        "grid": Figure(
            "On the grid", masks.grid, tensor="layers_needed", kind="analytic", has=masks.is_on_grid
        ),
    },
)
