"""What the page of /fine-tuning says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes
from app.figures.text import percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "A pre-trained encoder learns from labels that are too few for an untrained one"
LOOK_FOR = (
    "On the left, all three lines begin near the dotted line, where a coin would be. With more"
    " labels the tuned encoder improves most, the frozen one a little, and the one from scratch"
    " stays near the coin. On the right is the tuned encoder less the one from scratch."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the finding that says whether it holds."""
    return Claim(CLAIM, ("tuned.over_scratch",))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off: how often each is right with the most labels."""
    names = axes.labels(answer, "member")
    right = dict(zip(names, answer.tensors["accuracy"].data[:, -1].tolist(), strict=True))
    most = int(axes.values(answer, "labelled")[-1])
    return (
        f"With {most:,} labels the tuned encoder judges {percent(right['tuned'])} of the sentences"
        f" rightly, the frozen one {percent(right['frozen'])}, and the one from scratch"
        f" {percent(right['scratch'])}."
    )


TITLES = {
    "tuned.over_scratch": "Tuned less scratch, most labels",
    "tuned.over_frozen": "Tuned less frozen, most labels",
    "tuned.over_scratch.few": "Tuned less scratch, fewest labels",
    "frozen.over_chance": "Frozen less a coin, most labels",
    "tuned.over_chance": "Tuned less a coin, most labels",
    "scratch.over_chance": "Scratch less a coin, most labels",
}
