"""/masks: who may look at whom, what that lets through, and a sentence run under it."""

from typing import Annotated, ClassVar, Literal

from annotated_types import Le
from pydantic import Field

from app.experiment import Experiment, Figure
from app.figures import mask_effects as effects
from app.figures import masks
from app.parameters import MASKS
from app.schema.answers import Answer, Fact, StrictModel, optional
from app.schema.bounds import Fixed, at_most_long, up_to
from app.schema.questions import Commas, Head, Layer, Name, Question, Rows, Text, parameter
from model.layers.choice_names import MASK_NAMES
from model.words import text

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
        description=text("masks", "Masks.pattern", {"names": tuple(MASK_NAMES)}, "en"),
    )
    length: Annotated[int, Field(ge=1), up_to("masks_length")] | None = None
    prefix: Place | None = parameter(MASKS["prefix"])
    window: Place | None = parameter(MASKS["window"])
    dilation: Place | None = parameter(MASKS["dilation"])
    block: Place | None = parameter(MASKS["block"])
    columns: Place | None = parameter(MASKS["columns"])
    above: Place | None = parameter(MASKS["above"])
    beside: Place | None = parameter(MASKS["beside"])
    lengths: Lengths | None = parameter(MASKS["lengths"])
    flip: Text | None = None
    cells: Cells | None = None
    layers: Annotated[int, Field(ge=0), up_to("layers")] | None = None
    model: Name | None = None
    source: Text | None = None
    target: Text | None = None
    text: Text | None = None
    stack: Literal["encoder", "decoder"] | None = None
    layer: Layer | None = None


class MasksFigures(Masks):
    display_fields: ClassVar = ("head", "sequence", "query")

    head: Head = 0
    sequence: Place = 0
    query: Place | None = None


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
    visible: int
    formula: str | None
    opened: int
    closed: int
    blind_rows: list[int] | list[list[int]]
    reachable: int
    facts: list[Fact]
    stack: str = optional()
    layer: int = optional()
    unit: str = optional()
    expected: list[str] = optional()
    expected_from: int = optional()
    loss: Loss = optional()


EXPERIMENT = Experiment(
    question=Masks,
    answer=MasksAnswer,
    figure_query=MasksFigures,
    example="pattern=window&length=8&window=2&layers=3",
    figures={
        "mask": Figure(
            "Which tokens may attend to which", masks.mask, tensor="allowed", kind="analytic"
        ),
        "leak": Figure(
            "How much each token affects each output", effects.LEAK, meta=effects.of_leak
        ),
        "weights": Figure(
            "Attention weights", effects.WEIGHTS, has="stack", meta=effects.of_weights
        ),
        "loss": Figure("Loss", effects.LOSS, meta=effects.of_loss),
        "sums": Figure("Added, not multiplied", effects.SUMS, meta=effects.of_sums),
        "depth": Figure(
            "Layers needed from input to output",
            effects.DEPTH,
            kind="analytic",
            meta=effects.of_depth,
        ),
        "grid": Figure(
            "On the grid", masks.grid, tensor="layers_needed", kind="analytic", has="columns"
        ),
    },
)
