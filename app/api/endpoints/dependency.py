"""/dependency: how much of the stream each sub-layer has written, at every depth."""

from typing import Annotated

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.questions import Channels, Clinic, Placed


class Dependency(Placed, Clinic):
    layers: Annotated[int, Field(ge=1), up_to("dependency_layers")] = Field(
        6,
        description=("How many layers the stack has, each of two sub-layers (three in a decoder)."),
    )
    d_model: Channels = Field(
        64, description="How many channels the residual stream has, a multiple of 4."
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        layer = 0.003 + 6.9e-7 * self.d_model**2
        more = 1.3 if self.placement in ("b2t", "branch", "none") else 1.0
        more *= 1.6 if self.stack == "decoder" else 1.0
        return 0.001 + self.seeds * self.layers * layer * more


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
