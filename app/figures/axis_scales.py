"""The axes of panels. Each has a title, and a unit where it has one; its range and its ticks are
stated, so that a picture that is painted before Plotly has come is the same.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from app.captions.text import label, power_of_ten, tick

FEW = 16  # values along an axis of logarithms, each of which is marked
DECADES = 8  # the most powers of ten that are named on an axis
HEADROOM = 0.08  # of its length an axis goes on beyond what lies farthest from 0, on either side

Side = Literal["top"] | None
"""Where the names of an axis stand: over the panel, or for None under it or left of it."""


@dataclass(frozen=True)
class AxisScale:
    """One axis of a panel: its title and unit, its range, and its ticks with what is written at
    each. The range of an axis of logarithms is in powers of ten, as Plotly has it.
    """

    title: str
    range: tuple[float, float]
    ticks: Sequence[float]
    names: Sequence[str]
    unit: str = ""
    type: str = "linear"
    side: Side = None  # names stand over the panel, as those of a matrix do
    frameless: bool = False  # no line and no ticks: what lies along it says itself what it is

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
    """An axis that holds `values` and, unless `low` or `high` says otherwise, 0 and some room
    beyond them.
    """
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
    """An axis of logarithms, marked at powers of ten. It goes from one power of ten, `low`, to
    another, `high`; without them they are whole, and enclose the positive values.
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
    """An axis of logarithms, marked at 1, 2, 5, 10 and so on where it is at most two decades long,
    else at powers of ten.
    """
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
    """An axis of logarithms that is marked at the values that were measured, of many at some."""
    low, high = math.log10(min(values)), math.log10(max(values))
    margin = 0.03 * (high - low or 1)
    shown = apart(values) if len(values) > FEW else list(values)
    names = [tick(value) for value in shown]
    return AxisScale(title, (low - margin, high + margin), shown, names, unit, "log")


def apart(values: Sequence[float]) -> list[float]:
    """The first value, each that is twice the one before it, and the last."""
    shown = [values[0]]
    for value in values:
        if value >= 2 * shown[-1] and value <= 0.8 * values[-1]:
            shown.append(value)
    return [*shown, values[-1]]


def named(title: str, names: Sequence[str], down: bool = False, side: Side = None) -> AxisScale:
    """An axis of names, one at each whole number from 0 on; `down` puts the first on top."""
    ends = (-0.5, len(names) - 0.5)
    places = list(range(len(names)))
    return AxisScale(
        title, ends[::-1] if down else ends, places, [label(name) for name in names], side=side
    )


def counted(
    title: str, first: int, count: int, down: bool = False, side: Side = None, sign: bool = False
) -> AxisScale:
    """An axis of whole numbers from `first` on; `sign` writes the sign of those above 0 too."""
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
