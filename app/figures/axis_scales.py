"""The axes of panels. Each has a title, and a unit if applicable; range and ticks are explicit, so
that a figure drawn before Plotly has loaded looks the same.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from app.captions.text import label, power_of_ten, tick

FEW = 16  # maximum values on a logarithmic axis for marking each
DECADES = 8  # maximum named powers of ten on an axis
HEADROOM = 0.08  # how far an axis extends beyond the largest absolute value, on either side

Side = Literal["top"] | None
"""The side of an axis with its labels: above the panel, or for None below or left of it."""


@dataclass(frozen=True)
class AxisScale:
    """One axis of a panel: its title and unit, its range, and its ticks with labels. The range of a
    logarithmic axis is in powers of ten, as in Plotly.
    """

    title: str
    range: tuple[float, float]
    ticks: Sequence[float]
    names: Sequence[str]
    unit: str = ""
    type: str = "linear"
    side: Side = None  # labels above the panel, as for a matrix
    frameless: bool = False  # no line and no ticks: the labels are part of the plot

    def layout(self) -> dict[str, Any]:
        unit = f" ({self.unit})" if self.unit else ""
        return {
            "range": list(self.range),
            "tickmode": "array",
            "ticktext": list(self.names),
            "tickvals": list(self.ticks),
            "title": {"text": f"{label(self.title)}{unit}"},
            "type": self.type,
            **({"side": self.side} if self.side else {}),
            **({"showgrid": False, "showline": False} if self.frameless else {}),
        }


def linear(
    title: str,
    values: ArrayLike,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    wanted: int = 5,
) -> AxisScale:
    """An axis that includes `values` and, unless `low` or `high` is given, 0 and a margin."""
    finite = np.asarray(values, dtype=float)
    finite = finite[np.isfinite(finite)]
    least = float(finite.min(initial=0)) if low is None else low
    most = float(finite.max(initial=least)) if high is None else high
    room = HEADROOM * (most - least)
    start = least - room * (least < 0) if low is None else low
    end = max(most + room * (most > 0), start + 1e-12) if high is None else high
    ticks = round_numbers(start, end, wanted)
    return AxisScale(title, (start, end), ticks, [tick(value) for value in ticks], unit)


def logarithmic(
    title: str,
    values: ArrayLike,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
) -> AxisScale:
    """A logarithmic axis with ticks at powers of ten. It goes from one power of ten, `low`, to
    another, `high`; by default they are integers that enclose the positive values.
    """
    if low is None or high is None:
        positive = np.asarray(values, dtype=float)
        logs = np.log10(positive[positive > 0])
        low = math.floor(logs.min() + 1e-9) if logs.size else 0
        high = max(math.ceil(logs.max() - 1e-9) if logs.size else 1, low + 1)
    every = max(1, math.ceil((high - low) / DECADES))
    powers = range(math.ceil(low), math.floor(high) + 1, every)
    ticks, names = [10.0**power for power in powers], [power_of_ten(power) for power in powers]
    return AxisScale(title, (low, high), ticks, names, unit, "log")


def rounded(title: str, values: ArrayLike, unit: str = "") -> AxisScale:
    """A logarithmic axis with ticks at 1, 2, 5 for at most two decades, or at powers of ten."""
    positive = np.asarray(values, dtype=float)
    positive = positive[positive > 0]
    low, high = float(positive.min()), float(positive.max())
    if high > 100 * low:
        return logarithmic(title, values, unit)
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    steps = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
    first = max(step for step in steps if step <= low * (1 + 1e-9))
    last = min(step for step in steps if step >= high * (1 - 1e-9) and step > first)
    ticks = [step for step in steps if first <= step <= last]
    ends = (math.log10(first), math.log10(last))
    return AxisScale(title, ends, ticks, [tick(step) for step in ticks], unit, "log")


def at_values(title: str, values: Sequence[float], unit: str = "") -> AxisScale:
    """A logarithmic axis with ticks at the measured values, or at some if there are many."""
    low, high = math.log10(min(values)), math.log10(max(values))
    margin = 0.03 * (high - low or 1)
    marks = apart(values) if len(values) > FEW else list(values)
    names = [tick(value) for value in marks]
    return AxisScale(title, (low - margin, high + margin), marks, names, unit, "log")


def apart(values: Sequence[float]) -> list[float]:
    """The first value, each that is at least twice the previous one, and the last."""
    marks = [values[0]]
    for value in values:
        if value >= 2 * marks[-1] and value <= 0.8 * values[-1]:
            marks.append(value)
    return [*marks, values[-1]]


def named(title: str, names: Sequence[str], down: bool = False, side: Side = None) -> AxisScale:
    """A categorical axis with one name at each integer from 0; `down` puts the first on top."""
    ends = (-0.5, len(names) - 0.5)
    places = list(range(len(names)))
    return AxisScale(
        title, ends[::-1] if down else ends, places, [label(name) for name in names], side=side
    )


def counted(
    title: str, first: int, count: int, down: bool = False, side: Side = None, sign: bool = False
) -> AxisScale:
    """An axis of integers from `first`; `sign` adds a plus sign to positive ones."""
    last = first + count - 1
    ticks = sorted(
        {round(value) for value in round_numbers(first, last, 6 if count > 6 else count)}
    )
    ticks = [value for value in ticks if first <= value <= last]
    names = [f"+{value}" if sign and value > 0 else tick(value) for value in ticks]
    ends = (first - 0.5, last + 0.5)
    return AxisScale(title, ends[::-1] if down else ends, ticks, names, side=side)


def round_numbers(low: float, high: float, wanted: int = 5) -> list[float]:
    """About `wanted` round numbers from `low` to `high`."""
    rough = ((high - low) or 1) / max(1, wanted)
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(m for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]
