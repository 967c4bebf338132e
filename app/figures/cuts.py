"""Which part of an answer a mark draws."""

from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.figures.marks import Bars, Cells, Lines, Of, Place

if TYPE_CHECKING:
    from model.answers.answer import Answer, Cut


def resolved(value: Any, answer: "Answer", question: Question) -> Any:
    """What a field of a mark is of this answer and question."""
    return value(answer, question) if callable(value) else value


def cut(mark: Lines | Bars | Cells, answer: "Answer", question: Question) -> "Cut":
    """The part of the tensor that a mark draws."""
    part = answer.cut(mark.tensor)
    at = getattr(mark, "at", {})
    places = {axis: resolve(place, answer, question) for axis, place in at.items()}
    part = part.at(**{axis: known(part, axis, place) for axis, place in places.items()})
    each = getattr(mark, "each", None)
    return each(part) if each else part


def resolve(place: Place | Of, answer: "Answer", question: Question) -> Place:
    """A place, or that which a field of the question names, "{stack}", or which is computed."""
    place = resolved(place, answer, question)
    if isinstance(place, str) and place.startswith("{"):
        return question.get(place[1:-1]) or 0
    return place


def known(part: "Cut", axis: str, place: Place) -> Place:
    """The place; of an axis that is counted, the last one where it is farther on."""
    counted = part.axes[axis].labels is None and part.axes[axis].values is None
    return min(place, part.axes[axis].size - 1) if counted and not isinstance(place, str) else place
