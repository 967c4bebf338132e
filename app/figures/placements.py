"""Where the norm stands: what each placement is called, and its colour in every figure."""

from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.axes import labels
from app.figures.marks import Look
from model.layers.choice_names import PLACEMENT_NAMES

if TYPE_CHECKING:
    from model.answers.answer import Answer

NAMES = PLACEMENT_NAMES
ROLES = {
    "post": "stream",
    "pre": "attention",
    "admin": "cross",
    "b2t": "query",
    "branch": "feed-forward",
    "none": "value",
}
DASHES = {"admin": "6px,4px", "b2t": "2px,4px"}
"""Of placements whose lines lie on those of others, which show through."""


def look(placement: Any, question: Question) -> Look:
    """The look of a placement's line; the one that was asked for has dots, and its seeds."""
    chosen = placement == question["placement"]
    return Look(NAMES[placement], ROLES[placement], dash(placement), dots=chosen, seeds=chosen)


def listed(answer: "Answer") -> str:
    """The placements of an answer in words: "Post-LN, Pre-LN, Admin"."""
    return ", ".join(NAMES[name] for name in labels(answer, "placement"))


def dash(placement: str) -> str:
    """The dashes of the line of a placement, "" for a full line."""
    return DASHES.get(placement, "")
