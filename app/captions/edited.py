"""Edits in words: what the chips in the bar say. `model/edits/edit.py` says what the operations
do.
"""

import json
import re
from typing import Any

from app.captions.plain_names import ATTENTIONS, INDICES, plain_name

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
        given = json.loads(edits)
    except (ValueError, RecursionError):
        return [None]
    return given if isinstance(given, list) else [None]


def chips(edits: str | None) -> list[str]:
    """A sentence of a few words for each edit, in their order."""
    return [label(edit) for edit in read(edits)]


def refused(edits: str, detail: str, errors: list[dict]) -> dict[str, Any]:
    """The edit that a refusal is about, by its place, or the field, and what it says. The refusal
    names the place, or in its sentence the activation.
    """
    places = [re.match(r"/edits/(\d+)", str(error.get("pointer"))) for error in errors]
    named = [int(place[1]) for place in places if place]
    listed = [one.get("at") if isinstance(one, dict) else None for one in read(edits)]
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
        return UNREADABLE
    what = WHATS.get(edit["op"], lambda _: shortened(edit["op"]))(edit)
    return f"{place(edit)}: {what}" if edit.get("at") else what


def place(edit: dict[str, Any]) -> str:
    """The activation and the indices in it that an edit changes."""
    at, where = str(edit["at"]), edit.get("where")
    indices = dict(where) if isinstance(where, dict) else {}
    heads = counted("head", indices.pop("head")) if "head" in indices else ""
    rest = [counted(INDICES.get(axis, axis), some) for axis, some in indices.items()]
    return ", ".join(filter(None, [" ".join(filter(None, [whole(at), heads])), value(at), *rest]))


def whole(at: str) -> str:
    """The part of the model that an activation belongs to: decoder layer 2 cross-attention."""
    found = IN_A_LAYER.fullmatch(at)
    if found is None:
        return plain(at)
    stack, layer, part, last = found.groups()
    of = f"{stack} layer {layer}" if layer != "*" else f"{stack}, every layer,"
    named = ATTENTIONS.get(part) or ("feed-forward" if "feed_forward" in part else "")
    return f"{of} {named or plain(f'{part}.{last}')}"


def plain(at: str) -> str:
    """An activation outside of a part that has heads or neurons."""
    stack = re.match(r"(encoder|decoder)\.", at)
    name = plain_name(at)
    return f"{stack[1]} {name}" if stack and name != at else shortened(name)


def value(at: str) -> str:
    """Which numbers of a part are meant; nothing where the whole part is."""
    found = IN_A_LAYER.fullmatch(at)
    if found is None or found[4] in WHOLE_PARTS:
        return ""
    if found[3] not in ATTENTIONS and "feed_forward" not in found[3]:
        return ""
    return SEVERAL.get(found[4], plain_name(at).rpartition(".")[2])


def counted(name: str, indices: Any) -> str:
    """head 1; heads 0 and 2; 12 queries"""
    some = [str(index) for index in indices] if isinstance(indices, list) else [str(indices)]
    several = "queries" if name == "query" else f"{name}s"
    if len(some) > FEW:
        return f"{len(some)} {several}"
    *first, last = some or ["none"]
    return f"{several} {', '.join(first)} and {last}" if first else f"{name} {shortened(last)}"


def off(edit: dict[str, Any]) -> str:
    last = str(edit.get("at", "")).rpartition(".")[2]
    return "off" if last in WHOLE_PARTS else "set to 0"


def mean(edit: dict[str, Any]) -> str:
    return "mean over other inputs" if edit.get("from") else "mean over the positions"


def patched(edit: dict[str, Any]) -> str:
    other = edit.get("from")
    if not isinstance(other, dict):
        return "frozen as without edits"
    told = next((text for text in other.values() if text), "")
    return f"copied from “{shortened(str(told))}”"


def number(edit: dict[str, Any]) -> str:
    """One number as it is written; of several how many there are."""
    given = edit.get("value")
    return f"{given:.3g}" if isinstance(given, int | float) else "a list of numbers"


WHATS = {
    "zero": off,
    "mean": mean,
    "scale": lambda edit: f"× {number(edit)}",
    "set": lambda edit: f"set to {number(edit)}",
    "add": lambda edit: f"plus {number(edit)}",
    "patch": patched,
    "mask": lambda _: "hidden",
    "swap": lambda _: "exchanged",
}
"""What becomes of the numbers, by operation."""


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
