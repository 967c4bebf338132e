"""/learned-positions: learned against sinusoidal positions, trained."""

from typing import Annotated

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.questions import Clinic


class LearnedPositions(Clinic):
    """The numbers of a question were trained beforehand and kept."""

    seeds: Annotated[int, Field(ge=1), up_to("seeds")] = Field(
        4,
        description=(
            "How many of the kept trainings are read. If it is larger than their number,"
            " all of them are read."
        ),
    )

    def work(self) -> float:
        """Nothing is trained for an answer: the kept numbers are read."""
        return 0.002


class LearnedPositionsAnswer(ClinicAnswer):
    kept_seeds: int = Field(description="How many seeds were trained and kept.")


ENDPOINTS = (
    Endpoint(
        "learned-positions",
        LearnedPositions,
        LearnedPositionsAnswer,
        "Learned and sinusoidal positions in small translators trained side by side: the"
        " held-out loss along the training",
        "seeds=3",
    ),
)
