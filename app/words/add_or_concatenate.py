"""What the page of /add-or-concatenate says: the claim, what to look for, the number to read
off.
"""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import number, percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Adding is the same as concatenating with shared weights"
LOOK_FOR = (
    "On the left, the solid line is a query computed from the sum of token and position. The points"
    " are the query of a concatenation whose halves share one matrix, and they lie on that line. On"
    " the right, a linear map reads the token and the position: follow the lines to see how noise"
    " hides them."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("identity", "token", "position"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in both figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """How much is read from the sum, and how far both ways of computing a query are apart."""
    token, position = (percent(measured(answer, part)) for part in ("token", "position"))
    return (
        f"A linear map reads the token from the sum in {token} of the examples that it was not"
        f" fitted to, and the position in {position}. The two ways of computing a query differ by"
        f" {number(measured(answer, 'identity'))} at most."
    )


TITLES = {
    "identity": "Query from [x; p] and from x + p, difference",
    "token": "Token, read from the sum",
    "position": "Position, read from the sum",
    "halves.token": "Token read right: concatenated, d/2 each, minus added",
    "halves.position": "Position read right: concatenated, d/2 each, minus added",
    "whole.token": "Token read right: concatenated, 2d, minus added",
    "whole.position": "Position read right: concatenated, 2d, minus added",
    "weights": "Weights in W: concatenated divided by added",
    "cosine": "Cosine of a token and its position, without its sign",
}
