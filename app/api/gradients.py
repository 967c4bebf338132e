"""/gradients: how large gradients are at the last layer and on the way down."""

from typing import Annotated, Literal

from pydantic import Field

from app.api import Word
from app.questions import Commas, Experiment, bounds

Depths = Annotated[list[Annotated[int, Field(ge=1, le=bounds.depth // 2)]], Field(min_length=3, max_length=8), Commas]


class Gradients(Experiment):
    depths: Depths = Field([2, 4, 8, 16, 32], description="Layers of the stacks whose last gradient is measured.")
    stack: Literal["encoder", "decoder"] = Field("encoder", description="An encoder, or a decoder that looks at a real encoder's output.")
    d_model: Annotated[int, Field(ge=4, le=bounds.clinic_d_model)] = Field(64, description="Channels of the stream; a multiple of 4.")


WORDS = (
    Word(
        "gradients",
        Gradients,
        "How large gradients are at the last layer and on the way down, by depth, stack and placement of the norm",
        "depths=1,2,4&d_model=16",
    ),
)
