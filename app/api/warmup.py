"""/warmup: four networks learn the same task; which of them needs its rate to grow from zero."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import Experiment


class Warmup(Experiment):
    warmup_steps: Annotated[int, Field(ge=0, le=400)] = Field(20, description="Steps in which the rate grows from zero to its peak.")
    peak: Annotated[float, Field(ge=1e-4, le=0.1)] = Field(0.03, description="The learning rate after that; elsewhere from the start.")
    layers: Annotated[int, Field(ge=1, le=8)] = Field(4, description="Layers of each network.")
    steps: Annotated[int, Field(ge=5, le=400)] = Field(25, description="Steps that each network takes.")


WORDS = (
    Word(
        "warmup",
        Warmup,
        "Live training: Post-LN with and without warm-up, Pre-LN and Admin on the same data",
        "warmup_steps=20&peak=0.03&seeds=4",
        streams=True,
        trains=True,
    ),
)
