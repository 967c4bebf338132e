"""/dependency: how much of the stream each sub-layer has written, at every depth."""

from typing import Annotated, Literal

from pydantic import Field

from app.api import Word
from app.questions import Experiment, bounds


class Dependency(Experiment):
    placement: Literal["post", "pre", "admin"] = Field("post", description="Where the norm stands in the stack whose map is answered.")
    layers: Annotated[int, Field(ge=1, le=12)] = Field(6, description="Layers of the stack, two sub-layers each.")
    d_model: Annotated[int, Field(ge=4, le=bounds.clinic_d_model)] = Field(64, description="Channels of the stream; a multiple of 4.")


WORDS = (
    Word(
        "dependency",
        Dependency,
        "How much of the stream each sub-layer has written, at every depth, by placement of the norm",
        "placement=pre&layers=2",
    ),
)
