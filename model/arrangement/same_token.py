"""The same token in two runs: a question about a token of an arranged run, put to the run without
edits, in which that token stands at another position.
"""

from typing import Any

from model.answers.answer import Answer
from model.errors import InvalidInput

FOLLOWED = {
    "journey": ("token", "followed"),
    "feed-forward": ("position", "position"),
    "residual": ("position", "position"),
    "images": ("query", "query"),
}
"""For each analysis that is about one token: the field of a question that names its position, and
the field of an answer that says which one it is.
"""


def of_same_token(word: str, question: dict[str, Any], answer: Answer, axis: str) -> dict:
    """The question without edits about the token that `answer`, of an arranged run, is about.
    `axis` is the one that its position counts along. Raises InvalidInput for a pad.
    """
    field, said = FOLLOWED.get(word, ("", ""))
    places = answer.fields.get("aligned", {}).get(axis)
    if said not in answer.fields or not places:
        return question
    return question | {field: place_of(places, answer.fields[said], field)}


def place_of(places: list[int | None], position: int, field: str) -> int:
    """The position without edits of the token at `position`. Raises InvalidInput for a pad."""
    place = places[position]
    if place is None:
        raise InvalidInput(
            f"A pad stands at position {position}, and the run without edits has no pads to put"
            " beside it: choose a token of the text, or show the edited run alone.",
            field=field,
            given=position,
        )
    return place
