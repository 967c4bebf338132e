"""Switches over small maps of heads: a dot at each head, full where the head is on and hollow where
an edit has turned it off. It hides no cell. A click on it asks for the edits with the head turned
the other way.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures.plot import Trace, changed
from app.figures.traces import dots, open_markers

Edit = dict[str, Any]
ALONG = 0.12  # of a small map's side the dot stands from its left edge, in the gap above the map
SIZE = 7
REACH = 3  # pixels around a dot that are its own too
SENTENCES = {
    False: "this head is <b>on</b>: click to turn it off",
    True: "this head is <b>off</b>: click to turn it on",
}


@dataclass(frozen=True)
class Switch:
    """A head: its attention's name, its number among so many, and the corner of its small map."""

    attention: str
    head: int
    heads: int
    corner: tuple[float, float]


def switches(heads: Sequence[Switch], edits: Sequence[Edit]) -> Trace:
    """The dots of all heads, in their order."""
    off = [is_off(edits, head) for head in heads]
    trace = dots(
        [head.corner[0] + ALONG for head in heads],
        [head.corner[1] for head in heads],
        "head on or off",
        "ink",
        "%{customdata}",
        customdata=[SENTENCES[out] for out in off],
    )
    halved = {axis: trace[axis].astype(np.float32) for axis in ("x", "y")}
    changed(trace, **halved, marker={"size": SIZE, "opacity": 1, "line": {"width": 1.5}})
    trace["meta"] = {
        "role": ["ink"] * len(heads),
        "tiles": [],
        "subtracted": False,
        "pick": {"edits": [encode(turned(edits, head)) for head in heads]},
    }
    return open_markers(trace, off)


def is_off(edits: Sequence[Edit], head: Switch) -> bool:
    return any(head.head in turned_off(edit, head) for edit in edits)


def turned_off(edit: Edit, head: Switch) -> list[int]:
    """The heads of the same attention that an edit turns off; none if it does anything else."""
    where = edit.get("where") or {}
    at = f"{head.attention}.z"
    if (edit["op"], edit["at"]) != ("zero", at) or set(where) - {"head"}:
        return []
    return where.get("head", list(range(head.heads)))


def turned(edits: Sequence[Edit], head: Switch) -> list[Edit]:
    """The edits with the head turned on if they turn it off, and else turned off."""
    if not is_off(edits, head):
        return [*edits, {"op": "zero", "at": f"{head.attention}.z", "where": {"head": [head.head]}}]
    return list(without(edits, head))


def without(edits: Sequence[Edit], head: Switch) -> Iterator[Edit]:
    """The edits, none of which turns the head off."""
    for edit in edits:
        off = turned_off(edit, head)
        others = [one for one in off if one != head.head]
        if head.head not in off:
            yield edit
        elif others:
            yield {**edit, "where": {"head": others}}


def encode(edits: Sequence[Edit]) -> str:
    """As an address carries it; "" where there are none."""
    return json.dumps(edits, ensure_ascii=False, separators=(",", ":")) if edits else ""
