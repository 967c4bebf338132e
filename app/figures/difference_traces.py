"""The difference of two traces of one figure, of the run with edits and of the run without: cells
of a map and points of a line or bar are matched by their names along the axes.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import plotly.graph_objects as go

from app.figures import theme
from app.figures.text import visible

Trace = Any
Numbers = np.ndarray

PICTURES = (("paper", "ink"), ("sunken", "select"))
"""The scales of what is given to both runs, and is no number of either: ink, and chosen tokens."""

FIELD = re.compile(r"%\{(\w+)(?:\[(\d+)\])?(?::\.(\d+)([gf]))?\}")
MOST_SAID = 20_000  # cells of a map that each say what they were: more would take megabytes


@dataclass(frozen=True)
class Side:
    """A trace in its figure."""

    figure: go.Figure
    trace: Trace

    def place(self, which: str) -> str:
        """The key of one of its axes in a layout: xaxis2."""
        return f"{which}axis{(self.trace[f'{which}axis'] or which)[1:]}"

    def names(self, which: str) -> list[str] | None:
        """The names along one of its axes, where there is one at each whole number from 0 on."""
        axis = self.figure.layout[self.place(which)]
        ticks = [float(tick) for tick in axis.tickvals or ()]
        return list(axis.ticktext) if ticks and ticks == list(range(len(ticks))) else None

    @property
    def meta(self) -> dict[str, Any]:
        return self.trace.meta or {}

    @property
    def title(self) -> str:
        """What the trace is called in a sentence."""
        bar = getattr(self.trace, "colorbar", None)
        called = (self.meta.get("column"), self.trace.name, bar and bar.title.text)
        return f"“{next((visible(one) for one in called if one), 'the map')}”"

    def said(self, template: str, **values: Any) -> str:
        """A hover text with its fields filled in, as lines."""

        def filled(match: re.Match) -> str:
            name, index, digits, kind = match.groups()
            value = values.get(name, "")
            if index is not None:
                value = value[int(index)]
            if isinstance(value, str):
                return value
            names = self.names(name) if name in "xy" else None
            if names is not None and float(value).is_integer() and 0 <= value < len(names):
                return names[int(value)]
            return signed(float(value), f".{digits or 3}{kind or 'g'}")

        return FIELD.sub(filled, template.split("<extra>")[0])


@dataclass(frozen=True)
class Subtracted:
    """The difference of two traces: a trace, or None where they have nothing in common. `values`
    says where its numbers are, "z" of a map, "x" or "y" of points, and "" for a picture of what is
    given, which stays as it is; `drawn` are these numbers. `lost` says what has no match.
    """

    trace: Trace
    values: str = ""
    drawn: Numbers = field(default_factory=lambda: np.empty(0))
    lost: list[str] = field(default_factory=list)


def subtract(now: Side, was: Side) -> Subtracted:
    """`now`, a trace of the run with edits, minus `was`, the same of the run without."""
    if isinstance(now.trace, go.Image):
        same = np.array_equal(numbers(now.trace.z), numbers(was.trace.z))
        return Subtracted(now.trace) if same else nothing(now, "is another picture")
    if isinstance(now.trace, go.Heatmap):
        return subtract_maps(now, was)
    return subtract_points(now, was)


def nothing(side: Side, why: str) -> Subtracted:
    return Subtracted(None, lost=[f"{side.title} {why}"])


def subtract_maps(now: Side, was: Side) -> Subtracted:
    """Cell by cell. A cell that names a word, such as the first guess, is left empty where the word
    is another one.
    """
    z, other = numbers(now.trace.z), numbers(was.trace.z)
    if tuple(now.meta.get("scale", ())) in PICTURES and np.array_equal(z, other, equal_nan=True):
        return Subtracted(now.trace)
    if not all(same_places(now.trace[which], was.trace[which]) for which in "xy"):
        return nothing(now, "has its cells in other places")
    rows, columns = (
        matched(now.names(which), was.names(which), n, m)
        for which, n, m in zip("yx", z.shape, other.shape, strict=True)
    )
    if rows is None or columns is None:
        return nothing(now, "has other rows or columns")
    before = other[np.ix_(rows, columns)]
    before[rows < 0], before[:, columns < 0] = np.nan, np.nan
    lost = unmatched(now, was, "y", rows) + unmatched(now, was, "x", columns)
    if now.meta.get("worded"):
        words = np.array([[word(text) for text in row] for row in now.trace.text])
        old = np.array([[word(text) for text in row] for row in was.trace.text])
        others = (words != old[np.ix_(rows, columns)]) & np.isfinite(z) & np.isfinite(before)
        lost += counted(int(others.sum()), now, "another word with the edits than without")
        before[others] = np.nan
    one_sided = np.isfinite(z) != np.isfinite(before)
    if not lost:
        lost += counted(int(one_sided.sum()), now, "a number in only one of the two runs")
    drawn = z - before
    trace = go.Heatmap(now.trace)
    trace.update(z=drawn.astype(z.dtype), colorscale=theme.colorscale("signed"))
    trace.meta = {
        **{name: value for name, value in now.meta.items() if name not in ("said", "names")},
        "scale": "signed",
        "fitted": True,
    }
    trace.colorbar.title.text = f"difference of {now.trace.colorbar.title.text or 'the numbers'}"
    trace.text = texts(now.trace, drawn)
    trace.hovertemplate = "difference <b>%{z:.3g}</b><extra></extra>"
    if z.size <= MOST_SAID:
        trace.customdata = cells_said(now, z, before)
        trace.hovertemplate = f"%{{customdata}}<br>{trace.hovertemplate}"
    return Subtracted(trace, "z", drawn, lost)


def subtract_points(now: Side, was: Side) -> Subtracted:
    """Point by point, of lines, dots and bars; the points stand where they stood with the edits.
    A bar that is not drawn has the length 0.
    """
    axis = "x" if getattr(now.trace, "orientation", None) == "h" else "y"
    along = "y" if axis == "x" else "x"
    values, other = (numbers(side.trace[axis]) for side in (now, was))
    order = points_matched(now, was, along)
    if order is None:
        return nothing(now, "has its points in other places")
    before = (
        np.where(order < 0, np.nan, other[order]) if len(other) else np.full(len(order), np.nan)
    )
    alone = int((order < 0).sum())
    lost = counted(alone, now, "no counterpart without the edits", "points")
    lost += counted(len(other) - len(order) + alone, was, "no counterpart with them", "points")
    if isinstance(now.trace, go.Bar):
        absent = np.isnan(values) & np.isnan(before)
        old = np.where(order < 0, np.nan, np.nan_to_num(before))
        drawn = np.where(absent, np.nan, np.nan_to_num(values) - old)
    else:
        old, drawn = before, values - before
    trace = type(now.trace)(now.trace)
    trace[axis] = drawn
    if isinstance(trace, go.Bar):
        roles = ["below" if value < 0 else "above" for value in drawn]
        trace.marker.color = [theme.colour(role) for role in roles]
        trace.meta = {**trace.meta, "role": roles}
        if trace.base is not None:
            trace[along] = np.round(numbers(trace[along]))
            trace.width = np.full(len(drawn), 0.8)
    trace.meta = {k: v for k, v in trace.meta.items() if k not in ("said", "columns", "hollow")}
    trace.customdata = points_said(now, axis, old)
    trace.hovertemplate = f"%{{customdata}}<br>difference <b>%{{{axis}:.3g}}</b><extra></extra>"
    return Subtracted(trace, axis, drawn, lost)


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
    said = [one for one in as_list(side.trace.customdata) if isinstance(one, str)]
    return [re.split(r"[:,]", one)[0] for one in said] if len(said) == len(side.trace.x) else []


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


def unmatched(now: Side, was: Side, which: str, places: Numbers) -> list[str]:
    """What is said of the rows or columns that only one of the two maps has."""
    mine, others = now.names(which) or [], was.names(which) or []
    what = "rows" if which == "y" else "columns"
    return [
        f"the {what[:-1] if len(lost) == 1 else what} {', '.join(lost)} of {now.title} {there} the"
        " edits"
        for there, lost in (
            ("only with", [mine[i] for i in np.flatnonzero(places < 0)]),
            ("only without", [one for i, one in enumerate(others) if i not in places]),
        )
        if lost
    ]


def counted(n: int, side: Side, what: str, things: str = "cells") -> list[str]:
    return [f"{n} {things[:-1] if n == 1 else things} of {side.title} with {what}"] if n else []


def texts(trace: Trace, drawn: Numbers) -> list[list[str]] | None:
    """What is written in the cells of a map: the difference, after the word where there is one."""
    if trace.text is None:
        return None
    worded = (trace.meta or {}).get("worded")
    return [
        [
            ""
            if not text or np.isnan(value)
            else f"{word(text)}<br>{signed(value)}"
            if worded
            else signed(value)
            for text, value in zip(*both, strict=True)
        ]
        for both in zip(trace.text, drawn, strict=True)
    ]


def cells_said(now: Side, z: Numbers, before: Numbers) -> list[list[str]]:
    """What each cell was with the edits and without them; empty where there is no cell."""
    own, template = now.trace.customdata, now.trace.hovertemplate or "%{z:.3g}"
    say = namer(now)
    xs, ys = (range(n) for n in z.shape[::-1])
    return [
        [
            ""
            if np.isnan(z[r, c]) and (own is None or own[r][c] == "")
            else beside(
                say(r, c)
                + now.said(
                    template, x=c, y=r, z=z[r, c], customdata="" if own is None else own[r][c]
                ),
                before[r, c],
            )
            for c in xs
        ]
        for r in ys
    ]


def namer(side: Side) -> Callable[[int, int], str]:
    """What a cell of small maps is called, whose rows and columns have the same names in each."""
    tiles, names = side.meta.get("tiles"), side.meta.get("names")
    if not (tiles and names):
        return lambda r, c: ""
    height, width = side.meta["size"]
    called = {
        (top + r, left + c): f"{title}: {names[0][r]} → {names[1][c]}<br>"
        for title, top, left, *_ in tiles
        for r in range(height)
        for c in range(width)
    }
    return lambda r, c: called.get((r, c), "")


def points_said(now: Side, axis: str, before: Numbers) -> list[str]:
    """What each point was with the edits and without them."""
    trace, template = now.trace, now.trace.hovertemplate or f"%{{{axis}:.3g}}"
    xs, ys = numbers(trace.x), numbers(trace.y)
    own = trace.customdata
    return [
        beside(now.said(template, x=x, y=y, customdata="" if own is None else own[i]), before[i])
        for i, (x, y) in enumerate(zip(xs, ys, strict=True))
    ]


def beside(said: str, before: float) -> str:
    """What a number is with the edits, and what it is without."""
    return f"{said}, with the edits<br>{signed(before)} without them"


def signed(value: float, how: str = ".3g") -> str:
    """A number to read, with a minus as long as a plus."""
    return "no number" if np.isnan(value) else f"{value:{how}}".replace("-", "−")


def word(text: Any) -> str:
    """The word in a cell that also has a number."""
    return str(text or "").split("<br>")[0]


def numbers(values: Any) -> Numbers:
    """An array of a trace; a number that it does not have is NaN."""
    array = np.asarray([] if values is None else values)
    return array.astype(float) if array.dtype.kind not in "f" else array


def same_places(now: Any, was: Any) -> bool:
    return np.array_equal(numbers(now), numbers(was))
