"""/norms: how long the stream's vectors become with depth, by where the norm stands; and what a norm itself is."""

from typing import Annotated, Literal

from pydantic import Field

from app.api import Word
from app.questions import Experiment, bounds


class Norms(Experiment):
    placement: Literal["post", "pre", "admin", "b2t", "branch", "none"] = Field("pre", description="Where the norm stands.")
    norm: Literal["layer", "rms", "scale"] = Field("layer", description="LayerNorm, RMSNorm or ScaleNorm.")
    depth: Annotated[int, Field(ge=2, le=bounds.depth)] = Field(48, description="Sub-layers of the stack.")
    d_model: Annotated[int, Field(ge=4, le=bounds.clinic_d_model)] = Field(64, description="Channels of the stream; a multiple of 4.")
    shortcut: Annotated[float, Field(ge=0.5, le=1.5)] = Field(1.0, description="lambda, by which every shortcut multiplies the stream.")


WORDS = (
    Word(
        "norms",
        Norms,
        "How long the stream's vectors become with depth, by placement and kind of the norm; its Jacobian, and what leaks",
        "placement=branch&depth=8&d_model=32",
    ),
)
