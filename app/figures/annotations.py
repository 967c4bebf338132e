"""What stands in a panel beside its traces: words, Plotly's annotations, and shapes."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from app.captions.text import decimals, label
from app.figures import theme
from app.figures.meta import NoteLook
from app.figures.plot import Trace

SUM = "Σ "  # begins the note beside a row that says what its cells add up to


def note(
    look: NoteLook, x: float, y: float, text: str, bold: bool = False, **more: Any
) -> dict[str, Any]:
    """Words at a place, in the colour of the role of their look."""
    font = {"color": theme.colour(look["role"]), **({"weight": "bold"} if bold else {})}
    return {"x": x, "y": y, "text": text, "font": font, "look": look, "showarrow": False, **more}


def beside(
    x: float, y: float, text: str, role: str = "ink", shift: float = 6, **more: Any
) -> dict[str, Any]:
    """What a row or a level bar comes to, at its end."""
    look = NoteLook(kind="sum", role=role)
    return note(look, x, y, text, xanchor="left", xshift=shift, **more)


def at_end(
    x: float, y: float, name: str, role: str, log_x: bool = False, log_y: bool = False
) -> dict[str, Any]:
    """The name of a line at its end, which the runtime pushes apart from others."""
    x, y = math.log10(x) if log_x else x, math.log10(y) if log_y else y
    return note(NoteLook(kind="end", role=role), x, y, label(name), xanchor="left", xshift=8)


def fitting(until: float, role: str) -> NoteLook:
    """The look of a note that ends before a place: what does not fit is left out."""
    return NoteLook(kind="fit", role=role, until=round(until, 6))


def end_of(trace: Trace, log_x: bool = False, log_y: bool = False) -> dict[str, Any]:
    """The name of a line at its end, in its colour."""
    x, y = trace["x"][-1], trace["y"][-1]
    return at_end(x, y, trace["name"], trace["meta"]["role"], log_x, log_y)


def fill(role: str, x0: float, x1: float, y0: float, y1: float, width: int = 0) -> dict[str, Any]:
    """A rectangle below what is drawn, in the colour of a role, with a frame of some width."""
    return {
        "type": "rect",
        "x0": x0,
        "x1": x1,
        "y0": y0,
        "y1": y1,
        "fillcolor": theme.colour(role),
        "line": {"color": theme.colour("rule-strong"), "width": width},
        "layer": "below",
        "name": f"fill {role}",
    }


def outline(role: str, x0: float, x1: float, y0: float, y1: float, width: float) -> dict[str, Any]:
    """A rectangle around what is chosen, over what is drawn, in the colour of a role."""
    return {
        "type": "rect",
        "x0": x0,
        "x1": x1,
        "y0": y0,
        "y1": y1,
        "line": {"color": theme.colour(role), "width": width},
        "layer": "above",
        "name": f"line {role}",
    }


def whole(said: str) -> str:
    """Words that stay together, as a formula does."""
    return said.replace(" ", "\u00a0")


def row_sums(values: ArrayLike) -> list[dict[str, Any]]:
    """The sum of each row of a matrix, beside the row."""
    rows = np.asarray(values, dtype=float)
    totals = enumerate(np.nansum(rows, 1))
    said = [("sum", -0.5, "bottom"), *((decimals(total), i, "middle") for i, total in totals)]
    right = rows.shape[1] - 0.5
    return [beside(right, y, text, "ink-soft", 8, yanchor=anchor) for text, y, anchor in said]


def upright(x: float) -> dict[str, Any]:
    """A dotted line over the whole height of a panel, at the value that was chosen."""
    return {
        "name": "chosen",
        "type": "line",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "yref": "domain",
        "line": {"color": theme.colour("rule-strong"), "width": 1, "dash": "2px,3px"},
        "layer": "below",
    }


def framed(cells: Iterable[tuple[float, float]]) -> list[dict[str, Any]]:
    """Frames around cells (row, column) of a heat map: ink within paper, which is seen on the dark
    and on the light end of a scale.
    """
    inset = 0.46
    path = "".join(
        f"M{c - inset},{r - inset}L{c + inset},{r - inset}L{c + inset},{r + inset}"
        f"L{c - inset},{r + inset}Z"
        for r, c in cells
    )
    if not path:
        return []
    return [
        {
            "type": "path",
            "path": path,
            "line": {"color": theme.colour(role), "width": width},
            "layer": "above",
            "name": f"line {role}",
        }
        for role, width in (("paper", 4), ("ink", 1.5))
    ]
