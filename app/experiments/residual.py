"""/residual: what every sub-layer writes into the stream."""

from typing import Annotated, Literal

from pydantic import Field

from app.experiment import Experiment, Figure
from app.figures import residual, residual_writes
from app.schema.answers import Difference, Point, RunAnswer, StrictModel, optional
from app.schema.bounds import below, up_to
from app.schema.edits import AboutPart
from app.schema.questions import Layer, Name, NamesSent


class Residual(AboutPart):
    stack: Literal["encoder", "decoder"] | None = Field(
        None,
        description=(
            "The stack whose stream is sent. If it is left out, it is the stack that predicts."
        ),
    )
    at: Name | None = Field(
        None,
        description=(
            "The step of the stream, by name, whose sum is taken apart. If it is left out,"
            " it is the last."
        ),
    )
    position: Annotated[int, Field(ge=0), below("text_length")] | None = Field(
        None, description="Sends only this position, counted from 0."
    )
    names: NamesSent = None
    first_layer: Layer | None = Field(
        None,
        description=(
            "The first layer of a window of layers, counted from 0: steps outside of it are left"
            " out, but for their lengths in `whole_norm`. If it is left out, all layers are sent,"
            " or with `layers` those from layer 0 on."
        ),
    )
    layers: Annotated[int, Field(ge=1), up_to("layers")] | None = Field(
        None,
        description=(
            "How many layers a window has. If it is left out and `first_layer` is given, there are"
            " 8."
        ),
    )


class StepOfWhole(Point):
    """A point of the whole stack, and the first layer of the window that it belongs to."""

    first_layer: int


class Step(Point):
    """A point of the stream, the norm that was applied last, and its formula."""

    norm: str | None
    formula: str


class Summand(StrictModel):
    """A part of the sum that the stream is."""

    name: str
    kind: str
    layer: int | None
    head: int | None


class ResidualAnswer(RunAnswer):
    stack: str
    placement: str
    d_model: int
    steps: list[Step]
    at: str = Field(description="The step whose sum is taken apart.")
    parts: list[Summand]
    largest_difference: Difference
    whole_steps: list[StepOfWhole] = optional(
        "With a window of layers: every step of the stack. The windows begin with layer 0."
    )
    position: int = optional("The position, where one was asked for.")


DRAWN = "norm,sum_norm,update_norm,cosine,dependency,dependency_mean,part_norm,projections"
"""The tensors that figures show."""


EXPERIMENT = Experiment(
    question=Residual,
    answer=ResidualAnswer,
    sentence="The residual stream of a run: its length at each step, the size and dependency of"
    " every write, and the parts that sum to it",
    example="model=translator&source=i+am+cold&position=2",
    figures={
        "contributions": Figure(
            "What the stream is made of", residual.contributions, tensor="projections"
        ),
        "norm": Figure("Length of the stream", residual.norm, tensor="norm"),
        "writes": Figure("Length of every write", residual_writes.writes, tensor="part_norm"),
        "dependency": Figure("How much is new", residual_writes.dependency, tensor="dependency"),
    },
    # The other tokens stand beside the chosen one, and no figure shows a part channel by channel.
    source_fields={"position": None, "names": DRAWN},
)
