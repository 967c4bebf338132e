"""A trace and the slices of the answer that it shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tests.app.drawn.naming import TENSOR, Cell
from tests.app.drawn.slices import Slice, slices_of
from tests.app.drawn.tagging import Origins


def shared(cells: Sequence[Cell]) -> Cell:
    """What all cells have, in the order in which the first has it."""
    common = dict(cells[0]) if cells else {}
    for cell in cells[1:]:
        for axis in [axis for axis, number in common.items() if cell.get(axis) != number]:
            del common[axis]
    return common


@dataclass
class Trace:
    """A trace and its slices, by drawn place the cell and the number there."""

    number: int
    trace: Any
    panel: str
    of: str
    slices: list[Slice]
    left: int
    origins: Origins
    made_of: dict[str, Cell] = field(default_factory=dict)

    @cached_property
    def numbers(self) -> np.ndarray:
        return np.asarray(getattr(self.trace, self.of), dtype=float)

    @cached_property
    def cells(self) -> dict[tuple[int, ...], Cell]:
        return {
            place: {**cell, TENSOR: source}
            for part in self.slices
            for source in [self.origins.sources.index(part.source)]
            for place, cell in part.cells.items()
        }

    def fixed(self) -> Cell:
        """What stands still in all of a trace."""
        every = [
            {**part.fixed, TENSOR: self.origins.sources.index(part.source)} for part in self.slices
        ] or list(self.made_of.values())
        return shared(every)

    def signature(self) -> str:
        return " + ".join(
            f"{part.turned}{part.source.name}"
            + (f"[{', '.join(self.axis(part, axis) for axis in part.names)}]" if part.names else "")
            for part in self.slices
        ) + "".join(
            f" made of {name}[{', '.join(f'{axis}*' for axis in cell if axis != TENSOR)}]"
            for name, cell in self.made_of.items()
        )

    def axis(self, part: Slice, axis: str) -> str:
        if axis in part.fixed:
            return f"{axis}*"
        return f"{axis} {part.moves(axis)}"


def traces_of(figure: go.Figure, origins: Origins) -> list[Trace]:
    """The traces of a figure with what they show."""
    found = []
    for i, trace in enumerate(figure.data):
        panel = (getattr(trace, "xaxis", None) or "x").removeprefix("x") or "1"
        kinds = ["z"] if getattr(trace, "z", None) is not None else ["y", "x"]
        candidates = []
        for kind in kinds:
            slices, left = slices_of(getattr(trace, kind), origins)
            candidates.append(Trace(i, trace, panel, kind, slices, left, origins))
        best = max(candidates, key=lambda candidate: sum(len(each.at) for each in candidate.slices))
        if sum(len(each.at) for each in best.slices) < best.left:  # a few are equal by chance
            best = replace(best, left=best.left + 1, slices=[])
        found.append(best)
    return found


def axis_of(figure: go.Figure, panel: str, which: str) -> Any:
    return figure.layout[f"{which}axis{'' if panel == '1' else panel}"]


def cell_at(traces: list[Trace], panel: str, which: str, value: float) -> Cell | None:
    """What stands still in all that is drawn at one place of an axis."""
    found = []
    for trace in traces:
        if trace.panel == panel:
            at = places_along(trace, which)
            found += [cell for place, cell in trace.cells.items() if near(at(place), value)]
    return shared(found) or None


def places_along(trace: Trace, which: str):
    """The place on an axis of a drawn number, by its place among the numbers."""
    along = getattr(trace.trace, which, None)
    if trace.of == "z":
        shift = 1 if which == "x" else 0

        def at(place: tuple[int, ...]) -> float | None:
            i = place[shift]
            if along is None:
                return float(i)
            return (
                float(along[i])
                if len(along) == trace.numbers.shape[shift]
                else (float(along[i]) + float(along[i + 1])) / 2
            )

        return at
    if along is None:
        return lambda place: None
    return lambda place: float(along[place[0]]) if along[place[0]] is not None else None


def within(trace: Trace, top: int, left: int, height: int, width: int) -> Cell:
    """What stands still in a part of a heat map."""
    cells = [
        cell
        for (row, column), cell in trace.cells.items()
        if top <= row < top + height and left <= column < left + width
    ]
    return shared(cells)


def common_of(cells: Mapping[tuple[int, ...], Cell], which: int, at: int) -> Cell:
    """What stands still in a row or column of cells."""
    return shared([cell for place, cell in cells.items() if place[which] == at])


def near(a: float | None, b: float) -> bool:
    return a is not None and abs(a - b) <= 1e-6 * max(1.0, abs(a), abs(b))
