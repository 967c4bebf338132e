"""/probes: what can be read of position and token in the stream, layer by layer."""

from typing import Annotated, Literal

from pydantic import Field

from app.api import Word
from app.questions import Experiment


class Probes(Experiment):
    weights: Literal["trained", "fresh"] = Field("trained", description="The translator's encoder, or twelve layers that learned nothing.")
    sentences: Annotated[int, Field(ge=8, le=64)] = Field(64, description="Sentences a probe is fitted to; 32 others are held out.")
    ridge: Annotated[float, Field(ge=1e-3, le=1e3)] = Field(1.0, description="rho: how much large weights of a probe cost.")


WORDS = (
    Word(
        "probes",
        Probes,
        "What linear probes read of position and token in the stream after each layer, with the residual and without",
        "weights=fresh&sentences=32",
    ),
)
