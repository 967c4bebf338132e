"""/scores: six ways to compare a query with a key."""

from typing import Annotated

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.questions import Clinic


class Scores(Clinic):
    d_head: Annotated[int, Field(ge=1), up_to("scores_d_head")] = Field(
        64, description="How many components a query and a key have."
    )
    keys: Annotated[int, Field(ge=4), up_to("scores_keys")] = Field(
        8, description="How many keys there are, and as many queries."
    )
    temperature: Annotated[float, Field(ge=0), up_to("scores_temperature")] = Field(
        1.0,
        description=(
            "The number that the scores are divided by. At 0 the best key takes all the weight."
        ),
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        pair = 3e-7 * self.d_head + 6.6e-5
        return self.seeds * (0.0134 + pair * self.keys**2)


class ScoresAnswer(ClinicAnswer):
    formulas: dict[str, str] = Field(description="The formula of each score function, in TeX.")


ENDPOINTS = (
    Endpoint(
        "scores",
        Scores,
        ScoresAnswer,
        "The weights that six score functions give the same keys, how far each depends"
        " on the keys, and hard and soft, local and global attention",
        "temperature=0.5",
        figure="patterns",
    ),
)
