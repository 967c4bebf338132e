"""What the page of /padding says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import number, percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "With its mask, a padded sentence is the sentence alone"
LOOK_FOR = (
    "The first four maps are equal, although True means that a key takes part in one library"
    " function and that it is hidden in the other. The fifth map gives one function the mask of the"
    " other: all weight lies on the padding."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("with", "bits"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the maps and in the bars."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """How far the shortest sentence is changed without the mask, and with it."""
    return (
        "Without the mask the output of the shortest sentence changes by"
        f" {percent(measured(answer, 'without'))} of its length. With the mask it changes by"
        f" {number(measured(answer, 'with'))} at most, which is rounding."
    )


TITLES = {
    "sdpa": "scaled_dot_product_attention, less ours",
    "multihead": "MultiheadAttention, less ours",
    "additive": "Added numbers, less ours",
    "mistaken": "Weight on padding, mask mistaken",
    "with": "Change by padding, with the mask",
    "bits": "Change by other tokens in the padding",
    "without": "Change by padding, without the mask",
    "first_word": "Probability of the first word that moves",
}
