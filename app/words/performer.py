"""What the page of /performer says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import number, percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Random features pay for long vectors"
LOOK_FOR = (
    "Move the norm to 2: a few columns drown the map on the right, and more features hardly help."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("error_at_norm_2",))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off."""
    own, alike, at_two = (
        percent(measured(answer, name), 1)
        for name in ("relative_error", "uniform_error", "error_at_norm_2")
    )
    return (
        f"At norm {number(question['norm'])}, {question['features']} features are {own} off, a map"
        f" all alike {alike}; at norm 2, 512 are {at_two} off."
    )


TITLES = {
    "relative_error": "Error of the map",
    "uniform_error": "Error of a map that looks everywhere alike",
    "slope": "Slope of the squared error in m",
    "mse_over_law": "MSE over its law",
    "error_at_norm_2": "Error at norm 2, m = 512",
    "causal_difference": "Prefix sums against the masked map",
    "cheaper_from": "Fewer multiplications from length",
}
