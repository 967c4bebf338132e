"""What the page of /add-or-concatenate says: the claim, what to look for, the number to read
off.
"""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import number, percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Adding is concatenating with shared weights"
LOOK_FOR = (
    "Left: the points are the query of a concatenation whose two halves share one matrix. They lie"
    " on the line of the sum. Right: without noise, token and position are both read from the sum"
    " as well as from a concatenation; follow the lines to see what noise does."
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
        f"From the sum a linear map reads the token at {token} and the position at {position} of"
        " the places that it was not fitted to. Both ways of computing a query differ by"
        f" {number(measured(answer, 'identity'))} at most."
    )


TITLES = {
    "identity": "Query from [x; p], less from x + p",
    "token": "Token, read from the sum",
    "position": "Position, read from the sum",
    "halves.token": "Token: halves, less added",
    "halves.position": "Position: halves, less added",
    "whole.token": "Token: whole, less added",
    "whole.position": "Position: whole, less added",
    "weights": "Weights in W, concatenated over added",
    "cosine": "|Cosine| of a token and its position",
}
