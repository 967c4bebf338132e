"""Switches: another scale of the values or of the colours, offered beside what is drawn.

Ranges, ticks and places of notes come with the figure, so that a page computes none.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from app.captions.text import tick
from app.figures.axis_scales import linear, logarithmic
from app.figures.plot import Plot, Trace, axis_of
from model.labels import label

DECADE = 10.0
Patch = dict[str, Any]


def switches(figure: Plot) -> list[dict[str, Any]]:
    """What can be switched in a figure. Of each switch the first choice is what is drawn; the other
    says what changes in `data` and `layout`, by keys and by places in lists.
    """
    return [*of_values(figure), *of_colours(figure)]


def switch(name: str, called: str, current: str, other: str, patch: Patch) -> dict[str, Any]:
    return {
        "name": name,
        "label": label(called),
        "choices": [{"name": current}, {"name": other, **patch}],
    }


def of_values(figure: Plot) -> Iterator[dict[str, Any]]:
    """From a linear scale to one of logarithms, or back, for all upright axes of one kind together
    where every value is positive and the values span more than a decade.
    """
    for current, other in (("linear", "log"), ("log", "linear")):
        layout: Patch = {}
        for place in places(figure, current):
            layout |= axis_patch(figure, place, other)
        if layout:
            notes = {
                str(i): {"y": moved(note["y"], other)}
                for i, note in enumerate(figure["layout"]["annotations"])
                if f"yaxis{note['yref'][1:]}" in layout
            }
            patch = {"layout": {**layout, **({"annotations": notes} if notes else {})}}
            yield switch("values", "Scale of the values", current, other, patch)
            return


def places(figure: Plot, current: str) -> Iterator[str]:
    """The upright axes of this type that may swap their values: "yaxis", "yaxis2" and so on."""
    layout = figure["layout"]
    for place in dict.fromkeys(axis_of(trace, "y") for trace in figure["data"]):
        axis, mine = layout[place], drawn_along(figure, place)
        if axis["type"] == current and of_numbers(axis) and can_be_both(mine):
            here = [
                item
                for item in [*layout["shapes"], *layout["annotations"]]
                if item["yref"] == mine[0]["yaxis"]
            ]
            ends = [item[end] for item in here for end in ("y0", "y1", "y") if end in item]
            if current == "log" or all(end > 0 for end in ends):
                yield place


def drawn_along(figure: Plot, place: str) -> list[Trace]:
    """The traces over an upright axis."""
    return [trace for trace in figure["data"] if axis_of(trace, "y") == place]


def of_numbers(axis: dict[str, Any]) -> bool:
    """Whether the ticks of an axis are its numbers, and no names."""
    return axis["type"] == "log" or axis["ticktext"] == [tick(value) for value in axis["tickvals"]]


def can_be_both(traces: list[Trace]) -> bool:
    """Whether these are lines and points, all of them positive, over more than a decade. Bars begin
    at 0, which a scale of logarithms has not.
    """
    if any(
        trace["type"] != "scatter" or "fill" in trace or "stackgroup" in trace for trace in traces
    ):
        return False
    values = upright(traces)
    return bool(values.size and values.min() > 0 and values.max() > DECADE * values.min())


def upright(traces: list[Trace]) -> np.ndarray:
    every = np.concatenate([np.asarray(trace["y"], dtype=float).ravel() for trace in traces])
    return every[np.isfinite(every)]


def axis_patch(figure: Plot, place: str, other: str) -> Patch:
    """What changes of one upright axis."""
    values = upright(drawn_along(figure, place))
    make = logarithmic if other == "log" else linear
    axis = make("", values).layout()
    return {
        place: {key: axis[key] for key in ("range", "ticktext", "tickvals", "type")},
    }


def moved(y: float, other: str) -> float:
    """Where a note stands on the other scale; on one of logarithms Plotly counts powers of ten."""
    return math.log10(y) if other == "log" else DECADE**y


def of_colours(figure: Plot) -> Iterator[dict[str, Any]]:
    """From colours between 0 and 1 to colours that fit the numbers, for all maps of the figure."""
    fixed = {
        str(i): np.asarray(trace["z"], dtype=float)
        for i, trace in enumerate(figure["data"])
        if trace["type"] == "heatmap" and (trace["zmin"], trace["zmax"]) == (0, 1)
    }
    if not fixed:
        return
    values = np.concatenate([z[np.isfinite(z)] for z in fixed.values()])
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if high - low < 1e-6:
        return
    ends = {"zmin": low, "zmax": high}
    patch = {"data": {i: {**ends, "meta": {"fitted": True}} for i in fixed}}
    yield switch("colours", "Colors", "0 to 1", "fitted", patch)
