"""/amplification: how far a small change of the weights moves the output, by depth."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import Commas, Experiment, bounds

Depths = Annotated[list[Annotated[int, Field(ge=1, le=bounds.depth)]], Field(min_length=3, max_length=16), Commas]


class Amplification(Experiment):
    depths: Depths = Field([2, 4, 8, 16, 32, 64], description="Sub-layers after which the change is read.")
    noise: Annotated[float, Field(ge=1e-4, le=0.1)] = Field(0.01, description="The disturbance, in standard deviations of each matrix.")
    d_model: Annotated[int, Field(ge=4, le=bounds.clinic_d_model)] = Field(64, description="Channels of the stream; a multiple of 4.")


WORDS = (
    Word(
        "amplification",
        Amplification,
        "How far a small change of all weights moves the output, by depth and placement of the norm",
        "depths=2,8,32&seeds=4",
    ),
)
