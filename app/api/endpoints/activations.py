"""/activations: any number a run recorded, by name."""

from pydantic import Field

from app.api.answers import Part, RunAnswer, maybe
from app.api.endpoint import Endpoint
from app.api.questions import AboutModel, Head, Layer, Names


class Activations(AboutModel):
    names: Names | None = Field(
        None,
        description="Globs with commas between them; without it the list of what there is.",
        examples=["decoder.*.residual.out"],
    )
    layer: Layer | None = Field(None, description="Keeps the names of one layer and those of none.")
    head: Head | None = Field(None, description="Keeps one head of what has heads.")


class Recorded(Part):
    """An activation that the run recorded."""

    name: str
    axes: list[str]
    shape: list[int]
    bytes: int
    formula: str
    sentence: str


class ActivationsAnswer(RunAnswer):
    activations: list[Recorded] = maybe("What there is, where no `names` were given.")


ENDPOINTS = (
    Endpoint(
        "activations",
        Activations,
        ActivationsAnswer,
        "What a run recorded: the list of names, or the tensors whose names fit",
        "model=translator&source=i+am+cold&names=decoder.2.residual.*",
    ),
)
