"""A figure as plain data, in the form that Plotly reads: a list of traces and a layout, each a
dictionary of its attributes. `plotly.graph_objects.Figure(plot)` checks it; nothing here needs it.
"""

from typing import Any

import numpy as np
import orjson

from app.compute.representations import Encoding
from app.compute.wire import NARROWED, typed_array

LEVELS, MANY = 256, 4096
"""The most levels that a byte can tell apart, and the fewest numbers that are written so."""

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


def dumps(plots: Any, encoding: Encoding) -> bytes:
    """Plots, and what else is said with them, as JSON: arrays as nested lists, in which a number
    that is missing is null, or as typed arrays in base64, large ones of few numbers in levels.
    """
    if encoding == "json":
        return orjson.dumps(plots, as_lists, orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)
    written = in_levels if encoding == "levels" else as_typed_array
    return orjson.dumps(plots, written, orjson.OPT_NON_STR_KEYS)


def as_lists(value: Any) -> Any:
    """An array that orjson does not write: one of texts, or one whose numbers are not in order."""
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{type(value).__name__} has no form in JSON.")
    return np.ascontiguousarray(value) if value.dtype.kind in "fiu" else value.tolist()


def as_typed_array(value: Any) -> Any:
    """An array of numbers as bytes in base64. One of texts, and one with a whole number that has
    more than 32 bits, are lists.
    """
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
    """An array that has at most 256 different numbers, and many of each, as the list of those
    numbers and a byte for every number, which says the place of it in the list; any other array as
    it is written in base64. No number is rounded. NaN, a missing number, is the last.
    """
    if not isinstance(value, np.ndarray) or value.dtype != np.float32 or value.size < MANY:
        return as_typed_array(value)
    levels = np.unique(value)
    if len(levels) > LEVELS:
        return as_typed_array(value)
    which = np.searchsorted(levels, value).astype(np.uint8)
    return {**typed_array(which), "levels": levels}
