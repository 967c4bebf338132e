"""The texts of traces by where they stand, each at its cell."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tests.app.drawn.naming import Cell, Text
from tests.app.drawn.shown import Trace, axis_of, common_of, near, within
from tests.app.drawn.tagging import Origins

Parts = Iterator[tuple[str, list[Text]]]
"""Texts of a trace, by where they stand."""


def parts_of(figure: go.Figure, group: list[Trace]) -> dict[str, dict[int, list[Text]]]:
    """The texts of traces by where they stand, each at its cell."""
    found: dict[str, dict[int, list[Text]]] = {}
    for trace in group:
        for texts_in in (of_all, of_data, of_other_axis, of_picks, of_tiles):
            for part, texts in texts_in(figure, trace):
                if texts:
                    found.setdefault(part, {})[trace.number] = texts
    return found


def of_all(figure: go.Figure, trace: Trace) -> Parts:
    """What is said of a whole trace: its name, its hover and the titles of its axes."""
    series = trace.trace
    texts = {
        "name": series.name,
        "hover": (series.hovertemplate or "").replace("<extra></extra>", "").replace("<br>", " / "),
        "x title": axis_of(figure, trace.panel, "x").title.text,
        "y title": axis_of(figure, trace.panel, "y").title.text,
    }
    if series.type == "heatmap" and series.colorbar and series.showscale is not False:
        texts["colour title"] = series.colorbar.title.text
    for part, text in texts.items():
        yield part, [Text(text or "", trace.fixed())]


def of_data(figure: go.Figure, trace: Trace) -> Parts:
    """What stands with each number."""
    for part in ("customdata", "text", "hovertext"):
        values = getattr(trace.trace, part, None)
        if values is not None:
            yield from (of_each if trace.cells else of_numbers)(part, values, trace)


def of_other_axis(figure: go.Figure, trace: Trace) -> Parts:
    """The number across from each number of a line, where its cells differ."""
    other = {"y": "x", "x": "y"}.get(trace.of)
    moves = len({tuple(sorted(cell.items())) for cell in trace.cells.values()}) > 1
    if other and getattr(trace.trace, other) is not None and (moves or len(trace.cells) == 1):
        along = getattr(trace.trace, other)
        yield (
            other,
            [
                Text("" if at is None else f"{float(at):g}".replace("-", "−"), cell)
                for (i, *_), cell in trace.cells.items()
                for at in [along[i]]
            ],
        )


def of_picks(figure: go.Figure, trace: Trace) -> Parts:
    """What a click chooses: in a cell, in a row or in a column."""
    meta = trace.trace.meta or {}
    for name, values in (meta.get("pick") or {}).items():
        if np.shape(values)[: trace.numbers.ndim] == trace.numbers.shape:
            texts = [Text(str(at(values, place)), cell) for place, cell in trace.cells.items()]
            yield f"pick {name}", texts
    for line, which in (("row", 0), ("column", -1)):
        for name, values in (meta.get(f"pick_{line}") or {}).items():
            numbers = dict.fromkeys(place[which] for place in trace.cells)
            texts = [
                Text(str(values[i]), common_of(trace.cells, which, i))
                for i in numbers
                if i < len(values)
            ]
            yield f"pick {line} {name}", texts


def of_tiles(figure: go.Figure, trace: Trace) -> Parts:
    """What is said of each of several small maps."""
    tiles = []
    for i, (title, top, left, *more) in enumerate((trace.trace.meta or {}).get("tiles") or ()):
        inside = within(trace, top, left, *trace.trace.meta["size"])
        parts = [
            ", ".join(f"{key} {value}" for key, value in part.items())
            if isinstance(part, dict)
            else str(part)
            for part in (*more, title)
        ]
        tiles.append(Text(" / ".join(parts), {**inside, "tile": i}))
    yield "tiles", tiles


def at(values: Any, place: tuple[int, ...]) -> Any:
    for i in place:
        values = values[i]
    return values


def of_numbers(part: str, values: Any, trace: Trace) -> Parts:
    """The texts of a trace whose numbers count, or are made of several."""
    for _ in range(trace.numbers.ndim - 1):
        values = [inner for row in values for inner in row]
    several = any(isinstance(each, list | tuple) for each in values)
    by_kind = zip(*values, strict=False) if several else [values]
    for i, texts in enumerate(by_kind):
        yield (
            f"{part}{i if several else ''}",
            [
                Text(of_origin(text, {}, trace.origins) if isinstance(text, float) else str(text))
                for text in texts
                if text is not None
            ],
        )


def of_origin(number: float, cell: Cell, origins: Origins) -> str:
    """The tensor or the field that a number is from, and whether at the same cell."""
    if not (found := origins.of_number(number)):
        return ""
    source = origins.sources[found[0][0]]
    here = all(cell.get(axis, at) == at for axis, at in zip(source.axes, found[0][1], strict=False))
    return f"⟦{source.name.removeprefix('fields.')}{'' if here else ' of another place'}⟧"


def of_each(part: str, values: Any, trace: Trace) -> Parts:
    """The texts of each cell; where there are several for a cell, each kind by its number."""
    by_kind: dict[str, list[Text]] = {}
    for place, cell in trace.cells.items():
        try:
            entry = at(values, place)
        except (IndexError, TypeError):
            continue
        value = float(trace.numbers[place])
        several = isinstance(entry, list | tuple | np.ndarray)
        for i, inner in enumerate(entry if several else [entry]):
            text = str(inner)
            if isinstance(inner, float):
                is_same = near(value, inner) or not math.isfinite(inner)
                text = (not is_same and of_origin(inner, cell, trace.origins)) or plain(inner)
            by_kind.setdefault(f"{part}{i if several else ''}", []).append(Text(text, cell, value))
    yield from by_kind.items()


def plain(number: float) -> str:
    """A number with six digits, as a reader would write it."""
    if not math.isfinite(number) or not number:
        return "0" if number == 0 else ""
    digits = max(0, 5 - math.floor(math.log10(abs(number))))
    return f"{number:.{digits}f}".replace("-", "−")
