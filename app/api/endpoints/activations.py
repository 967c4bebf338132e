"""/activations: any recorded activation of a run, by name."""

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import RunAnswer, StrictModel, optional
from app.schema.edits import AboutRun
from app.schema.questions import Head, Layer, Names


class Activations(AboutRun):
    names: Names | None = Field(None, examples=["decoder.*.residual.out"])
    layer: Layer | None = None
    head: Head | None = None


class Recorded(StrictModel):
    """A recorded activation."""

    name: str
    axes: list[str]
    shape: list[int]
    bytes: int
    formula: str
    sentence: str


class ActivationsAnswer(RunAnswer):
    activations: list[Recorded] = optional()


ENDPOINT = Endpoint(
    "activations",
    Activations,
    ActivationsAnswer,
    "model=translator&source=i+am+cold&names=decoder.2.residual.*",
)
