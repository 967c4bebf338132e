"""/complexity: what a layer costs and how far it leaves two positions apart."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import Commas, Experiment, bounds

Lengths = Annotated[list[Annotated[int, Field(ge=2, le=100_000)]], Field(min_length=2, max_length=16), Commas]


class Complexity(Experiment):
    lengths: Lengths = Field([8, 16, 32, 64, 128, 256, 512, 1024], description="Positions of the sequence, n; with `measure` up to 1024.")
    d_model: Annotated[int, Field(ge=4, le=bounds.clinic_d_model)] = Field(64, description="Channels d; a multiple of 4.")
    kernel: Annotated[int, Field(ge=2, le=31)] = Field(3, description="Width k of a convolution.")
    window: Annotated[int, Field(ge=2, le=1024)] = Field(32, description="Positions r that restricted attention sees.")
    measure: bool = Field(False, description="Also the time on the machine that answers: such an answer cannot be repeated.")


WORDS = (
    Word(
        "complexity",
        Complexity,
        "Operations, sequential steps and path length of attention, recurrence and convolution; gradient against distance",
        "lengths=16,64,256&d_model=64",
    ),
)
