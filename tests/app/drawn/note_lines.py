"""The lines of the notes and shapes in a figure, each with the cell that it stands at."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tests.app.drawn.cell_names import Namer
from tests.app.drawn.naming import Cell, Text, apart, templates
from tests.app.drawn.shown import Trace, axis_of, cell_at, common_of, near, places_along, within

Place = tuple[Cell, float | None, str, str]


def of_notes(
    figure: go.Figure, traces: list[Trace], namer: Namer, known: Mapping[str, float]
) -> Counter[str]:
    """The notes in a figure, each at the cell that it stands at, if it stands at one."""
    groups: dict[tuple[str, str, str], list[Text]] = {}
    styles = figure.layout.meta.get("notes", ())
    for note, style in zip(figure.layout.annotations or (), styles, strict=True):
        style = style or {"kind": "", "role": ""}
        kind = style["kind"] + "?" * style.get("spare", False)
        of = str(style.get("step", style.get("ground", style["role"])))
        note_role = of if of == style["role"] and kind != "fit" else ""
        cell, value, where, role = stands_at(figure, traces, note, note_role)
        of = "own role" if note_role and note_role == role else of
        groups.setdefault((kind, of, where), []).append(Text(note.text or "", cell, value))
    lines: Counter[str] = Counter()
    several = Counter((kind, where) for kind, of, where in groups if of != "own role")
    for (kind, of, where), texts in groups.items():
        always = several[kind, where] > 1
        for template, count in apart(templates(texts, namer, known), namer, always).items():
            lines[" ".join(filter(None, ("note", kind, of, where))) + f": {template}"] += count
    for shape in figure.layout.shapes or ():
        if shape.name and shape.name.startswith("fill"):
            lines[f"shape {shape.name}: {extent(shape)}"] += 1
        elif shape.name:
            lines[f"shape {shape.name}"] += 1
    return lines


def extent(shape: Any) -> str:
    """The columns and rows that a shape fills, which begin and end at halves, or at 0 or 1."""
    ends = {"x": (shape.x0, shape.x1), "y": (shape.y0, shape.y1)}
    return " ".join(
        f"{which} {low:g} to {high:g}"
        for which, (low, high) in ends.items()
        if low is not None and all(float(2 * end).is_integer() for end in (low, high))
    )


def stands_at(figure: go.Figure, traces: list[Trace], note: Any, note_role: str) -> Place:
    """The cell at which a note stands, its number, of what family of traces, and their role, which
    is the note's own where traces of several stand there.
    """
    panel = (note.xref or "x").split()[0].removeprefix("x") or "1"
    if panel == "paper":
        return {}, None, "paper", ""
    x, y = note.x, note.y
    for which in "xy":
        if axis_of(figure, panel, which).type == "log":
            x, y = (10.0**x, y) if which == "x" else (x, 10.0**y)
    ends: list[Place] = []
    for trace in traces:
        if trace.panel != panel or trace.of == "z":
            continue
        at_x, at_y = places_along(trace, "x"), places_along(trace, "y")
        cells = trace.cells or {(i,): trace.fixed() for i in range(trace.numbers.size)}
        for place, cell in cells.items():
            if near(at_x(place), x) and near(at_y(place), y):
                of = trace.signature() or "a law"
                ends.append((cell, float(trace.numbers[place]), f"at {of}", role_of(trace, place)))
    if ends:
        return next((end for end in ends if end[3] == note_role), ends[0])
    for trace in traces:
        if trace.panel != panel or trace.of != "z":
            continue
        meta = trace.trace.meta or {}
        if "tiles" in meta:
            return tile_at(trace, meta, x, y)
        at_x, at_y = places_along(trace, "x"), places_along(trace, "y")
        for place, cell in trace.cells.items():
            if near(at_x(place), x) and near(at_y(place), y):
                return cell, float(trace.numbers[place]), "in cell", ""
        if rows := [place[0] for place in trace.cells if near(at_y(place), y)]:
            total = float(np.nansum(trace.numbers[rows[0]]))
            return common_of(trace.cells, 0, rows[0]), total, "at row", ""
        if columns := [place[1] for place in trace.cells if near(at_x(place), x)]:
            total = float(np.nansum(trace.numbers[:, columns[0]]))
            return common_of(trace.cells, 1, columns[0]), total, "at column", ""
    lines = [trace for trace in traces if trace.panel == panel]
    for which, at in (("x", x), ("y", y)):
        for place in (at, round(at)):  # beside a bar, a note is of the bar
            if cell := cell_at(lines, panel, which, place):
                return cell, None, f"at {which}", ""
    return {}, None, "elsewhere", ""


def role_of(trace: Trace, place: tuple[int, ...]) -> str:
    """The role of a trace at a place of it."""
    role = (trace.trace.meta or {}).get("role", "")
    return role if isinstance(role, str) else role[place[0]]


def tile_at(trace: Trace, meta: Any, x: float, y: float) -> Place:
    """What stands still in the small map whose heading a note is."""
    height, width = meta["size"]
    edges_x, edges_y = np.asarray(trace.trace.x, float), np.asarray(trace.trace.y, float)
    best = None
    for _, r, c, *_ in meta["tiles"]:
        over = abs(edges_x[c] - x) < 1e-6 and edges_y[r] >= y - 1e-9
        if over and (best is None or edges_y[r] < edges_y[best[0]]):
            best = (r, c)
    if best is None:
        return {}, None, "elsewhere", ""
    return within(trace, *best, height, width), None, "over tile", ""
