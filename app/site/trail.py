"""The trail of a derivation: from the number asked about, number by number, down to weights. It
stands in an address as text, such as `decoder.0.attention.q-1-3-5*encoder.embedding.sum-3-17`.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from app.captions.sentences import of_derivations
from app.captions.text import visible
from app.site.derivation import Answer, crumb, exact, spoken
from model.labels import label

PLACE = re.compile(r"([a-z_]+\d?(?:\.[a-z0-9_]+)*)((?:-\d{1,6})+)")
STAGES = ("scores", "masked_scores", "pattern")
LEAF = re.compile(r"\.(weight|bias|gain|mask)$|^(embedding\..*|untied|unembedding_bias|patches)$")


class Place(NamedTuple):
    """A number: the name of its tensor, and its index there."""

    name: str
    at: tuple[int, ...]

    @property
    def indices(self) -> str:
        return ",".join(map(str, self.at))

    @property
    def is_leaf(self) -> bool:
        """Weights, masks and the numbers of an input have no derivation: the trail ends there."""
        return bool(LEAF.search(self.name))

    def __str__(self) -> str:
        return f"{self.name}[{', '.join(map(str, self.at))}]"


def read(trail: str) -> list[Place]:
    """The numbers of a trail; what is none is left out from there on."""
    places = []
    for part in trail.split("*"):
        found = PLACE.fullmatch(part)
        if not found:
            break
        places.append(Place(found[1], tuple(map(int, found[2].split("-")[1:]))))
    return places


def explained_with(place: Place) -> list[Place]:
    """What is explained together: a pattern with the scores that it was made of, before and after
    the mask. The last is the number itself.
    """
    scope, _, last = place.name.rpartition(".")
    stages = STAGES[: STAGES.index(last) + 1] if last in STAGES else ()
    return [Place(f"{scope}.{stage}", place.at) for stage in stages] or [place]


def leaf(answer: Answer | None, place: Place) -> dict[str, Any] | None:
    """What an answer of /explain says of a weight or of a cell of a mask that it used: its kind,
    its short name and its value.
    """
    for operand in answer["operands"] if answer else ():
        index, values = operand["index"], operand["values"]
        if operand["name"] != place.name or len(index) != len(place.at):
            continue
        pairs = list(zip(index, place.at, strict=True))
        whole = [(step, i) for step, i in pairs if not isinstance(step, int)]
        if len(whole) > 1 or any(step != i for step, i in pairs if isinstance(step, int)):
            continue
        if not whole:
            return {**operand, "value": values}
        [(part, i)] = whole
        member = i - (part[0] if part else 0)
        if 0 <= member < len(values):
            return {**operand, "value": values[member]}
    return None


def word_of(answer: Answer | None, place: Place) -> str:
    """Which token a row of the embedding belongs to."""
    axes = answer["axes"].values() if answer and place.name == "embedding.token" else ()
    for axis in axes:
        if place.at[0] in (axis.get("ids") or ()):
            token = axis["labels"][axis["ids"].index(place.at[0])]
            return of_derivations("row-of", token=visible(token))
    return ""


def crumbs(trail: Sequence[Place], answers: Sequence[Answer | None]) -> list[dict[str, str]]:
    """Each number of a trail: its place, its name in words, and its value. `answers` are those of
    /explain, None for what has none.
    """
    entries = []
    for place, answer, before in zip(trail, answers, [None, *answers], strict=False):
        used = answer or leaf(before, place)
        name = label(used["short"]) if used else place.name
        words = crumb(answer) if answer else str(place._replace(name=name))
        value = spoken(used["value"]) if used else ""
        entries.append({"place": str(place), "name": words, "value": value})
    return entries


def ending(trail: Sequence[Place], answers: Sequence[Answer | None]) -> dict[str, str] | None:
    """The weight, or the cell of a mask, at which a trail ends: its kind, and its value in words;
    None for another end.
    """
    before, end = answers[-2] if len(answers) > 1 else None, trail[-1]
    found = leaf(before, end) if end.is_leaf else None
    if found is None:
        return None
    return {
        "kind": found["kind"],
        "said": f"{end} = {exact(found['value'])}{word_of(before, end)}",
    }
