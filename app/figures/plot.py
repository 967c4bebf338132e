"""A figure as plain data in Plotly's format: a list of traces and a layout, each a dictionary of
attributes. `plotly.graph_objects.Figure(plot)` validates it; nothing here needs it.

A figure consists of panels: traces over one pair of axes each, with annotations and shapes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import orjson

from app.compute.messages import Encoding
from app.compute.wire import NARROWED, typed_array
from app.figures import theme
from app.figures.axis_scales import AxisScale

LEVELS, MANY = 256, 4096
"""The most levels that a byte can represent, and the minimum array size for using them."""
GAP = 0.16  # between panels, as a fraction of the height or width

Trace = dict[str, Any]
"""What is drawn over one pair of axes: lines, points, bars, or a map."""

Plot = dict[str, Any]
"""A whole figure: its traces as `data`, and its `layout`."""


def scatter(**attributes: Any) -> Trace:
    """Lines or points."""
    return {"type": "scatter", **attributes}


def bar(**attributes: Any) -> Trace:
    """Bars."""
    return {"type": "bar", **attributes}


def heatmap(**attributes: Any) -> Trace:
    """A matrix of colors."""
    return {"type": "heatmap", **attributes}


def image(**attributes: Any) -> Trace:
    """A picture, with a color for each pixel."""
    return {"type": "image", **attributes}


def changed(part: dict[str, Any], **attributes: Any) -> dict[str, Any]:
    """The part of a plot, changed in place. Nested attributes are merged."""
    for name, value in attributes.items():
        if isinstance(value, dict):
            changed(part.setdefault(name, {}), **value)
        else:
            part[name] = value
    return part


def with_meta(plot: Plot, **more: Any) -> Plot:
    """The figure with additional text in its `layout.meta`."""
    plot["layout"]["meta"] |= more
    return plot


def six_digits(value: float) -> float:
    """Six significant digits, more than hover texts and tables show."""
    return float(f"{value:.6g}")


def axis_of(trace: Trace, which: str) -> str:
    """The layout's name of the axis that a trace is drawn along: "xaxis2"."""
    return f"{which}axis{trace.get(f'{which}axis', which)[1:]}"


@dataclass(frozen=True)
class Panel:
    """Traces over one pair of axes, with annotations and shapes. If `even`, units have the same
    length in both directions, so that the cells of a matrix are squares.
    """

    x: AxisScale
    y: AxisScale
    traces: Iterable[Trace]
    notes: Sequence[dict[str, Any]] = ()
    shapes: Sequence[dict[str, Any]] = field(default_factory=tuple)
    even: bool = False


@dataclass(frozen=True)
class Row:
    """Panels side by side, and their fraction of the figure's height. If `wrap`, the page may wrap
    them into several lines, in which they are as large as possible.
    """

    count: int
    share: float
    wrap: bool = False
    widths: Sequence[float] = ()  # fractions of the width; by default all equal


def figure(
    *panels: Panel, description: str = "", across: bool = False, rows: Sequence[Row] = ()
) -> Plot:
    """Panels one above the other, side by side if `across`, or in `rows`. `description` describes
    the figure in a sentence, for screen readers; by default, its page does.
    """
    traces: list[Trace] = []
    axes: dict[str, dict[str, Any]] = {}
    count = len(panels)
    lines = rows or ([Row(count, 1)] if across else [Row(1, 1 / count)] * count)
    share = (1 - GAP * (len(panels) - 1)) / len(panels)
    named = (trace for panel in panels for trace in panel.traces)
    names = [trace["name"] for trace in named if trace.get("showlegend")]
    notes: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    for i, panel in enumerate(panels):
        place = str(i + 1) if i else ""
        start = i * (share + GAP)
        along, over = ([start, start + share], [0, 1]) if across else ([0, 1], None)
        up = over or [max(0, 1 - start - share), 1 - start]
        if rows:
            along, up = in_rows(rows, i)
        axes |= {
            f"xaxis{place}": {**panel.x.layout(), "domain": along, "anchor": f"y{place}"},
            f"yaxis{place}": {**panel.y.layout(), "domain": up, "anchor": f"x{place}"},
        }
        if panel.even:
            axes[f"yaxis{place}"]["scaleanchor"] = f"x{place}"
        traces += [{**trace, "xaxis": f"x{place}", "yaxis": f"y{place}"} for trace in panel.traces]
        refs = {"xref": f"x{place}", "yref": f"y{place}"}
        notes += [{**refs, **note} for note in panel.notes]
        for shape in panel.shapes:
            domain = " domain" if shape.get("yref") == "domain" else ""
            shapes.append({**shape, **refs, "yref": f"y{place}{domain}"})
    styles = [note.pop("look", None) for note in notes]
    layout = {
        "template": theme.template(),
        **axes,
        "annotations": notes,
        "shapes": shapes,
        "showlegend": len(set(names)) > 1,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "meta": {
            "description": description,
            "rows": [[row.count, row.share, row.wrap, list(row.widths)] for row in lines],
            **({"notes": styles} if notes else {}),
        },
    }
    return {"data": traces, "layout": layout}


def in_rows(rows: Sequence[Row], number: int) -> tuple[list[float], list[float]]:
    """The bounds of a panel, as fractions of the figure's width and height."""
    top = 1.0
    for row in rows:
        if number < row.count:
            widths, height = row.widths or [1 / row.count] * row.count, row.share
            width, left = widths[number], sum(widths[:number])
            return [left, left + width * (1 - GAP)], [max(0, top - height * (1 - GAP)), top]
        number, top = number - row.count, top - row.share
    raise IndexError(f"There are {-number} panels fewer than asked for.")


def dumps(plots: Any, encoding: Encoding) -> bytes:
    """Plots and their additional text as JSON: arrays as nested lists, in which missing numbers are
    null, or as typed arrays in base64, with large ones of few distinct numbers as levels.
    """
    if encoding == "json":
        return orjson.dumps(plots, as_lists, orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)
    default = in_levels if encoding == "levels" else as_typed_array
    return orjson.dumps(plots, default, orjson.OPT_NON_STR_KEYS)


def as_lists(value: Any) -> Any:
    """An array that orjson cannot write: one of text, or one that is not contiguous."""
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{type(value).__name__} has no form in JSON.")
    return np.ascontiguousarray(value) if value.dtype.kind in "fiu" else value.tolist()


def as_typed_array(value: Any) -> Any:
    """Numbers as base64 bytes; text and integers of more than 32 bits are lists."""
    if isinstance(value, np.generic):
        return orjson.Fragment(orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY))
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{type(value).__name__} has no form in JSON.")
    if value.dtype.kind not in "fiu" or not value.size:
        return value.tolist()
    narrowed = value.astype(NARROWED.get(str(value.dtype), value.dtype))
    whole = value.dtype.kind == "f" or np.array_equal(narrowed, value)
    return typed_array(narrowed) if whole else value.tolist()


def in_levels(value: Any) -> Any:
    """An array with at most 256 distinct numbers, each occurring often, as the list of those
    numbers and a byte per number, its index in the list; any other array is returned as base64. No
    number is rounded. NaN, a missing number, is the last.
    """
    if not isinstance(value, np.ndarray) or value.dtype != np.float32 or value.size < MANY:
        return as_typed_array(value)
    levels = np.unique(value)
    if len(levels) > LEVELS:
        return as_typed_array(value)
    which = np.searchsorted(levels, value).astype(np.uint8)
    return {**typed_array(which), "levels": levels}
