"""The same token in two runs: turns a question about a token of an arranged run into one about the
run without edits, where that token has another position.
"""

from dataclasses import replace
from typing import Any

from model.answers.answer import Answer
from model.arrangement.alignment import in_place, places_of
from model.errors import InvalidInput

FOLLOWED = {
    "journey": ("token", "followed"),
    "feed-forward": ("position", "position"),
    "residual": ("position", "position"),
    "images": ("query", "query"),
}
"""For each analysis of a single token: the field of a question with its position, and the field of
an answer that names it.
"""


def same_token_question(word: str, question: dict[str, Any], answer: Answer, axis: str) -> dict:
    """The question without edits about the token that `answer`, of an arranged run, is about.
    `axis` is the one that its position counts along. Raises InvalidInput for padding.
    """
    field, answer_field = FOLLOWED.get(word, ("", ""))
    places = answer.fields.get("aligned", {}).get(axis)
    if answer_field not in answer.fields or not places:
        return question
    return question | {field: unedited_position(places, answer.fields[answer_field], field)}


def unedited_position(places: list[int | None], position: int, field: str) -> int:
    """The position without edits of the token at `position`. Raises InvalidInput for padding."""
    place = places[position]
    if place is None:
        raise InvalidInput("pad-has-nothing-beside-it", field=field, given=position)
    return place


OF_TOKEN = ("followed", "position", "tokens")
OF_TEXT = ("expected", "expected_from", "read_at")
"""Fields of an answer that are positions, or have a row for each."""


def in_place_of(edited: Answer, unedited: Answer, axis: str) -> Answer:
    """`unedited`, the answer without edits, with each token at its place in `edited`, in tensors
    and fields. `axis` is the one that the position counts along of a token that the answers are
    about.
    """
    places = places_of(edited)
    if not places:
        return unedited
    if "fed_back" in unedited.tensors:  # its words are compared by name
        places = {name: index for name, index in places.items() if name != "expected"}
    moved = in_place(edited, unedited, places)
    taken = [*(OF_TOKEN if axis in places else ()), *(OF_TEXT if "text" in places else ())]
    fields = {name: edited.fields[name] for name in taken if name in unedited.fields}
    guesses, lens = unedited.fields.get("lens_tokens"), moved.tensors.get("lens.top_probability")
    if guesses and lens and (index := places.get(lens.axes[1])):
        no_guess = [""] * lens.data.shape[-1]
        fields["lens_tokens"] = [
            [no_guess if place is None else row[place] for place in index] for row in guesses
        ]
    return replace(moved, fields=unedited.fields | fields, inputs=moved.axes)
