"""/amplification: how far a small change of the weights moves the output, by depth."""

from typing import Annotated

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import at_most_long, up_to
from app.schema.questions import Channels, Clinic, Commas, Placed

Depths = Annotated[
    list[Annotated[int, Field(ge=1), up_to("depth")]],
    Field(min_length=3),
    at_most_long("depths"),
    Commas,
]


class Amplification(Placed, Clinic):
    depths: Depths = Field(
        [2, 4, 8, 16, 32, 64],
        description=("The numbers of sub-layers after which the change is measured."),
    )
    noise: Annotated[float, Field(ge=1e-4), up_to("noise")] = Field(
        0.01,
        description=("How much the weights are changed, in standard deviations of each matrix."),
    )
    d_model: Channels = Field(
        64, description="How many channels the residual stream has, a multiple of 4."
    )

    seeds: Annotated[int, Field(ge=1), up_to("seeds")] = Field(
        16,
        description=(
            "How many times the experiment is repeated with other draws. The numbers differ"
            " by factors from one draw of the weights to the next, so 16 is the default"
            " here."
        ),
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.4.
        """
        n, d = max(self.depths), self.d_model
        more = 1.4 if self.placement in ("b2t", "branch", "none") else 1.0
        more *= 1.3 if self.stack == "decoder" else 1.0
        return 0.001 + self.seeds * n * more * (0.0013 + 1.2e-7 * d**2)


class AmplificationAnswer(ClinicAnswer):
    pass


ENDPOINTS = (
    Endpoint(
        "amplification",
        Amplification,
        AmplificationAnswer,
        "How far a small change of all weights moves the output, by depth and placement of the"
        " norm",
        "depths=2,8,32&seeds=4",
        figure="change",
    ),
)
