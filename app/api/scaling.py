"""/scaling: why q . k is divided by sqrt(d_head)."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import Experiment, bounds


class Scaling(Experiment):
    d_head: Annotated[int, Field(ge=1, le=bounds.clinic_d_head)] = Field(1024, description="Components of a query and of a key.")
    keys: Annotated[int, Field(ge=2, le=bounds.clinic_keys)] = Field(16, description="Keys that the softmax shares its weight among.")
    pairs: Annotated[int, Field(ge=1000, le=bounds.pairs)] = Field(20_000, description="Pairs (q, k) in all, shared out among the seeds.")
    correlation: Annotated[float, Field(ge=0, le=1)] = Field(0.0, description="Of a query with its own key; at 1 they are equal.")


WORDS = (
    Word(
        "scaling",
        Scaling,
        "Variance of q . k, and entropy and gradient of the softmax over it, with and without division by sqrt(d_head)",
        "d_head=64&pairs=2000",
    ),
)
