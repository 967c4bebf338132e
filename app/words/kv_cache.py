"""What the page of /kv-cache says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import number
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "The KV cache saves work and changes no answer"
LOOK_FOR = (
    "Each row is one step of writing, and each column is a token. C marks keys and values that the"
    " step computes, and R those that it reads from the cache. Without the cache every step"
    " computes all of them again."
)
BYTES = (
    "Each step adds the same number of bytes: a key and a value of the new token in every layer."
    " The cache saves work and costs memory."
)
WORK = (
    "Each point on the right is one step. Without the cache a step computes every token that was"
    " read so far, and with the cache only the newest one. Choose more tokens, and the distance of"
    " the lines grows."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("logits", "choices"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures that are shown."""
    said = {"bytes": BYTES, "multiplications": WORK}
    return next((said[name] for name in question["figures"] if name in said), LOOK_FOR)


def reading(answer: "Answer", question: Question) -> str:
    """How much work is saved, and how far the logits are from each other."""
    return (
        f"Without the cache the text takes {number(measured(answer, 'saved'))} times as many"
        f" multiplications, and its last step {number(measured(answer, 'last_step'))} times as"
        f" many. The logits of the two ways differ by {number(measured(answer, 'logits'))} at most,"
        " which is rounding."
    )


TITLES = {
    "logits": "Logits with and without, largest difference",
    "choices": "Texts with another next token",
    "counted": "Multiplications: counted minus formula",
    "bytes": "Bytes: measured minus formula",
    "saved": "Multiplications of the whole text: without the cache divided by with it",
    "last_step": "Multiplications of the last step: without the cache divided by with it",
}
