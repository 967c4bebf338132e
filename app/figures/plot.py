"""A figure as plain data, in the form that Plotly reads: a list of traces and a layout, each a
dictionary of its attributes. `plotly.graph_objects.Figure(plot)` checks it; nothing here needs it.
"""

from typing import Any

import numpy as np

from app.compute.representations import Encoding
from app.compute.wire import NARROWED, typed_array

Trace = dict[str, Any]
"""What is drawn over one pair of axes: lines, points, bars or a map."""

Plot = dict[str, Any]
"""A whole figure: its traces as `data`, and its `layout`."""


def scatter(**attributes: Any) -> Trace:
    """Lines or points."""
    return {"type": "scatter", **attributes}


def bar(**attributes: Any) -> Trace:
    """Bars."""
    return {"type": "bar", **attributes}


def heatmap(**attributes: Any) -> Trace:
    """A matrix as colours."""
    return {"type": "heatmap", **attributes}


def image(**attributes: Any) -> Trace:
    """A picture, a colour for each pixel."""
    return {"type": "image", **attributes}


def changed(part: dict[str, Any], **attributes: Any) -> dict[str, Any]:
    """The part of a plot, changed in place. Where an attribute has attributes itself, as a marker
    has a size, only those that are named change.
    """
    for name, value in attributes.items():
        if isinstance(value, dict):
            changed(part.setdefault(name, {}), **value)
        else:
            part[name] = value
    return part


def with_meta(plot: Plot, **more: Any) -> Plot:
    """The figure with what else is said of it, in its `layout.meta`."""
    plot["layout"]["meta"] |= more
    return plot


def six_digits(value: float) -> float:
    """Six significant digits, which is more than a hover says and a table shows."""
    return float(f"{value:.6g}")


def axis_of(trace: Trace, which: str) -> str:
    """The name in a layout of the axis that a trace is drawn along: "xaxis2"."""
    return f"{which}axis{trace.get(f'{which}axis', which)[1:]}"


def encoded(value: Any, encoding: Encoding) -> Any:
    """The plot, or a part of it, made of what JSON has a form for: arrays as nested lists, in which
    a number that is missing is null, or as typed arrays in base64.
    """
    if isinstance(value, dict):
        return {name: encoded(inner, encoding) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [encoded(inner, encoding) for inner in value]
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind not in "fiu":
        return value.tolist()
    if encoding == "json" or not value.size:
        return np.ascontiguousarray(value)
    narrowed = value.astype(NARROWED.get(str(value.dtype), value.dtype))
    whole = value.dtype.kind == "f" or np.array_equal(narrowed, value)
    return typed_array(narrowed) if whole else value.tolist()  # a whole number may have 64 bits
