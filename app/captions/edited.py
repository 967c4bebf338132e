"""Edits in words: the chips in the bar. `model/edits/edit.py` says what the operations do."""

import json
import re
from typing import Any

from app.captions.plain_names import ATTENTIONS, INDICES, layer_of, plain_name
from app.captions.sentences import of_edits
from model.labels import label as in_words

IN_A_LAYER = re.compile(r"(encoder|decoder)\.(\d+|\*)\.([^.]+)\.([^.]+)")
WHOLE_PARTS = ("z", "out", "head_out")
"""Values that stand for the whole part: a head is off if its weighted sum z is 0."""
SEVERAL = {
    "pattern": "weights",
    "scores": "scores",
    "masked_scores": "scores",
    "q": "queries",
    "k": "keys",
    "v": "values",
    "post": "neurons",
    "pre": "inputs of the neurons",
}
"""What the numbers of an activation are called together, by the last word of its name."""
UNREADABLE = "an edit that cannot be read"
LONGEST = 40  # characters of what a reader wrote that a chip repeats
FEW = 4  # indices that a chip lists


def read(edits: str | None) -> list[Any]:
    """The edits of an address. What is no JSON list is one edit that cannot be read."""
    if not edits:
        return []
    try:
        entries = json.loads(edits)
    except (ValueError, RecursionError):
        return [None]
    return entries if isinstance(entries, list) else [None]


def chips(edits: str | None) -> list[str]:
    """A sentence of a few words for each edit, in their order."""
    return [label(edit) for edit in read(edits)]


def refused(edits: str, detail: str, errors: list[dict]) -> dict[str, Any]:
    """The edit that a refusal is about, by its place, or the field, and what it says. The refusal
    names the place, or in its sentence the activation.
    """
    places = [re.match(r"/edits/(\d+)", str(error.get("pointer"))) for error in errors]
    named = [int(place[1]) for place in places if place]
    listed = [edit.get("at") if isinstance(edit, dict) else None for edit in read(edits)]
    named += [at for at, name in enumerate(listed) if name and f"{name!r}" in detail]
    fields = [str(error.get("pointer")).removeprefix("/") for error in errors]
    return {
        "wrong": named[0] if named else None,
        "field": fields[0] if fields else "",
        "refusal": detail,
    }


def label(edit: Any) -> str:
    """decoder layer 2 cross-attention head 1: off"""
    if not isinstance(edit, dict) or not isinstance(edit.get("op"), str):
        return in_words(UNREADABLE)
    what = WHATS.get(edit["op"], lambda _: shortened(edit["op"]))(edit)
    return of_edits("chip", place=place(edit), what=what) if edit.get("at") else what


def place(edit: dict[str, Any]) -> str:
    """The activation and the indices in it that an edit changes."""
    at, where = str(edit["at"]), edit.get("where")
    indices = dict(where) if isinstance(where, dict) else {}
    part = whole(at)
    if "head" in indices:
        part = of_edits("heads", part=part, heads=counted("head", indices.pop("head")))
    rest = [counted(INDICES.get(axis, axis), some) for axis, some in indices.items()]
    return ", ".join(filter(None, [part, value(at), *rest]))


def whole(at: str) -> str:
    """The part of the model that an activation belongs to: decoder layer 2 cross-attention."""
    found = IN_A_LAYER.fullmatch(at)
    if found is None:
        return plain(at)
    stack, layer, part, last = found.groups()
    of = layer_of(stack, layer) if layer != "*" else of_edits("every-layer", stack=stack)
    named = ATTENTIONS.get(part) or ("feed-forward" if "feed_forward" in part else "")
    return of_edits("part", layer=of, part=in_words(named) or plain(f"{part}.{last}"))


def plain(at: str) -> str:
    """An activation outside of a part that has heads or neurons."""
    stack = re.match(r"(encoder|decoder)\.", at)
    name = plain_name(at)
    if stack and name != at:
        return of_edits("in-stack", stack=stack[1], name=name)
    return shortened(name)


def value(at: str) -> str:
    """Which numbers of a part are meant; nothing where the whole part is."""
    found = IN_A_LAYER.fullmatch(at)
    if found is None or found[4] in WHOLE_PARTS:
        return ""
    if found[3] not in ATTENTIONS and "feed_forward" not in found[3]:
        return ""
    return in_words(SEVERAL.get(found[4], "")) or plain_name(at).rpartition(".")[2]


def counted(name: str, indices: Any) -> str:
    """head 1; heads 0 and 2; 12 queries"""
    some = [str(index) for index in indices] if isinstance(indices, list) else [str(indices)]
    names = in_words("queries" if name == "query" else f"{name}s")
    if len(some) > FEW:
        return of_edits("count", n=len(some), names=names)
    if len(some) > 1:
        return of_edits("indices", names=names, indices=tuple(some))
    return of_edits(
        "index", name=in_words(name), index=shortened("".join(some) or in_words("none"))
    )


def off(edit: dict[str, Any]) -> str:
    last = str(edit.get("at", "")).rpartition(".")[2]
    return of_edits("off" if last in WHOLE_PARTS else "zero")


def mean(edit: dict[str, Any]) -> str:
    return of_edits("mean-of-inputs" if edit.get("from") else "mean-of-positions")


def patched(edit: dict[str, Any]) -> str:
    other = edit.get("from")
    if not isinstance(other, dict):
        return of_edits("frozen")
    value_text = next((text for text in other.values() if text), "")
    return of_edits("copied", input=shortened(str(value_text)))


def number(edit: dict[str, Any]) -> str:
    """One number as it is written; of several how many there are."""
    value = edit.get("value")
    return f"{value:.3g}" if isinstance(value, int | float) else of_edits("list")


WHATS = {
    "zero": off,
    "mean": mean,
    "scale": lambda edit: of_edits("scale", number=number(edit)),
    "set": lambda edit: of_edits("set", number=number(edit)),
    "add": lambda edit: of_edits("add", number=number(edit)),
    "patch": patched,
    "mask": lambda _: of_edits("hidden"),
    "swap": lambda _: of_edits("exchanged"),
}
"""What becomes of the numbers, by operation."""


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
