"""Norm placements: their names and their colors in every figure."""

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
"""Dashes for placements whose lines cover others, which show through."""


def look_of(placement: Any, question: Question) -> Look:
    """The style of a placement's line; the requested one has dots, and its seeds."""
    chosen = placement == question["placement"]
    return Look(NAMES[placement], ROLES[placement], dash(placement), dots=chosen, seeds=chosen)


def listed(answer: "Answer") -> list[str]:
    """The names of an answer's placements."""
    return [NAMES[name] for name in labels(answer, "placement")]


def dash(placement: str) -> str:
    """The dashes of a placement's line, "" for a solid line."""
    return DASHES.get(placement, "")
