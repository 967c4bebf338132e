"""What the page of /head-split says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Without the transpose, a head gets pieces of the wrong tokens"
LOOK_FOR = (
    "Every colour is one token. On the left each column has one colour, because every head gets a"
    " piece of every token. On the right the colours run along the rows: each head gets pieces of"
    " only a few tokens. Choose “attention” to see what follows from it."
)
PATTERN = (
    "Both maps are computed from the same queries and keys. On the right the split is"
    " wrong: most rows and columns hold another token than the one that their label names."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("model", "foreign"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures that are shown."""
    return PATTERN if "pattern.right" in question["figures"] else LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """How many rows hold another token, and what becomes of the attention."""
    return (
        f"Without the transpose {percent(measured(answer, 'foreign'))} of the rows hold another"
        f" token than their position says, and {percent(measured(answer, 'moved'))} of the"
        " attention weight goes to other tokens. No number is lost and no error is raised."
    )


TITLES = {
    "model": "Right split and the model's own attention, difference",
    "same_numbers": "Numbers that `view` changes",
    "one_head": "Both splits with one head, difference",
    "foreign": "Rows that hold another token",
    "moved": "Attention weight that goes to other tokens",
}
