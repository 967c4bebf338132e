"""The difference of two traces of one figure, of the run with edits and of the run without: cells
of a map and points of a line or bar are matched by their names along the axes.
"""

from dataclasses import dataclass, field

import numpy as np

from app.figures import theme
from app.figures.difference_names import (
    Numbers,
    Side,
    matched,
    numbers,
    points_matched,
    same_places,
)
from app.figures.difference_said import cells_said, points_said, texts, word
from app.figures.plot import Trace

PICTURES = (("paper", "ink"), ("sunken", "select"))
"""The scales of what is given to both runs, and is no number of either: ink, and chosen tokens."""

MAX_SAID = 20_000  # cells of a map that each say what they were: more would take megabytes


@dataclass(frozen=True, eq=False)
class Subtracted:
    """The difference of two traces: a trace, empty where they have nothing in common. `values` says
    where its numbers are, "z" of a map, "x" or "y" of points, and "" for a picture of what is
    given, which stays as it is; `drawn` are these numbers. `lost` says what has no match.
    """

    trace: Trace = field(default_factory=dict)
    values: str = ""
    drawn: Numbers = field(default_factory=lambda: np.empty(0))
    lost: list[str] = field(default_factory=list)


def subtract(now: Side, was: Side) -> Subtracted:
    """`now`, a trace of the run with edits, minus `was`, the same of the run without."""
    if now.trace["type"] == "image":
        same = np.array_equal(numbers(now.trace["z"]), numbers(was.trace["z"]))
        return Subtracted(now.trace) if same else nothing(now, "is another picture")
    if now.trace["type"] == "heatmap":
        return subtract_maps(now, was)
    return subtract_points(now, was)


def nothing(side: Side, why: str) -> Subtracted:
    return Subtracted(lost=[f"{side.title} {why}"])


def subtract_maps(now: Side, was: Side) -> Subtracted:
    """Cell by cell. A cell that names a word, such as the first guess, is left empty where the word
    is another one.
    """
    z, other = numbers(now.trace["z"]), numbers(was.trace["z"])
    if tuple(now.meta.get("scale", ())) in PICTURES and np.array_equal(z, other, equal_nan=True):
        return Subtracted(now.trace)
    if not all(same_places(now.trace.get(which), was.trace.get(which)) for which in "xy"):
        return nothing(now, "has its cells in other places")
    rows, columns = (
        matched(now.names(which), was.names(which), n, m)
        for which, n, m in zip("yx", z.shape, other.shape, strict=True)
    )
    if rows is None or columns is None:
        return nothing(now, "has other rows or columns")
    found = (rows >= 0)[:, None] & (columns >= 0)
    before = np.where(found, other[np.ix_(rows, columns)], np.nan)
    alone = found & (np.isfinite(z) != np.isfinite(before))
    old = other_words(now, was, rows, columns) if now.meta.get("worded") else np.full(z.shape, "")
    renamed = (old != "") & np.isfinite(z) & np.isfinite(before)
    drawn = np.where(renamed, np.nan, z - before)
    lost = [
        *unmatched(now, was, "y", rows),
        *unmatched(now, was, "x", columns),
        *counted(int(alone.sum()), now, "a number in only one of the two runs"),
        *counted(int(renamed.sum()), now, "another word with the edits than without"),
    ]
    return Subtracted(map_of(now, z, before, drawn, np.where(renamed, old, "")), "z", drawn, lost)


def other_words(now: Side, was: Side, rows: Numbers, columns: Numbers) -> np.ndarray:
    """The words of the cells without the edits, "" where they are the same with them."""
    mine, others = (
        np.array([[*map(word, row)] for row in side.trace["text"]]) for side in (now, was)
    )
    others = others[np.ix_(rows, columns)]
    return np.where(mine == others, "", others)


def map_of(now: Side, z: Numbers, before: Numbers, drawn: Numbers, old: np.ndarray) -> Trace:
    """The map of the numbers `drawn`, in the colours of differences."""
    kept = {name: value for name, value in now.meta.items() if name not in ("said", "names")}
    bar, hover = now.trace["colorbar"], "difference <b>%{z:.3g}</b><extra></extra>"
    unit = f"difference of {bar['title']['text'] or 'the numbers'}"
    trace = {
        **now.trace,
        "z": drawn.astype(z.dtype),
        "colorscale": theme.colorscale("signed"),
        "colorbar": {**bar, "title": {**bar["title"], "text": unit}},
        "meta": {**kept, "scale": "signed", "fitted": True},
        "hovertemplate": hover,
    }
    if "text" in trace:
        trace["text"] = texts(now, drawn, old)
    if z.size <= MAX_SAID:
        trace["customdata"] = cells_said(now, z, before)
        trace["hovertemplate"] = f"%{{customdata}}<br>{hover}"
    return trace


def subtract_points(now: Side, was: Side) -> Subtracted:
    """Point by point, of lines, dots and bars; the points stand where they stood with the edits.
    A bar that is not drawn has the length 0.
    """
    axis = "x" if now.trace.get("orientation") == "h" else "y"
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
    if now.trace["type"] == "bar":
        absent = np.isnan(values) & np.isnan(before)
        old = np.where(order < 0, np.nan, np.nan_to_num(before))
        drawn = np.where(absent, np.nan, np.nan_to_num(values) - old)
    else:
        old, drawn = before, values - before
    trace = {
        **now.trace,
        axis: drawn,
        "meta": {k: v for k, v in now.meta.items() if k not in ("said", "columns", "hollow")},
        "customdata": points_said(now, axis, old),
        "hovertemplate": f"%{{customdata}}<br>difference <b>%{{{axis}:.3g}}</b><extra></extra>",
    }
    if trace["type"] == "bar":
        coloured(trace, along, drawn)
    return Subtracted(trace, axis, drawn, lost)


def coloured(bars: Trace, along: str, drawn: Numbers) -> None:
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
