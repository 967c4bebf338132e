"""/norms: how long the stream's vectors become with depth, by where the norm stands; and what a
norm itself is.
"""

from typing import Annotated, Literal

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.questions import Channels, Clinic, Placed


class Norms(Placed, Clinic):
    placement: Literal["post", "pre", "admin", "b2t", "branch", "none"] = Field(
        "pre", description="Where the norm stands in the stack that is measured."
    )
    norm: Literal["layer", "rms", "scale"] = Field(
        "layer", description="Which norm it is: LayerNorm, RMSNorm or ScaleNorm."
    )
    depth: Annotated[int, Field(ge=2), up_to("depth")] = Field(
        48, description="How many sub-layers the stack has."
    )
    d_model: Channels = Field(
        64, description="How many channels the residual stream has, a multiple of 4."
    )
    shortcut: Annotated[float, Field(ge=0.5), up_to("shortcut")] = Field(
        1.0, description="The number λ by which every shortcut multiplies the stream."
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.2.
        """
        d = self.d_model
        sub_layer = 0.0024 + 5.4e-6 * d + 1.3e-7 * d**2
        sub_layers = self.depth if self.stack == "encoder" else 1.1 * self.depth + 12
        return 0.065 + self.seeds * sub_layers * sub_layer + 4.4e-6 * d**2


class NormsAnswer(ClinicAnswer):
    pass


ENDPOINTS = (
    Endpoint(
        "norms",
        Norms,
        NormsAnswer,
        "How long the vectors of the stream become with depth, by placement and kind of"
        " the norm, and what a norm lets leak between tokens and samples",
        "placement=branch&depth=8&d_model=32",
        figure="stream",
    ),
)
