"""What the page of /amplification says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Depth amplifies, by one constant"
LOOK_FOR = (
    "Left, three curves part. Divide each by the sum of its own dependencies: right, they fall "
    "on one line."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("constant_spread",))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off."""
    sums, constants = measured(answer, "sum_spread"), measured(answer, "constant_spread")
    return f"The sum of dependencies spans {sums:.0f}-fold; C stays within {constants:.1f}-fold."


TITLES = {
    "constant_spread": "C, largest over smallest",
    "sum_spread": "Sum, largest over smallest",
    "slope.post": "Slope, Post-LN",
    "slope.pre": "Slope, Pre-LN",
    "slope.admin": "Slope, Admin",
    "post_over_pre": "Post over Pre",
}
