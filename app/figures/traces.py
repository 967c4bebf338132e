"""Lines, dots, bars and heat maps. Every trace says what its numbers are when it is pointed at."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from app.figures import theme
from app.figures.plot import Trace, bar, changed, heatmap, scatter


def shared(
    x: ArrayLike, y: ArrayLike, name: str, role: str, hover: str, legend: bool
) -> dict[str, Any]:
    """What lines, dots and bars have in common."""
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
    """A line through measured points, or a stated law, which is dashed and has none. `dash` tells
    measured lines of one colour apart.
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
    """A thin line for each seed, to go with the line of their mean, which is called `name`. `rows`
    has a row for each seed; `several` is what a seed is called.
    """
    own = [f"{name}, {several} {seed}" for seed in seeds]
    thin = [
        line(x, row, one, role, f"{one}<br>{hover}", dots=False)
        for one, row in zip(own, np.asarray(rows), strict=True)
    ]
    return [
        changed(trace, line={"width": 1}, opacity=0.25, legendgroup=name, showlegend=False)
        for trace in thin
    ]


def dots(x: ArrayLike, y: ArrayLike, name: str, role: str, hover: str, **more: Any) -> Trace:
    """Points of one kind, each of which says what it is (`customdata`)."""
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
    """A matrix as colours: "cividis" from `ends`, or "signed" around 0. NaN, a masked score, stays
    empty; if `hatched`, hatching shows through, and if it `says_gaps`, it can be pointed at.
    Without `ends` the scale fits the data, which `meta.fitted` says.
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
    """The ends of a scale that fits the data; around 0 for a signed one."""
    finite = values[np.isfinite(values)]
    most = float(np.abs(finite).max(initial=0)) or 1.0
    return (-most, most) if scale == "signed" else (min(0.0, float(finite.min(initial=0))), most)


def level_marks(
    x: ArrayLike, y: ArrayLike, name: str, role: str, hover: str, share: float, **more: Any
) -> Trace:
    """A level stroke at each point, over a share of the distance between two whole numbers, which
    the runtime makes pixels of.
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
    """The trace with some of its bars or markers as outlines on paper. Its `meta.role` is a list of
    one role for each.
    """
    colours = [theme.colour(role) for role in trace["meta"]["role"]]
    paper, line = theme.colour("paper"), trace["marker"].get("line", {}).get("width", 0)
    both = list(zip(which, colours, strict=True))
    return changed(
        trace,
        marker={
            "color": [paper if empty else own for empty, own in both],
            "line": {
                "color": [own if empty else paper for empty, own in both],
                "width": [1.5 if empty else line for empty in which],
            },
        },
        meta={"hollow": list(which)},
    )
