"""/activations: any number a run recorded, by name."""

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import RunAnswer, StrictModel, optional
from app.schema.edits import AboutRun
from app.schema.questions import Head, Layer, Names


class Activations(AboutRun):
    names: Names | None = Field(
        None,
        description=(
            "The names of activations with commas between them; * stands for any"
            " characters. If it is left out, the answer lists all names."
        ),
        examples=["decoder.*.residual.out"],
    )
    layer: Layer | None = Field(
        None,
        description=(
            "Sends only the activations of this layer, counted from 0, and those that"
            " belong to no layer."
        ),
    )
    head: Head | None = Field(
        None,
        description=("Sends only this head, counted from 0, of the activations that have heads."),
    )


class Recorded(StrictModel):
    """An activation that the run recorded."""

    name: str
    axes: list[str]
    shape: list[int]
    bytes: int
    formula: str
    sentence: str


class ActivationsAnswer(RunAnswer):
    activations: list[Recorded] = optional(
        "All activations that the run recorded, where no `names` were given."
    )


ENDPOINT = Endpoint(
    "activations",
    Activations,
    ActivationsAnswer,
    "The activations of a run: the list of their names, or the tensors of the names"
    " that are asked for",
    "model=translator&source=i+am+cold&names=decoder.2.residual.*",
)
