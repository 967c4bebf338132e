"""Switches: another scale of the values or of the colours, offered beside what is drawn.

Ranges, ticks and places of notes come with the figure, so that a page computes none.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go

from app.figures.grammar import linear, logarithmic
from app.figures.text import tick

DECADE = 10.0
Patch = dict[str, Any]


def switches(figure: go.Figure) -> list[dict[str, Any]]:
    """What can be switched in a figure. Of each switch the first choice is what is drawn; the other
    says what changes in `data` and `layout`, by keys and by places in lists.
    """
    return [*of_values(figure), *of_colours(figure)]


def switch(name: str, label: str, drawn: str, other: str, patch: Patch) -> dict[str, Any]:
    return {
        "name": name,
        "label": label,
        "choices": [{"name": drawn}, {"name": other, **patch}],
    }


def of_values(figure: go.Figure) -> Iterator[dict[str, Any]]:
    """From a linear scale to one of logarithms, or back, for all upright axes of one kind together
    where every value is positive and the values span more than a decade.
    """
    for drawn, other in (("linear", "log"), ("log", "linear")):
        layout: Patch = {}
        for place in places(figure, drawn):
            layout |= axis_patch(figure, place, other)
        if layout:
            notes = {
                str(i): {"y": moved(note.y, other)}
                for i, note in enumerate(figure.layout.annotations)
                if f"yaxis{(note.yref or '')[1:]}" in layout
            }
            patch = {"layout": {**layout, **({"annotations": notes} if notes else {})}}
            yield switch("values", "Scale of the values", drawn, other, patch)
            return


def places(figure: go.Figure, drawn: str) -> Iterator[str]:
    """The upright axes of this type whose values may stand on the other: "", "2", "3" and so on."""
    for trace in figure.data:
        place = (trace.yaxis or "y")[1:]
        axis = figure.layout[f"yaxis{place}"]
        mine = [one for one in figure.data if (one.yaxis or "y")[1:] == place]
        if trace is mine[0] and axis.type == drawn and of_numbers(axis) and can_be_both(mine):
            shapes = [one for one in figure.layout.shapes if one.yref == f"y{place}"]
            notes = [one for one in figure.layout.annotations if one.yref == f"y{place}"]
            ends = [end for one in shapes for end in (one.y0, one.y1)]
            if drawn == "log" or all(end > 0 for end in [*ends, *(note.y for note in notes)]):
                yield place


def of_numbers(axis: Any) -> bool:
    """Whether the ticks of an axis are its numbers, and no names."""
    return axis.type == "log" or list(axis.ticktext or ()) == [tick(v) for v in axis.tickvals or ()]


def can_be_both(traces: list[Any]) -> bool:
    """Whether these are lines and points, all of them positive, over more than a decade. Bars begin
    at 0, which a scale of logarithms has not.
    """
    if any(not isinstance(one, go.Scatter) or one.fill or one.stackgroup for one in traces):
        return False
    values = upright(traces)
    return bool(values.size and values.min() > 0 and values.max() > DECADE * values.min())


def upright(traces: list[Any]) -> np.ndarray:
    every = np.concatenate([np.asarray(one.y, dtype=float).ravel() for one in traces])
    return every[np.isfinite(every)]


def axis_patch(figure: go.Figure, place: str, other: str) -> Patch:
    """What changes of one upright axis."""
    values = upright([one for one in figure.data if (one.yaxis or "y")[1:] == place])
    make = logarithmic if other == "log" else linear
    axis = make("", values).layout()
    return {
        f"yaxis{place}": {key: axis[key] for key in ("range", "ticktext", "tickvals", "type")},
    }


def moved(y: float, other: str) -> float:
    """Where a note stands on the other scale; on one of logarithms Plotly counts powers of ten."""
    return math.log10(y) if other == "log" else DECADE**y


def of_colours(figure: go.Figure) -> Iterator[dict[str, Any]]:
    """From colours between 0 and 1 to colours that fit the numbers, for all maps of the figure."""
    fixed = {
        str(i): np.asarray(trace.z, dtype=float)
        for i, trace in enumerate(figure.data)
        if isinstance(trace, go.Heatmap) and (trace.zmin, trace.zmax) == (0, 1)
    }
    if not fixed:
        return
    values = np.concatenate([z[np.isfinite(z)] for z in fixed.values()])
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if high - low < 1e-6:
        return
    ends = {"zmin": low, "zmax": high}
    patch = {"data": {i: {**ends, "meta": {"fitted": True}} for i in fixed}}
    yield switch("colours", "Colours", "0 to 1", "fitted", patch)
