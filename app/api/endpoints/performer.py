"""/performer: attention by random features, its error and its cost."""

from math import ceil
from typing import Annotated, Literal

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.questions import Clinic


class Performer(Clinic):
    features: Annotated[int, Field(ge=1), up_to("features")] = Field(
        256, description="How many random projections m there are."
    )
    length: Annotated[int, Field(ge=4), up_to("performer_length")] = Field(
        64, description="How many queries there are, and as many keys."
    )
    norm: Annotated[float, Field(ge=0.1), up_to("performer_norm")] = Field(
        1.0, description=("The length of each query and key after it is divided by d^(1/4).")
    )
    orthogonal: bool = Field(
        False,
        description=(
            "Whether the projections stand at right angles to each other, in blocks of d."
        ),
    )
    kernel: Literal["positive", "trigonometric"] = Field(
        "positive", description="Which random features estimate exp(x · y)."
    )
    measure: bool = Field(
        False,
        description=(
            "Whether the time on the server is measured too. Such an answer cannot be"
            " repeated exactly."
        ),
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
        "How far attention with random features is from exact attention, and what it costs",
        "norm=2&features=512",
        figure="maps",
    ),
)
