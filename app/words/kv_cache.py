"""What the page of /kv-cache says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import number
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "The KV cache saves work and changes no answer"
LOOK_FOR = (
    "Each row is one step of writing. With the cache only the newest token is computed (C), and all"
    " others are read (R). Without it every row computes all tokens again."
)
BYTES = (
    "Each step adds the same number of bytes: a key and a value in every layer. The cache exchanges"
    " work for memory."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("logits", "choices"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures that are shown."""
    return BYTES if "bytes" in question["figures"] else LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """How much work is saved, and how far the logits are from each other."""
    return (
        f"Without the cache the text takes {number(measured(answer, 'saved'))} times the"
        f" multiplications, and its last step {number(measured(answer, 'last_step'))} times. The"
        f" logits differ by {number(measured(answer, 'logits'))} at most, which is rounding."
    )


TITLES = {
    "logits": "Logits with and without, largest difference",
    "choices": "Texts with another next token",
    "counted": "Multiplications, counted less formula",
    "bytes": "Bytes, measured less formula",
    "saved": "Multiplications without over with, whole text",
    "last_step": "The same at the last step",
}
