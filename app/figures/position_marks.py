"""Marks and texts shared by several figures of /positions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.figures import theme
from app.figures.meta import NoteLook
from app.figures.plot import Plot, Trace, changed
from app.figures.traces import dots, note, outline, upright

if TYPE_CHECKING:
    from model.answers.answer import Answer

MAX_CURVES = 6
CHANNELS = "20,32,44,56"
"""The channels drawn as curves by default."""


def chosen_rows(question: Question, row: str, rows: int) -> list[int]:
    """The selected channels; all heads, or one of many."""
    if row == "head":
        head = within(question.get("head") or 0, 0, rows - 1)
        return [head] if rows > 8 else list(range(rows))
    named = question.get("channels", CHANNELS)
    channels = [] if named == "none" else [int(channel) for channel in named.split(",")]
    return [channel for channel in dict.fromkeys(channels) if channel < rows][:MAX_CURVES]


def texts_of(answer: "Answer") -> list[str]:
    """What the model reads, by the names of its axes."""
    return [
        name.removeprefix("token_norm.")
        for name in answer.tensors
        if name.startswith("token_norm.")
    ]


def frame(left: float, right: float, top: float, bottom: float) -> dict[str, Any]:
    """A rectangle around a selection, over the colors."""
    return outline("ink", left, right, top, bottom, 1.5)


def dotted(x: float) -> dict[str, Any]:
    """A dotted line at a selection, visible on grid lines too."""
    line = {"color": theme.colour("ink"), "width": 1, "dash": "2px,3px"}
    return {**upright(x), "line": line, "layer": "above", "name": "line ink"}


def mark(row: int, first: int, columns: int, role: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A line through a row of a map in the color of its curve, and an arrow at the row's edge."""
    left = first - 0.5
    shape = {
        "type": "line",
        "x0": left,
        "x1": left + columns,
        "y0": row,
        "y1": row,
        "line": {"color": theme.colour(role), "width": 2},
        "layer": "above",
        "name": f"line {role}",
    }
    style = NoteLook(kind="title", role=role)
    return shape, note(style, left, row, "▸", xanchor="right", xshift=2)


def if_nothing(values: np.ndarray, first: int = 0) -> list[dict[str, Any]]:
    """A text in a map of only 0, which would otherwise look as if it had failed to load."""
    rows, columns = values.shape
    style = NoteLook(kind="title", role="ink-soft")
    middle = first + (columns - 1) / 2, (rows - 1) / 2
    return [] if values.any() else [note(style, *middle, "every cell is 0")]


def point(x: float, y: float, name: str, role: str, hover: str, **more: Any) -> Trace:
    """The selected point of a line."""
    trace = dots([x], [y], name, role, hover, **more)
    return changed(trace, marker={"size": 8, "opacity": 1}, meta={"tabled": False})


def within(value: float, low: int, high: int) -> int:
    return int(max(low, min(high, value)))


def finite(values: np.ndarray) -> np.ndarray:
    """The numbers of a masked tensor, with NaN for masked entries."""
    return np.where(np.isfinite(values), values, np.nan)


def listed(numbers: Sequence[int] | dict[int, Any]) -> str:
    return ", ".join(str(number) for number in numbers) or "none"


def with_tensor_meta(figure: Plot, answer: "Answer", tensor: str, **more: Any) -> Plot:
    """The figure with text that depends on the answer: its kind, formula, shape, and more."""
    for trace in figure["data"]:
        trace |= {axis: short(trace[axis]) for axis in ("x", "y") if axis in trace}
    figure["layout"]["meta"] |= {**tensor_meta(answer, tensor), **more}
    return figure


def tensor_meta(answer: "Answer", tensor: str) -> dict[str, Any]:
    """The kind, formula and shape of a tensor of this answer."""
    entry = answer.tensors[tensor]
    return {
        "kind": answer.fields.get("kinds", {}).get(tensor, answer.kind),
        "formula": entry.formula,
        "axes": list(entry.axes),
        "shape": list(entry.data.shape),
    }


def has_encoding(answer: "Answer") -> bool:
    """Whether the answer has the scheme's vectors or biases."""
    return not {"encoding", "bias"}.isdisjoint(answer.tensors)


def short(values: np.ndarray) -> np.ndarray:
    """The same numbers in half as many bytes, if they are integers or have 32 bits."""
    if (values == np.round(values)).all():
        return values.astype(np.int16)
    halved = values.astype(np.float32)
    return halved if np.array_equal(halved, values, equal_nan=True) else values
