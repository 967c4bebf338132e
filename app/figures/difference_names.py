"""Names of the numbers of a trace, by which they are found in the same figure of another run."""

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures.plot import Plot, Trace, axis_of
from app.words.text import visible

Numbers = np.ndarray


@dataclass(frozen=True)
class Side:
    """A trace in its figure."""

    figure: Plot
    trace: Trace

    def place(self, which: str) -> str:
        """The key of one of its axes in a layout: xaxis2."""
        return axis_of(self.trace, which)

    def names(self, which: str) -> list[str] | None:
        """The names along one of its axes, where there is one at each whole number from 0 on."""
        axis = self.figure["layout"][self.place(which)]
        ticks = [float(tick) for tick in axis["tickvals"]]
        return list(axis["ticktext"]) if ticks and ticks == list(range(len(ticks))) else None

    @property
    def meta(self) -> dict[str, Any]:
        return self.trace.get("meta", {})

    @property
    def title(self) -> str:
        """What the trace is called in a sentence."""
        unit = self.trace["colorbar"]["title"]["text"] if "colorbar" in self.trace else ""
        called = (self.meta.get("column"), self.trace.get("name"), unit)
        return f"“{next((visible(one) for one in called if one), 'the map')}”"


def points_matched(now: Side, was: Side, along: str) -> Numbers | None:
    """For each point the place of its counterpart, -1 where it has none: by the names of rows that
    a trace gives its points, by the names along the axis, or by where they stand.
    """
    here, there = (numbers(side.trace[along]) for side in (now, was))
    for called in (
        lambda side: side.meta.get("rows") or side.meta.get("steps"),
        lambda side: names_at(side, along),
    ):
        mine, others = called(now), called(was)
        if mine and others:
            return places_of(mine, others)
    if same_places(here, there):
        return np.arange(len(here))
    mine, others = words_of(now), words_of(was)
    return places_of(mine, others) if mine and others else None


def names_at(side: Side, along: str) -> list[str] | None:
    """The name along an axis at which each point stands."""
    names, places = side.names(along), numbers(side.trace[along])
    inside = names is not None and all(0 <= round(place) < len(names) for place in places)
    return [names[round(place)] for place in places] if names and inside else None


def words_of(side: Side) -> list[str]:
    """What the points are called in their hover texts, before the first colon or comma; an empty
    list where they are not called anything.
    """
    said = [one for one in as_list(side.trace.get("customdata")) if isinstance(one, str)]
    return [re.split(r"[:,]", one)[0] for one in said] if len(said) == len(side.trace["x"]) else []


def as_list(values: Any) -> list:
    return [] if values is None else list(values)


def matched(now: list[str] | None, was: list[str] | None, n: int, m: int) -> Numbers | None:
    """For each of `n` rows the place of the row of the same name among `m`, -1 where there is none;
    None where they have no names and are not as many.
    """
    if n == m and now == was:
        return np.arange(n)
    if now is None or was is None or (len(now), len(was)) != (n, m):
        return None
    return places_of(now, was)


def places_of(now: Sequence[Hashable], was: Sequence[Hashable]) -> Numbers:
    """The places of names among others, -1 for a name that is missing. The second of two equal
    names is matched with the second.
    """
    known = {name: place for place, name in enumerate(numbered(was))}
    return np.array([known.get(name, -1) for name in numbered(now)], dtype=int)


def numbered(names: Sequence[Hashable]) -> list[tuple[Hashable, int]]:
    seen: Counter = Counter()
    found = []
    for name in names:
        found.append((name, seen[name]))
        seen[name] += 1
    return found


def numbers(values: Any) -> Numbers:
    """An array of a trace; a number that it does not have is NaN."""
    array = np.asarray([] if values is None else values)
    return array.astype(float) if array.dtype.kind not in "f" else array


def same_places(now: Any, was: Any) -> bool:
    return np.array_equal(numbers(now), numbers(was))
