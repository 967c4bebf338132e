"""/gradients: how large gradients are at the last layer and on the way down."""

from typing import Annotated

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import at_most_long, up_to
from app.schema.questions import Channels, Clinic, Commas, Placed

Depths = Annotated[
    list[Annotated[int, Field(ge=1), up_to("gradient_layers")]],
    Field(min_length=3),
    at_most_long("gradient_depths"),
    Commas,
]


class Gradients(Placed, Clinic):
    depths: Depths = Field(
        [2, 4, 8, 16, 32],
        description=("The numbers of layers of the stacks whose gradients are measured."),
    )
    d_model: Channels = Field(
        64, description="How many channels the residual stream has, a multiple of 4."
    )

    seeds: Annotated[int, Field(ge=1), up_to("seeds")] = Field(
        8,
        description=(
            "How many times the experiment is repeated with other draws. The gradients of a"
            " deep Post-LN decoder differ by factors from one draw to the next, so 8 is the"
            " default here."
        ),
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        deepest = max(18, *self.depths)
        placements = 1.0 if self.placement in ("post", "pre", "b2t") else 1.3
        layer = (0.0037 + 2.6e-7 * self.d_model**2) * placements
        seconds = 0.068 + self.seeds * (deepest + 18) * layer
        seconds += 0.01 * self.seeds * len(self.depths)
        return seconds + (0.0007 * self.seeds * deepest if self.stack == "decoder" else 0)


class GradientsAnswer(ClinicAnswer):
    pass


ENDPOINTS = (
    Endpoint(
        "gradients",
        Gradients,
        GradientsAnswer,
        "How large the gradients of a fresh stack are at its last layer and on the way"
        " down, by depth and placement of the norm",
        "depths=1,2,4&d_model=16",
        figure="last",
    ),
)
