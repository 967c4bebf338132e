"""The contents of a panel: traces and heat maps with hover texts, annotations and shapes."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from app.captions.text import decimals, label
from app.figures import theme
from app.figures.meta import NoteLook
from app.figures.plot import Trace, bar, changed, heatmap, scatter

SUM = "Σ "  # prefix of the note with a row sum


def shared(
    x: ArrayLike, y: ArrayLike, name: str, role: str, hover: str, legend: bool
) -> dict[str, Any]:
    """The common attributes of lines, dots, and bars."""
    return {
        "x": np.asarray(x, dtype=float),
        "y": np.asarray(y, dtype=float),
        "name": name,
        "hovertemplate": f"{hover}<extra></extra>",
        "legendgroup": name,
        "showlegend": legend,
        "meta": {"role": role},
    }


def line(
    x: ArrayLike,
    y: ArrayLike,
    name: str,
    role: str,
    hover: str,
    dots: bool = True,
    law: bool = False,
    legend: bool = True,
    dash: str = "",
    **more: Any,
) -> Trace:
    """A line through measured points, or a law, which is dashed and has none. `dash` distinguishes
    measured lines of the same color.
    """
    colour = theme.colour(role)
    return scatter(
        **shared(x, y, name, role, hover, legend),
        mode="lines+markers" if dots and not law else "lines",
        line={"color": colour, "width": 2, **({"dash": dash or "4px,4px"} if dash or law else {})},
        marker={"color": colour, "size": 7},
        **more,
    )


def of_seeds(
    x: ArrayLike,
    rows: ArrayLike,
    seeds: Sequence[Any],
    name: str,
    role: str,
    hover: str,
    several: str = "seed",
) -> list[Trace]:
    """A thin line for each seed, behind the line of their mean, named `name`. `rows` has a row for
    each seed; `several` is the name of a seed.
    """
    names = [f"{name}, {several} {seed}" for seed in seeds]
    thin = [
        line(x, row, row_name, role, f"{row_name}<br>{hover}", dots=False)
        for row_name, row in zip(names, np.asarray(rows), strict=True)
    ]
    return [
        changed(trace, line={"width": 1}, opacity=0.25, legendgroup=name, showlegend=False)
        for trace in thin
    ]


def dots(x: ArrayLike, y: ArrayLike, name: str, role: str, hover: str, **more: Any) -> Trace:
    """Points of one kind, each with hover text (`customdata`)."""
    return scatter(
        **shared(x, y, name, role, hover, legend=False),
        mode="markers",
        marker={"color": theme.colour(role), "size": 5, "opacity": 0.6},
        **more,
    )


def bars(
    x: ArrayLike, y: ArrayLike, name: str, role: str, hover: str, legend: bool = False, **more: Any
) -> Trace:
    """Bars from 0."""
    return bar(
        **shared(x, y, name, role, hover, legend),
        marker={"color": theme.colour(role), "line": {"width": 0}},
        **more,
    )


def heat_map(
    z: ArrayLike,
    hover: str,
    scale: theme.Scale = "cividis",
    ends: tuple[float, float] | None = None,
    unit: str = "",
    hatched: bool = False,
    says_gaps: bool = False,
    **more: Any,
) -> Trace:
    """A matrix of colors: "cividis" with `ends`, or "signed" around 0. NaN, a masked score, is
    empty; with `hatched`, it is hatched, and with `says_gaps`, it has hover text. Without `ends`,
    the scale fits the data, as `meta.fitted` says.
    """
    values = np.asarray(z)
    fitted = ends is None
    low, high = ends or fit(values, scale)
    return heatmap(
        z=values,
        zmin=low,
        zmax=high,
        colorscale=theme.colorscale(scale),
        colorbar={"title": {"text": unit, "side": "right"}, "thickness": 12, "outlinewidth": 1},
        hoverongaps=says_gaps,
        hovertemplate=f"{hover}<extra></extra>",
        meta={"scale": scale, "fitted": fitted, "hatched": hatched},
        **more,
    )


def fit(values: np.ndarray, scale: theme.Scale) -> tuple[float, float]:
    """The ends of a scale that fits the data; symmetric around 0 for a signed one."""
    finite = values[np.isfinite(values)]
    most = float(np.abs(finite).max(initial=0)) or 1.0
    return (-most, most) if scale == "signed" else (min(0.0, float(finite.min(initial=0))), most)


def level_marks(
    x: ArrayLike, y: ArrayLike, name: str, role: str, hover: str, share: float, **more: Any
) -> Trace:
    """A horizontal stroke at each point, with a length as a fraction of the distance between
    integers, which the runtime converts to pixels.
    """
    colour = theme.colour(role)
    return scatter(
        x=np.asarray(x, dtype=float),
        y=np.asarray(y),
        name=name,
        mode="markers",
        marker={
            "color": colour,
            "symbol": "line-ew-open",
            "size": 40,
            "line": {"color": colour, "width": 3},
        },
        hovertemplate=f"{hover}<extra></extra>",
        legendgroup=name,
        showlegend=True,
        meta={"role": role, "across": share},
        **more,
    )


def open_markers(trace: Trace, which: Sequence[bool]) -> Trace:
    """The trace with some bars or markers as outlines; its `meta.role` has one role for each."""
    colours = [theme.colour(role) for role in trace["meta"]["role"]]
    paper, line = theme.colour("paper"), trace["marker"].get("line", {}).get("width", 0)
    both = list(zip(which, colours, strict=True))
    return changed(
        trace,
        marker={
            "color": [paper if empty else colour for empty, colour in both],
            "line": {
                "color": [colour if empty else paper for empty, colour in both],
                "width": [1.5 if empty else line for empty in which],
            },
        },
        meta={"hollow": list(which)},
    )


def note(
    style: NoteLook, x: float, y: float, text: str, bold: bool = False, **more: Any
) -> dict[str, Any]:
    """A text at a place, in the color of its style's role."""
    font = {"color": theme.colour(style["role"]), **({"weight": "bold"} if bold else {})}
    return {"x": x, "y": y, "text": text, "font": font, "look": style, "showarrow": False, **more}


def beside(
    x: float, y: float, text: str, role: str = "ink", shift: float = 6, **more: Any
) -> dict[str, Any]:
    """The total of a row or horizontal bar, at its end."""
    style = NoteLook(kind="sum", role=role)
    return note(style, x, y, text, xanchor="left", xshift=shift, **more)


def at_end(
    x: float, y: float, name: str, role: str, log_x: bool = False, log_y: bool = False
) -> dict[str, Any]:
    """The name of a line at its end, which the runtime moves away from others."""
    x, y = math.log10(x) if log_x else x, math.log10(y) if log_y else y
    return note(NoteLook(kind="end", role=role), x, y, label(name), xanchor="left", xshift=8)


def fitting(until: float, role: str) -> NoteLook:
    """The style of a note that must end before a coordinate: what does not fit is hidden."""
    return NoteLook(kind="fit", role=role, until=round(until, 6))


def end_of(trace: Trace, log_x: bool = False, log_y: bool = False) -> dict[str, Any]:
    """The name of a line at its end, in its color."""
    x, y = trace["x"][-1], trace["y"][-1]
    return at_end(x, y, trace["name"], trace["meta"]["role"], log_x, log_y)


def fill(role: str, x0: float, x1: float, y0: float, y1: float, width: int = 0) -> dict[str, Any]:
    """A rectangle below the data, in the color of a role, with a frame of some width."""
    line = {"color": theme.colour("rule-strong"), "width": width}
    filled = {"fillcolor": theme.colour(role), "line": line, "layer": "below"}
    return {**rectangle(x0, x1, y0, y1), **filled, "name": f"fill {role}"}


def outline(role: str, x0: float, x1: float, y0: float, y1: float, width: float) -> dict[str, Any]:
    """A rectangle around a selection, over the data, in the color of a role."""
    line = {"color": theme.colour(role), "width": width}
    return {**rectangle(x0, x1, y0, y1), "line": line, "layer": "above", "name": f"line {role}"}


def rectangle(x0: float, x1: float, y0: float, y1: float) -> dict[str, Any]:
    return {"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1}


def whole(text: str) -> str:
    """Words that stay on one line, as in a formula."""
    return text.replace(" ", "\u00a0")


def row_sums(values: ArrayLike) -> list[dict[str, Any]]:
    """The sum of each row of a matrix, next to the row."""
    rows = np.asarray(values, dtype=float)
    totals = enumerate(np.nansum(rows, 1))
    texts = [("sum", -0.5, "bottom"), *((decimals(total), i, "middle") for i, total in totals)]
    right = rows.shape[1] - 0.5
    return [beside(right, y, text, "ink-soft", 8, yanchor=anchor) for text, y, anchor in texts]


def upright(x: float) -> dict[str, Any]:
    """A dotted line over the whole height of a panel, at the selected value."""
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
    """Frames around cells (row, column) of a heat map: black in white, visible on all."""
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
