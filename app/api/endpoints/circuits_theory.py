"""/circuits-theory: two layers of attention alone, as a sum of paths."""

from typing import Literal

from pydantic import Field

from app.api.answers import ClinicAnswer
from app.api.endpoint import Endpoint
from app.api.questions import Clinic


class CircuitsTheory(Clinic):
    weights: Literal["constructed", "random"] = Field(
        "constructed",
        description=(
            "An induction head written by hand among six random heads, or eight random heads."
        ),
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.1.
        """
        return 0.044 * self.seeds


class CircuitsTheoryAnswer(ClinicAnswer):
    letters: str
    period: int
    expected: float = Field(description="The composition of random pairs.")


ENDPOINTS = (
    Endpoint(
        "circuits-theory",
        CircuitsTheory,
        CircuitsTheoryAnswer,
        "Every path through two layers of attention, and which heads compose, beside random pairs",
        "weights=random",
    ),
)
