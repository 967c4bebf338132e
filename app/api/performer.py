"""/performer: attention by random features, its error and its cost."""

from typing import Annotated, Literal

from pydantic import Field

from app.api import Word
from app.questions import Experiment


class Performer(Experiment):
    features: Annotated[int, Field(ge=1, le=512)] = Field(256, description="m, the number of random projections.")
    length: Annotated[int, Field(ge=4, le=96)] = Field(64, description="Queries, and as many keys.")
    norm: Annotated[float, Field(ge=0.1, le=3)] = Field(1.0, description="Length of each query and key, after division by d^(1/4).")
    orthogonal: bool = Field(False, description="Projections at right angles to each other, in blocks of d.")
    kernel: Literal["positive", "trigonometric"] = Field("positive", description="Which features estimate exp(x · y).")
    measure: bool = Field(False, description="Also the time on the machine that answers: such an answer cannot be repeated.")


WORDS = (
    Word(
        "performer",
        Performer,
        "How far attention by random features is from the exact one, and what it costs",
        "norm=2&features=512",
    ),
)
