"""/dependency: how much of the stream each sub-layer has written, at every depth."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.answers import ClinicAnswer
from app.api.bounds import up_to
from app.api.endpoint import Endpoint
from app.api.questions import Channels, Clinic


class Dependency(Clinic):
    placement: Literal["post", "pre", "admin"] = Field(
        "post", description="Where the norm stands in the stack whose map is answered."
    )
    layers: Annotated[int, Field(ge=1), up_to("dependency_layers")] = Field(
        6, description="Layers of the stack, two sub-layers each."
    )
    d_model: Channels = Field(64, description="Channels of the stream; a multiple of 4.")

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        layer = 0.0066 + 2e-5 * self.d_model + 6.3e-7 * self.d_model**2
        return 0.001 + self.seeds * self.layers * layer


class DependencyAnswer(ClinicAnswer):
    pass


ENDPOINTS = (
    Endpoint(
        "dependency",
        Dependency,
        DependencyAnswer,
        "How much of the stream each sub-layer has written, at every depth, by placement of the"
        " norm",
        "placement=pre&layers=2",
        figure="maps",
    ),
)
