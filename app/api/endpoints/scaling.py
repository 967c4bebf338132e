"""/scaling: why q . k is divided by sqrt(d_head)."""

from typing import Annotated

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.questions import AtMostOne, Clinic


class Scaling(Clinic):
    d_head: Annotated[int, Field(ge=1), up_to("clinic_d_head")] = Field(
        1024, description="How many components a query and a key have."
    )
    keys: Annotated[int, Field(ge=2), up_to("clinic_keys")] = Field(
        16, description="Among how many keys the softmax divides its weight."
    )
    pairs: Annotated[int, Field(ge=1000), up_to("pairs")] = Field(
        20_000, description="How many pairs (q, k) are drawn for all seeds together."
    )
    correlation: Annotated[float, Field(ge=0), AtMostOne] = Field(
        0.0, description=("The correlation of a query with its own key. At 1 they are equal.")
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
        "The variance of q · k, and the entropy and gradient of the softmax, with and"
        " without the division by √d_head",
        "d_head=64&pairs=2000",
        figure="weights",
    ),
)
