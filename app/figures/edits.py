"""The effects of an edit in a map, and the switches that turn heads on and off. A head that is off
is gray, and changed numbers are marked, cells by a corner and small maps by a frame.

Over small maps of heads there is a dot for each head, filled if the head is on and hollow if an
edit has turned it off. It covers no cell. Clicking it requests the edits with the head toggled.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import theme
from app.figures.plot import Plot, Trace, changed
from app.figures.traces import dots, open_markers

CORNER = 0.22  # size of a filled corner, as a fraction of a cell's side
VEIL = "fill rule-strong"
"""The name of the shape over the small maps of heads that are off, also in a difference."""
OFF = ("rule", "sunken")
"""The color scale of a head that is off: gray everywhere."""
EXPLANATION = "Magenta marks numbers that the edits changed."

Shape = dict[str, Any]
Corner = tuple[float, float]


def veil(corners: Iterable[Corner], inset: float) -> list[Shape]:
    """Gray over small maps, one step wide and high from these corners."""
    paths = [
        box(left + inset, left + 1 - inset, top + inset, top + 1 - inset) for left, top in corners
    ]
    grey = {"fillcolor": theme.colour("rule-strong"), "opacity": 0.8, "line": {"width": 0}}
    return [{"type": "path", "path": "".join(paths), "name": VEIL, **grey}] if paths else []


def marked(edited: Plot, plain: Plot) -> Plot:
    """The figure of the run with edits, with changes from the run without edits marked. Maps of
    different sizes are not compared.
    """
    layout = edited["layout"]
    both = zip(edited["data"], plain["data"], strict=False)
    maps = [(now, was) for now, was in both if now["type"] == was["type"] == "heatmap"]
    alike = [(now, was) for now, was in maps if now["z"].shape == was["z"].shape]
    found = [shape for now, was in alike for shape in marks(now, was)]
    layout["shapes"] = [*layout["shapes"], *found]
    if found:
        layout["meta"]["description"] = f"{layout['meta']['description']} {EXPLANATION}"
    return edited


def marks(now: Trace, was: Trace) -> list[Shape]:
    """The marks over one map: a single shape for any number of marks."""
    tiles, other = now["meta"].get("tiles"), differs(now, was)
    if tiles:
        high, wide = now["meta"]["size"]
        paths = [
            box(now["x"][left], now["x"][left + wide], now["y"][top], now["y"][top + high])
            for _, top, left, *_ in tiles
            if other[top : top + high, left : left + wide].any()
        ]
        style: Shape = {"line": {"color": theme.colour("edited"), "width": 2}}
        name = "line edited"
    else:
        paths = [corner(x - 0.5, y - 0.5) for y, x in np.argwhere(other)]
        style = {"fillcolor": theme.colour("edited"), "line": {"width": 0}}
        name = "fill edited"
    refs = {"xref": now["xaxis"], "yref": now["yaxis"], "layer": "above"}
    return (
        [{"type": "path", "path": "".join(paths), "name": name, **refs, **style}] if paths else []
    )


def differs(now: Trace, was: Trace) -> np.ndarray:
    """The cells with a different number, as printed in them or else as drawn."""
    texts = now.get("text"), was.get("text")
    if all(texts):
        return np.array(texts[0]) != np.array(texts[1])
    return ~np.isclose(now["z"], was["z"], rtol=0, atol=1e-6, equal_nan=True)


def box(x0: float, x1: float, y0: float, y1: float) -> str:
    return f"M{x0},{y0}L{x1},{y0}L{x1},{y1}L{x0},{y1}Z"


def corner(x: float, y: float) -> str:
    return f"M{x},{y}L{x + CORNER},{y}L{x},{y + CORNER}Z"


Edit = dict[str, Any]
ALONG = 0.12  # position of the dot from the left edge, in the gap above the map, in small maps
SIZE = 7
REACH = 3  # clickable pixels around a dot
SENTENCES = {
    False: "this head is <b>on</b>: click to turn it off",
    True: "this head is <b>off</b>: click to turn it on",
}


@dataclass(frozen=True)
class Switch:
    """A head: its attention layer's name, its index, and the corner of its small map."""

    attention: str
    head: int
    heads: int
    corner: tuple[float, float]


def switches(heads: Sequence[Switch], edits: Sequence[Edit]) -> Trace:
    """The dots of all heads, in order."""
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
    """The heads of the same layer that an edit turns off; none if it does anything else."""
    where = edit.get("where") or {}
    at = f"{head.attention}.z"
    if (edit["op"], edit["at"]) != ("zero", at) or set(where) - {"head"}:
        return []
    return where.get("head", list(range(head.heads)))


def turned(edits: Sequence[Edit], head: Switch) -> list[Edit]:
    """The edits with the head toggled."""
    if not is_off(edits, head):
        return [*edits, {"op": "zero", "at": f"{head.attention}.z", "where": {"head": [head.head]}}]
    return list(without(edits, head))


def without(edits: Sequence[Edit], head: Switch) -> Iterator[Edit]:
    """The edits without turning the head off."""
    for edit in edits:
        off = turned_off(edit, head)
        others = [other for other in off if other != head.head]
        if head.head not in off:
            yield edit
        elif others:
            yield {**edit, "where": {"head": others}}


def encode(edits: Sequence[Edit]) -> str:
    """As in a query string; "" if there are none."""
    return json.dumps(edits, ensure_ascii=False, separators=(",", ":")) if edits else ""
