"""What the page of /basis says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import number
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "The stream has no axes of its own"
LOOK_FOR = (
    "Left, a cloud: no channel keeps its value. Right, a line: every logit does. Choose "
    "LayerNorm, and the line frays."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("logit_change",))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off."""
    stream, units = (number(measured(answer, name)) for name in ("logit_change", "hidden_rotation"))
    return (
        f"Largest change of a logit: {stream} with the stream rotated, {units} with the hidden"
        " units rotated."
    )


TITLES = {
    "logit_change": "Largest change of a logit",
    "stream_change": "Change of the stream, of its length",
    "stream_less_rotated": "The new stream less x R",
    "norm_change": "norm(x R) less norm(x) R",
    "hidden_rotation": "Logits, hidden units rotated",
    "hidden_permutation": "Logits, hidden units reordered",
}
