"""The difference of two traces of one figure, with and without edits. Cells of a map and points of
a line or bar are matched by name, or else by position.
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

INPUT_SCALES = (("paper", "ink"), ("sunken", "select"))
"""The scales of inputs, which are the same in both runs: ink, and selected tokens."""

MAX_TEXTS = 20_000  # maximum cells with the earlier value as hover text; more would take megabytes


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
        """The name of the trace in a sentence."""
        unit = self.trace["colorbar"]["title"]["text"] if "colorbar" in self.trace else ""
        called = (self.meta.get("column"), self.trace.get("name"), unit)
        return f"“{next((visible(text) for text in called if text), 'the map')}”"

    def names(self, which: str) -> list[str]:
        """The names along one of its axes, if there is one at each integer from 0."""
        axis = self.figure["layout"][axis_of(self.trace, which)]
        whole = list(axis["tickvals"]) == list(range(len(axis["tickvals"])))
        return list(axis["ticktext"]) if whole else []

    def points(self, along: str) -> Sequence[Hashable]:
        """The names of its points: its own, those along an axis, or their coordinates."""
        if called := self.meta.get("rows") or self.meta.get("steps"):
            return called
        names, places = self.names(along), numbers(self.trace[along])
        near = places.round()
        inside = names and ((near >= 0) & (near < len(names))).all()
        return [names[int(place)] for place in near] if inside else places.tolist()


@dataclass(frozen=True, eq=False)
class Subtracted:
    """The difference of two traces: a trace, empty if they have nothing in common. `axis` is the
    axis of its numbers, "z" of a map, "x" or "y" of points, and "" for an input, which is
    unchanged; `differences` are these numbers, and `sums` those of a map's rows. `lost` reports
    what has no match.
    """

    trace: Trace = field(default_factory=dict)
    axis: str = ""
    differences: Numbers = field(default_factory=lambda: np.empty(0))
    sums: Numbers = field(default_factory=lambda: np.empty(0))
    lost: list[str] = field(default_factory=list)


def subtract(now: Side, was: Side) -> Subtracted:
    """`now`, a trace of the run with edits, minus `was`, the same trace of the run without."""
    of_places = now.trace["type"] == "image" or now.meta.get("subtracted") is False
    if of_places or tuple(now.meta.get("scale", ())) in INPUT_SCALES:
        if all(same(now.trace.get(which), was.trace.get(which)) for which in "xyz"):
            return Subtracted(now.trace)
        if of_places:
            return Subtracted(lost=[f"{now.title} differs with the edits"])
    return (subtract_maps if now.trace["type"] == "heatmap" else subtract_points)(now, was)


def subtract_maps(now: Side, was: Side) -> Subtracted:
    """Cell by cell. A cell with a word, such as a prediction, is empty if the word has changed."""
    z, other = numbers(now.trace["z"]), numbers(was.trace["z"])
    if not all(same(now.trace.get(which), was.trace.get(which)) for which in "xy"):
        return Subtracted(lost=[f"{now.title} has its cells in different places"])
    rows, columns = (
        lines_matched(now.names(which), was.names(which), n, m)
        for which, n, m in zip("yx", z.shape, other.shape, strict=True)
    )
    if rows is None or columns is None:
        return Subtracted(lost=[f"{now.title} has different rows or columns"])
    before = at_places(at_places(other, rows).T, columns).T
    known, was_known = np.isfinite(z), np.isfinite(before)
    lost = [
        *unmatched(now, was, "y", known, was_known, rows),
        *unmatched(now, was, "x", known[was_known.any(1)].T, was_known.T, columns),
    ]
    unpaired = (known != was_known) & np.outer(was_known.any(1), was_known.any(0))
    old = other_words(now, was, rows, columns) if now.meta.get("worded") else np.full(z.shape, "")
    old[~(known & was_known)] = ""
    differences = np.where(old == "", z - before, np.nan)
    lost += lost_of(unpaired.sum(), now, "cell", "a number in only one of the two runs")
    lost += lost_of((old != "").sum(), now, "cell", "a different word with the edits")
    sums = np.where(was_known.any(1), np.nansum(z, 1) - np.nansum(before, 1), np.nan)
    trace = map_of(now, z, before, differences, old)
    if "rows" in now.meta:  # the same cells when another row is selected
        trace["meta"]["rows"] = numbers(now.meta["rows"]) - numbers(was.meta["rows"])
        differences = np.append(differences, trace["meta"]["rows"])
    return Subtracted(trace, "z", differences, sums, lost)


def lines_matched(now: list[str], was: list[str], n: int, m: int) -> Numbers | None:
    """For each of `n` rows, the index of the row with the same name among `m`, -1 if there is none;
    None if they have no names and different numbers of rows.
    """
    if n == m and now == was:
        return np.arange(n)
    return places_of(now, was) if (len(now), len(was)) == (n, m) else None


def other_words(now: Side, was: Side, rows: Numbers, columns: Numbers) -> np.ndarray:
    """The words of the cells without edits, "" if they are the same with them."""
    mine, others = (
        np.array([[word(text) for text in row] for row in side.trace["text"]])
        for side in (now, was)
    )
    others = others[np.ix_(rows, columns)]
    return np.where(mine == others, "", others)


def map_of(now: Side, z: Numbers, before: Numbers, differences: Numbers, old: np.ndarray) -> Trace:
    """The map of these `differences`, in their colors."""
    bar = now.trace["colorbar"]
    unit = f"difference of {bar['title']['text'] or 'the numbers'}"
    meta = {name: value for name, value in now.meta.items() if name != "said"}
    trace = {
        **now.trace,
        "z": differences.astype(z.dtype),
        "colorscale": theme.colorscale("signed"),
        "colorbar": {**bar, "title": {**bar["title"], "text": unit}},
        "meta": {**meta, "scale": "signed", "fitted": True},
    }
    if "text" in trace:
        worded, how = bool(now.meta.get("worded")), as_printed(now.trace["text"])
        trace["text"] = [
            [cell_text(*cell, worded, how) for cell in zip(*row, strict=True)]
            for row in zip(now.trace["text"], differences, old, strict=True)
        ]
    if z.size > MAX_TEXTS:
        return {**trace, "hovertemplate": "difference <b>%{z:.3g}</b><extra></extra>"}
    customdata = now.trace.get("customdata")
    cells = [cell for row in customdata for cell in row] if customdata else [[]] * z.size
    hover_rows = explain(trace, "z", cells, z.ravel(), before.ravel(), differences.ravel())
    trace["customdata"] = [hover_rows[at : at + z.shape[1]] for at in range(0, z.size, z.shape[1])]
    return trace


def as_printed(texts: Sequence[Sequence[str]]) -> Callable[[float], str]:
    """How differences are written in cells: with a sign, and the decimals of the numbers."""
    numerals = [str(text or "").split("<br>")[-1] for row in texts for text in row]
    decimals = max((len(numeral.partition(".")[2]) for numeral in numerals), default=0)
    without_zero = any(numeral.startswith(".") for numeral in numerals)

    def printed(value: float) -> str:
        rounded = round(value, decimals)
        text = signed(rounded, f"+.{decimals}f") if rounded else "0"
        return text.replace("0.", ".", 1) if without_zero and abs(rounded) < 1 else text

    return printed


def cell_text(
    text: str, value: float, old: str, worded: bool, printed: Callable[[float], str]
) -> str:
    """The text of a cell: the difference, after the word if there is one, or the word and the `old`
    one that it replaces.
    """
    if old:
        return f"{word(text)}<br>was {old}"
    if not text or np.isnan(value):
        return ""
    return f"{word(text)}<br>{printed(value)}" if worded else printed(value)


def subtract_points(now: Side, was: Side) -> Subtracted:
    """Point by point, for lines, dots, and bars; the points stay where they are with the edits. A
    missing bar counts as 0.
    """
    axis = "x" if now.trace.get("orientation") == "h" else "y"
    along = "y" if axis == "x" else "x"
    values, other = (numbers(side.trace[axis]) for side in (now, was))
    order = places_of(now.points(along), was.points(along))
    before, unpaired = at_places(other, order), int((order < 0).sum())
    if not unpaired and np.isfinite(values).any() and not np.isfinite(before).any():
        return Subtracted(lost=[f"{now.title} is drawn only with the edits"])
    lost = lost_of(unpaired, now, "point", "no counterpart without the edits")
    lost += lost_of(len(other) - len(order) + unpaired, was, "point", "no counterpart with them")
    differences = values - before
    if now.trace["type"] == "bar":
        absent = np.isnan(values) & np.isnan(before)
        before = np.where(order < 0, np.nan, np.nan_to_num(before))
        differences = np.where(absent, np.nan, np.nan_to_num(values) - before)
    meta = {k: v for k, v in now.meta.items() if k not in ("said", "columns", "hollow")}
    trace = {**now.trace, axis: differences, "meta": meta}
    customdata = now.trace.get("customdata") or [[]] * len(values)
    trace["customdata"] = explain(trace, axis, customdata, values, before, differences)
    if trace["type"] == "bar":
        colour(trace, along, differences)
    return Subtracted(trace, axis, differences, lost=lost)


def colour(bars: Trace, along: str, differences: Numbers) -> None:
    """Colors bars by sign. Parts of a sum keep their own colors, filled: the side of 0 on which
    they are stacked shows their sign.
    """
    if bars.get("base") is None:
        roles = ["below" if value < 0 else "above" for value in differences]
        bars["meta"].pop("scale", None)
        bars["meta"]["role"], bars["showlegend"] = roles, False
    else:
        roles = bars["meta"]["role"]
        bars[along], bars["width"] = np.round(numbers(bars[along])), np.full(len(differences), 0.8)
    colours = (
        theme.colour(roles) if isinstance(roles, str) else [theme.colour(role) for role in roles]
    )
    edge = {**bars["marker"].get("line", {}), "color": theme.colour("paper")}
    bars["marker"] = {**bars["marker"], "color": colours, "line": edge}


def explain(
    trace: Trace,
    axis: str,
    customdata: Sequence[Any],
    now: Numbers,
    before: Numbers,
    differences: Numbers,
) -> list[list[Any]]:
    """Adds hover text for each number with its values with and without edits. Returns the rows: the
    trace's own `customdata` for each number, and the three numbers.
    """
    rows = [entry if isinstance(entry, list) else [entry] for entry in customdata]
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
        for row, new, old, apart in zip(rows, now, before, differences, strict=True)
    ]


def signed(value: float, how: str = ".3g") -> str:
    """A formatted number with a true minus sign."""
    return "no number" if np.isnan(value) else f"{value:{how}}".replace("-", "−")


def word(text: Any) -> str:
    """The word in a cell that also contains a number."""
    return str(text or "").split("<br>")[0]


def numbers(values: Any) -> Numbers:
    """An array of a trace, with NaN for missing numbers."""
    array = np.asarray([] if values is None else values)
    array = array if array.dtype.kind == "f" else array.astype(float)
    return np.where(np.isfinite(array), array, array.dtype.type(np.nan))


def same(now: Any, was: Any) -> bool:
    return np.array_equal(numbers(now), numbers(was), equal_nan=True)


def at_places(values: Numbers, places: Numbers) -> Numbers:
    """The numbers at indices along the first axis, NaN if the index is -1."""
    ends = np.concatenate([values, np.full_like(values, np.nan, shape=(1, *values.shape[1:]))])
    return ends[places]


def places_of(now: Sequence[Hashable], was: Sequence[Hashable]) -> Numbers:
    """The indices of names among others, -1 if missing. Repeated names are matched in order."""
    known = {name: place for place, name in enumerate(counted_names(was))}
    return np.array([known.get(name, -1) for name in counted_names(now)], dtype=int)


def counted_names(names: Sequence[Hashable]) -> list[tuple[Hashable, int]]:
    counts: Counter = Counter()
    found = []
    for name in names:
        found.append((name, counts[name]))
        counts[name] += 1
    return found


def unmatched(
    now: Side, was: Side, which: str, known: Numbers, was_known: Numbers, places: Numbers
) -> list[str]:
    """The text about the rows or columns that only one of the two maps has."""
    what, mine, others = "row" if which == "y" else "column", now.names(which), was.names(which)
    unpaired = known.any(1) & ~was_known.any(1)
    if len(mine) != len(known):
        return lost_of(unpaired.sum(), now, what, "numbers only with the edits")
    only_with = [mine[at] for at in np.flatnonzero(unpaired)]
    only_without = [entry for at, entry in enumerate(others) if at not in places]
    return [
        f"the {what if len(lost) == 1 else f'{what}s'} {', '.join(lost)} of {now.title} {there} the"
        " edits"
        for there, lost in (("only with", only_with), ("only without", only_without))
        if lost
    ]


def lost_of(n: int, side: Side, thing: str, what: str) -> list[str]:
    return [f"{counted(n, thing)} of {side.title} with {what}"] if n else []
