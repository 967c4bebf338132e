"""/circuits-theory: two layers of attention alone, as a sum of paths."""

from typing import Literal

from pydantic import Field

from app.api import Word
from app.questions import Experiment


class CircuitsTheory(Experiment):
    weights: Literal["constructed", "random"] = Field(
        "constructed", description="An induction head written by hand among six random heads, or eight random heads."
    )


WORDS = (
    Word(
        "circuits-theory",
        CircuitsTheory,
        "Every path through two layers of attention, and which heads compose, beside random pairs",
        "weights=random",
    ),
)
