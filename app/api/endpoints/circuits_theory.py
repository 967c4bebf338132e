"""/circuits-theory: two layers of attention alone, as a sum of paths."""

from typing import ClassVar, Literal

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


class CircuitsTheoryFigures(CircuitsTheory):
    view: ClassVar = ("position", "composition")

    position: Literal["0", "1", "2", "3", "4", "5", "6", "7"] = Field(
        "3", description="The position of the repetition whose paths are shown, from 0."
    )
    composition: Literal["q", "k", "v"] = Field(
        "k", description="How heads of layer 2 read those of layer 1: by queries, keys or values."
    )


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
        drawn=CircuitsTheoryFigures,
        figure="logit",
    ),
)
