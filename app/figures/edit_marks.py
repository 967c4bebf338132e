"""What an edit did, seen in a map: a head that is off is grey, and what other numbers stand in than
without the edits is marked, cells by their corners and small maps by a frame.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from app.figures import theme
from app.figures.plot import Plot, Trace

CORNER = 0.22  # of a cell's side, along both sides of the corner that is filled
VEIL = "fill rule-strong"
"""The name of the shape over the small maps of heads that are off; it is so in a difference too."""
OFF = ("rule", "sunken")
"""The scale of the weights of a head that is off: all of it is grey."""
TOLD = "Marked in magenta: what is another number than without the edits."

Shape = dict[str, Any]
Corner = tuple[float, float]


def veil(corners: Iterable[Corner], inset: float) -> list[Shape]:
    """Grey over small maps, one step wide and high from these corners on."""
    paths = [
        box(left + inset, left + 1 - inset, top + inset, top + 1 - inset) for left, top in corners
    ]
    grey = {"fillcolor": theme.colour("rule-strong"), "opacity": 0.8, "line": {"width": 0}}
    return [{"type": "path", "path": "".join(paths), "name": VEIL, **grey}] if paths else []


def marked(edited: Plot, plain: Plot) -> Plot:
    """The figure of the run with edits, in which is marked what differs from that without. Maps of
    other sizes are not compared.
    """
    layout = edited["layout"]
    both = zip(edited["data"], plain["data"], strict=False)
    maps = [(now, was) for now, was in both if now["type"] == was["type"] == "heatmap"]
    alike = [(now, was) for now, was in maps if now["z"].shape == was["z"].shape]
    found = [shape for now, was in alike for shape in marks(now, was)]
    layout["shapes"] = [*layout["shapes"], *found]
    if found:
        layout["meta"]["description"] = f"{layout['meta']['description']} {TOLD}"
    return edited


def marks(now: Trace, was: Trace) -> list[Shape]:
    """The marks over one map: one shape, whatever their number."""
    tiles, other = now["meta"].get("tiles"), differs(now, was)
    if tiles:
        high, wide = now["meta"]["size"]
        paths = [
            box(now["x"][left], now["x"][left + wide], now["y"][top], now["y"][top + high])
            for _, top, left, *_ in tiles
            if other[top : top + high, left : left + wide].any()
        ]
        look: Shape = {"line": {"color": theme.colour("edited"), "width": 2}}
        name = "line edited"
    else:
        paths = [corner(x - 0.5, y - 0.5) for y, x in np.argwhere(other)]
        look = {"fillcolor": theme.colour("edited"), "line": {"width": 0}}
        name = "fill edited"
    refs = {"xref": now["xaxis"], "yref": now["yaxis"], "layer": "above"}
    return [{"type": "path", "path": "".join(paths), "name": name, **refs, **look}] if paths else []


def differs(now: Trace, was: Trace) -> np.ndarray:
    """The cells that show another number: as it is printed in them, or else as it is drawn."""
    texts = now.get("text"), was.get("text")
    if all(texts):
        return np.array(texts[0]) != np.array(texts[1])
    return ~np.isclose(now["z"], was["z"], rtol=0, atol=1e-6, equal_nan=True)


def box(x0: float, x1: float, y0: float, y1: float) -> str:
    return f"M{x0},{y0}L{x1},{y0}L{x1},{y1}L{x0},{y1}Z"


def corner(x: float, y: float) -> str:
    return f"M{x},{y}L{x + CORNER},{y}L{x},{y + CORNER}Z"
