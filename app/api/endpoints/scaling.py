"""/scaling: why q . k is divided by sqrt(d_head)."""

from typing import Annotated

from pydantic import Field

from app.api.answers import ClinicAnswer
from app.api.bounds import up_to
from app.api.endpoint import Endpoint
from app.api.questions import AtMostOne, Clinic


class Scaling(Clinic):
    d_head: Annotated[int, Field(ge=1), up_to("clinic_d_head")] = Field(
        1024, description="Components of a query and of a key."
    )
    keys: Annotated[int, Field(ge=2), up_to("clinic_keys")] = Field(
        16, description="Keys that the softmax shares its weight among."
    )
    pairs: Annotated[int, Field(ge=1000), up_to("pairs")] = Field(
        20_000, description="Pairs (q, k) in all, shared out among the seeds."
    )
    correlation: Annotated[float, Field(ge=0), AtMostOne] = Field(
        0.0, description="Of a query with its own key; at 1 they are equal."
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.3.
        """
        widths = {1, 4, 16, 64, 256, 1024, self.d_head}
        drawn = 4.5e-6 * self.keys * sum(widths) + 1.26e-8 * self.pairs * self.d_head
        return 0.0058 * self.seeds + drawn + 3.0e-5 * len(widths) * self.keys**2


class ScalingAnswer(ClinicAnswer):
    pass


ENDPOINTS = (
    Endpoint(
        "scaling",
        Scaling,
        ScalingAnswer,
        "Variance of q . k, and entropy and gradient of the softmax over it, with and without"
        " division by sqrt(d_head)",
        "d_head=64&pairs=2000",
        figure="weights",
    ),
)
