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
    stack: Literal["encoder", "decoder"] | None = None
    at: Name | None = None
    position: Annotated[int, Field(ge=0), below("text_length")] | None = None
    names: NamesSent = None
    first_layer: Layer | None = None
    layers: Annotated[int, Field(ge=1), up_to("layers")] | None = None


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
    at: str
    parts: list[Summand]
    largest_difference: Difference
    whole_steps: list[StepOfWhole] = optional()
    position: int = optional()


EXAMPLE_NAMES = "norm,sum_norm,update_norm,cosine,dependency,dependency_mean,part_norm,projections"
"""The tensors that figures show."""


EXPERIMENT = Experiment(
    question=Residual,
    answer=ResidualAnswer,
    example="model=translator&source=i+am+cold&position=2",
    figures={
        "contributions": Figure(
            "Parts of the residual stream", residual.contributions, tensor="projections"
        ),
        "norm": Figure("Norm of the residual stream", residual.norm, tensor="norm"),
        "writes": Figure("Norm of each contribution", residual_writes.writes, tensor="part_norm"),
        "dependency": Figure(
            "How much each sub-layer adds", residual_writes.dependency, tensor="dependency"
        ),
    },
    # The other tokens stand beside the chosen one, and no figure shows a part channel by channel.
    source_fields={"position": None, "names": EXAMPLE_NAMES},
)
