"""/performer: attention by random features, its error and its cost."""

from math import ceil
from typing import Annotated, Literal

from pydantic import Field

from app.api.answers import ClinicAnswer
from app.api.bounds import up_to
from app.api.endpoint import Endpoint
from app.api.questions import Clinic


class Performer(Clinic):
    features: Annotated[int, Field(ge=1), up_to("features")] = Field(
        256, description="m, the number of random projections."
    )
    length: Annotated[int, Field(ge=4), up_to("performer_length")] = Field(
        64, description="Queries, and as many keys."
    )
    norm: Annotated[float, Field(ge=0.1), up_to("performer_norm")] = Field(
        1.0, description="Length of each query and key, after division by d^(1/4)."
    )
    orthogonal: bool = Field(
        False, description="Projections at right angles to each other, in blocks of d."
    )
    kernel: Literal["positive", "trigonometric"] = Field(
        "positive", description="Which features estimate exp(x · y)."
    )
    measure: bool = Field(
        False,
        description="Also the time on the machine that answers: such an answer cannot be repeated.",
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.7.

        Few orthogonal features take long, because they are drawn in more trials.
        """
        m, waves = self.features, 2 if self.kernel == "trigonometric" else 1
        trial = 0.0244 + 3.1e-4 * self.length * waves
        if self.orthogonal:
            trial += 0.0018 + 1.5e-5 * (16_384 // m) * ceil(m / 16)
        measured = 0.09 + 1.1e-4 * m if self.measure else 0
        return 0.0145 + self.seeds * trial + measured


class PerformerAnswer(ClinicAnswer):
    pass


ENDPOINTS = (
    Endpoint(
        "performer",
        Performer,
        PerformerAnswer,
        "How far attention by random features is from the exact one, and what it costs",
        "norm=2&features=512",
        figure="maps",
    ),
)
