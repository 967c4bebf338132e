"""The difference of two traces of one figure, of the run with edits and of the run without. Cells
of a map and points of a line or bar are matched by what they are called, or else by their places.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.captions.text import counted, visible
from app.figures import theme
from app.figures.plot import Plot, Trace, axis_of

Numbers = np.ndarray

GIVEN = (("paper", "ink"), ("sunken", "select"))
"""The scales of what is given to both runs, and is no number of either: ink, and chosen tokens."""

MAX_TEXTS = 20_000  # cells of a map that each say what they were: more would take megabytes


@dataclass(frozen=True)
class Side:
    """A trace in its figure."""

    figure: Plot
    trace: Trace

    @property
    def meta(self) -> dict[str, Any]:
        return self.trace.get("meta", {})

    @property
    def title(self) -> str:
        """What the trace is called in a sentence."""
        unit = self.trace["colorbar"]["title"]["text"] if "colorbar" in self.trace else ""
        called = (self.meta.get("column"), self.trace.get("name"), unit)
        return f"“{next((visible(one) for one in called if one), 'the map')}”"

    def names(self, which: str) -> list[str]:
        """The names along one of its axes, where there is one at each whole number from 0 on."""
        axis = self.figure["layout"][axis_of(self.trace, which)]
        whole = list(axis["tickvals"]) == list(range(len(axis["tickvals"])))
        return list(axis["ticktext"]) if whole else []

    def points(self, along: str) -> Sequence[Hashable]:
        """What its points are called: as the trace says, by the names along an axis, or by where
        they stand.
        """
        if called := self.meta.get("rows") or self.meta.get("steps"):
            return called
        names, places = self.names(along), numbers(self.trace[along])
        near = places.round()
        inside = names and ((near >= 0) & (near < len(names))).all()
        return [names[int(place)] for place in near] if inside else places.tolist()


@dataclass(frozen=True, eq=False)
class Subtracted:
    """The difference of two traces: a trace, empty where they have nothing in common. `axis` says
    where its numbers are, "z" of a map, "x" or "y" of points, and "" for what is given to both
    runs, which stays as it is; `drawn` are these numbers, and `sums` those of the rows of a map.
    `lost` says what has no match.
    """

    trace: Trace = field(default_factory=dict)
    axis: str = ""
    drawn: Numbers = field(default_factory=lambda: np.empty(0))
    sums: Numbers = field(default_factory=lambda: np.empty(0))
    lost: list[str] = field(default_factory=list)


def subtract(now: Side, was: Side) -> Subtracted:
    """`now`, a trace of the run with edits, minus `was`, the same of the run without."""
    of_places = now.trace["type"] == "image" or now.meta.get("subtracted") is False
    if of_places or tuple(now.meta.get("scale", ())) in GIVEN:
        if all(same(now.trace.get(which), was.trace.get(which)) for which in "xyz"):
            return Subtracted(now.trace)
        if of_places:
            return Subtracted(lost=[f"{now.title} is another one with the edits"])
    return (subtract_maps if now.trace["type"] == "heatmap" else subtract_points)(now, was)


def subtract_maps(now: Side, was: Side) -> Subtracted:
    """Cell by cell. A cell that names a word, such as the first guess, is left empty where the word
    is another one.
    """
    z, other = numbers(now.trace["z"]), numbers(was.trace["z"])
    if not all(same(now.trace.get(which), was.trace.get(which)) for which in "xy"):
        return Subtracted(lost=[f"{now.title} has its cells in other places"])
    rows, columns = (
        lines_matched(now.names(which), was.names(which), n, m)
        for which, n, m in zip("yx", z.shape, other.shape, strict=True)
    )
    if rows is None or columns is None:
        return Subtracted(lost=[f"{now.title} has other rows or columns"])
    before = at_places(at_places(other, rows).T, columns).T
    known, was_known = np.isfinite(z), np.isfinite(before)
    lost = [
        *unmatched(now, was, "y", known, was_known, rows),
        *unmatched(now, was, "x", known[was_known.any(1)].T, was_known.T, columns),
    ]
    alone = (known != was_known) & np.outer(was_known.any(1), was_known.any(0))
    old = other_words(now, was, rows, columns) if now.meta.get("worded") else np.full(z.shape, "")
    old[~(known & was_known)] = ""
    drawn = np.where(old == "", z - before, np.nan)
    lost += lost_of(alone.sum(), now, "cell", "a number in only one of the two runs")
    lost += lost_of((old != "").sum(), now, "cell", "another word with the edits than without")
    sums = np.where(was_known.any(1), np.nansum(z, 1) - np.nansum(before, 1), np.nan)
    trace = map_of(now, z, before, drawn, old)
    if "rows" in now.meta:  # what the same cells show when another row is chosen
        trace["meta"]["rows"] = numbers(now.meta["rows"]) - numbers(was.meta["rows"])
        drawn = np.append(drawn, trace["meta"]["rows"])
    return Subtracted(trace, "z", drawn, sums, lost)


def lines_matched(now: list[str], was: list[str], n: int, m: int) -> Numbers | None:
    """For each of `n` rows the place of the row of the same name among `m`, -1 where there is none;
    None where they have no names and are not as many.
    """
    if n == m and now == was:
        return np.arange(n)
    return places_of(now, was) if (len(now), len(was)) == (n, m) else None


def other_words(now: Side, was: Side, rows: Numbers, columns: Numbers) -> np.ndarray:
    """The words of the cells without the edits, "" where they are the same with them."""
    mine, others = (
        np.array([[word(text) for text in row] for row in side.trace["text"]])
        for side in (now, was)
    )
    others = others[np.ix_(rows, columns)]
    return np.where(mine == others, "", others)


def map_of(now: Side, z: Numbers, before: Numbers, drawn: Numbers, old: np.ndarray) -> Trace:
    """The map of the numbers `drawn`, in the colours of differences."""
    bar = now.trace["colorbar"]
    unit = f"difference of {bar['title']['text'] or 'the numbers'}"
    kept = {name: value for name, value in now.meta.items() if name != "said"}
    trace = {
        **now.trace,
        "z": drawn.astype(z.dtype),
        "colorscale": theme.colorscale("signed"),
        "colorbar": {**bar, "title": {**bar["title"], "text": unit}},
        "meta": {**kept, "scale": "signed", "fitted": True},
    }
    if "text" in trace:
        worded, how = bool(now.meta.get("worded")), as_printed(now.trace["text"])
        trace["text"] = [
            [cell_text(*cell, worded, how) for cell in zip(*row, strict=True)]
            for row in zip(now.trace["text"], drawn, old, strict=True)
        ]
    if z.size > MAX_TEXTS:
        return {**trace, "hovertemplate": "difference <b>%{z:.3g}</b><extra></extra>"}
    own = now.trace.get("customdata")
    cells = [one for row in own for one in row] if own else [[]] * z.size
    said = explain(trace, "z", cells, z.ravel(), before.ravel(), drawn.ravel())
    trace["customdata"] = [said[at : at + z.shape[1]] for at in range(0, z.size, z.shape[1])]
    return trace


def as_printed(texts: Sequence[Sequence[str]]) -> Callable[[float], str]:
    """How a difference of the numbers in the cells is written: with a sign, and with as many
    decimals as they have, so that it has room where they had.
    """
    said = [str(text or "").split("<br>")[-1] for row in texts for text in row]
    decimals = max((len(one.partition(".")[2]) for one in said), default=0)
    without_zero = any(one.startswith(".") for one in said)

    def printed(value: float) -> str:
        rounded = round(value, decimals)
        text = signed(rounded, f"+.{decimals}f") if rounded else "0"
        return text.replace("0.", ".", 1) if without_zero and abs(rounded) < 1 else text

    return printed


def cell_text(
    text: str, value: float, old: str, worded: bool, printed: Callable[[float], str]
) -> str:
    """What is written in a cell: the difference, after the word where there is one, or the word and
    the `old` one that it is not.
    """
    if old:
        return f"{word(text)}<br>was {old}"
    if not text or np.isnan(value):
        return ""
    return f"{word(text)}<br>{printed(value)}" if worded else printed(value)


def subtract_points(now: Side, was: Side) -> Subtracted:
    """Point by point, of lines, dots and bars; the points stand where they stood with the edits.
    A bar that is not drawn has the length 0.
    """
    axis = "x" if now.trace.get("orientation") == "h" else "y"
    along = "y" if axis == "x" else "x"
    values, other = (numbers(side.trace[axis]) for side in (now, was))
    order = places_of(now.points(along), was.points(along))
    before, alone = at_places(other, order), int((order < 0).sum())
    if not alone and np.isfinite(values).any() and not np.isfinite(before).any():
        return Subtracted(lost=[f"{now.title} is drawn only with the edits"])
    lost = lost_of(alone, now, "point", "no counterpart without the edits")
    lost += lost_of(len(other) - len(order) + alone, was, "point", "no counterpart with them")
    drawn = values - before
    if now.trace["type"] == "bar":
        absent = np.isnan(values) & np.isnan(before)
        before = np.where(order < 0, np.nan, np.nan_to_num(before))
        drawn = np.where(absent, np.nan, np.nan_to_num(values) - before)
    kept = {k: v for k, v in now.meta.items() if k not in ("said", "columns", "hollow")}
    trace = {**now.trace, axis: drawn, "meta": kept}
    own = now.trace.get("customdata") or [[]] * len(values)
    trace["customdata"] = explain(trace, axis, own, values, before, drawn)
    if trace["type"] == "bar":
        colour(trace, along, drawn)
    return Subtracted(trace, axis, drawn, lost=lost)


def colour(bars: Trace, along: str, drawn: Numbers) -> None:
    """Gives bars the colour of their sign. Parts of a sum keep the colour of what they are, filled:
    on which side of 0 they are stacked says their sign.
    """
    if bars.get("base") is None:
        roles = ["below" if value < 0 else "above" for value in drawn]
        bars["meta"].pop("scale", None)
        bars["meta"]["role"], bars["showlegend"] = roles, False
    else:
        roles = bars["meta"]["role"]
        bars[along], bars["width"] = np.round(numbers(bars[along])), np.full(len(drawn), 0.8)
    colours = (
        theme.colour(roles) if isinstance(roles, str) else [theme.colour(role) for role in roles]
    )
    edge = {**bars["marker"].get("line", {}), "color": theme.colour("paper")}
    bars["marker"] = {**bars["marker"], "color": colours, "line": edge}


def explain(
    trace: Trace, axis: str, own: Sequence[Any], now: Numbers, before: Numbers, drawn: Numbers
) -> list[list[Any]]:
    """Has a trace say of each of its numbers what it is with the edits and what without. Returns
    the `customdata`: what the trace says itself of each number, its `own`, and the three numbers.
    """
    rows = [one if isinstance(one, list) else [one] for one in own]
    n = len(rows[0]) if rows else 0
    hover = trace["hovertemplate"].replace("%{customdata}", "%{customdata[0]}")
    hover, place = hover.removesuffix("<extra></extra>"), f"%{{{axis}"
    before_it, _, rest = hover.partition(place)
    how, _, after_it = rest.partition("}")
    value = f"%{{customdata[{n}]}}" if place in hover else ""
    trace["hovertemplate"] = (
        f"{before_it}{value}{after_it}, with the edits<br>%{{customdata[{n + 1}]}} without them"
        f"<br>difference <b>%{{customdata[{n + 2}]}}</b><extra></extra>"
    )
    return [
        [*row, signed(new, how.lstrip(":") or ".3g"), signed(old), signed(apart)]
        for row, new, old, apart in zip(rows, now, before, drawn, strict=True)
    ]


def signed(value: float, how: str = ".3g") -> str:
    """A number to read, with a minus as long as a plus."""
    return "no number" if np.isnan(value) else f"{value:{how}}".replace("-", "−")


def word(text: Any) -> str:
    """The word in a cell that also has a number."""
    return str(text or "").split("<br>")[0]


def numbers(values: Any) -> Numbers:
    """An array of a trace; a number that it does not have, or that is none, is NaN."""
    array = np.asarray([] if values is None else values)
    array = array if array.dtype.kind == "f" else array.astype(float)
    return np.where(np.isfinite(array), array, array.dtype.type(np.nan))


def same(now: Any, was: Any) -> bool:
    return np.array_equal(numbers(now), numbers(was), equal_nan=True)


def at_places(values: Numbers, places: Numbers) -> Numbers:
    """The numbers at places along the first axis, NaN where the place is -1."""
    ends = np.concatenate([values, np.full_like(values, np.nan, shape=(1, *values.shape[1:]))])
    return ends[places]


def places_of(now: Sequence[Hashable], was: Sequence[Hashable]) -> Numbers:
    """The places of names among others, -1 for a name that is missing. The second of two equal
    names is matched with the second.
    """
    known = {name: place for place, name in enumerate(counted_names(was))}
    return np.array([known.get(name, -1) for name in counted_names(now)], dtype=int)


def counted_names(names: Sequence[Hashable]) -> list[tuple[Hashable, int]]:
    seen: Counter = Counter()
    found = []
    for name in names:
        found.append((name, seen[name]))
        seen[name] += 1
    return found


def unmatched(
    now: Side, was: Side, which: str, known: Numbers, was_known: Numbers, places: Numbers
) -> list[str]:
    """What is said of the rows or columns that only one of the two maps has numbers of."""
    what, mine, others = "row" if which == "y" else "column", now.names(which), was.names(which)
    alone = known.any(1) & ~was_known.any(1)
    if len(mine) != len(known):
        return lost_of(alone.sum(), now, what, "numbers only with the edits")
    only_with = [mine[at] for at in np.flatnonzero(alone)]
    only_without = [one for at, one in enumerate(others) if at not in places]
    return [
        f"the {what if len(lost) == 1 else f'{what}s'} {', '.join(lost)} of {now.title} {there} the"
        " edits"
        for there, lost in (("only with", only_with), ("only without", only_without))
        if lost
    ]


def lost_of(n: int, side: Side, thing: str, what: str) -> list[str]:
    return [f"{counted(n, thing)} of {side.title} with {what}"] if n else []
