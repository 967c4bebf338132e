"""Figures of /positions: the scheme's vectors or biases as a map with single rows as curves, and
one of five: the shift by one map, similarity, norms, twice the length, all schemes.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.figures.axis_scales import counted, linear
from app.figures.plot import Panel, Plot, Row, changed, figure
from app.figures.position_marks import (
    MAX_CURVES,
    chosen_rows,
    dotted,
    frame,
    if_nothing,
    mark,
    point,
    with_tensor_meta,
    within,
)
from app.figures.traces import at_end, heat_map, line
from model.words import listed

if TYPE_CHECKING:
    from model.answers.answer import Answer


def table(answer: "Answer", question: Question) -> Plot:
    """The scheme's vectors or biases: channels or heads vertically, positions or offsets
    horizontally, and below it the selected rows as curves.
    """
    tensor = "encoding" if "encoding" in answer.tensors else "bias"
    entry = answer.tensors[tensor]
    values = entry.data.numpy() if tensor == "bias" else entry.data.numpy().T
    row, column = entry.axes if tensor == "bias" else reversed(entry.axes)
    turns = answer.fields.get("how") == "turns queries and keys"
    quantity = {"bias": "bias"}.get(tensor, "cos, sin" if turns else "PE")
    if column == "offset" and tensor == "encoding":
        quantity = "a"
    rows, columns = values.shape
    first = 1 - answer.fields["length"] if column == "offset" else 0
    here = 0 if column == "offset" else within(question.get("position", 4), 0, columns - 1)
    chosen = chosen_rows(question, row, rows)
    places = np.arange(first, first + columns)
    hover = f"{row} %{{y}}, {column} %{{x}}<br>{quantity} <b>%{{z:.3g}}</b>"
    colours = heat_map(values, hover, "signed", unit=quantity, x=places)
    colours["meta"] |= {**picks(row, column, rows, columns, chosen)}
    marks = [mark(y, first, columns, f"head:{i}") for i, y in enumerate(chosen) if values.any()]
    map_of_all = Panel(
        counted(column, first, columns, side="top"),
        counted(row, 0, rows, down=True),
        [colours],
        [*(note for _, note in marks), *if_nothing(values, first)],
        [*(shape for shape, _ in marks), frame(here - 0.5, here + 0.5, -0.5, rows - 0.5)],
    )
    most = float(np.abs(values).max()) or 1.0
    ends = (-most if values.min() < 0 else 0.0, most if values.max() > 0 else 0.0)
    low, high = ends if ends[0] < ends[1] else (ends[0], most)
    room = 0.03 * (high - low)
    up = linear(quantity, [], low=low - room, high=high + room, wanted=3)
    traces, notes = [], []
    for i, y in enumerate(chosen):
        role = f"head:{i}"
        curve_hover = f"{row} {y}, {column} %{{x}}<br>{quantity} <b>%{{y:.3g}}</b>"
        traces += [
            line(places, values[y], f"{row} {y}", role, curve_hover, dots=False, legend=False),
            point(here, values[y, here - first], f"{row} {y}", role, curve_hover),
        ]
        notes.append(at_end(float(places[-1]), float(values[y, -1]), str(y), role))
    curves = Panel(
        counted(column, first, columns),
        up,
        [
            changed(trace, marker={"size": 8}) if trace["mode"] == "markers" else trace
            for trace in traces
        ],
        notes,
        [dotted(here)],
    )
    titles = {"bias": "A number for every offset", "a": "A vector for every offset"}
    description = f"{rows} {row}s, {columns} {column}s; {curved(row, chosen)}."
    drawing = figure(map_of_all, curves, description=description, rows=(Row(1, 0.58), Row(1, 0.42)))
    turned = "Angles for every position" if turns else "A vector for every position"
    return with_tensor_meta(
        drawing,
        answer,
        tensor,
        title=titles.get(quantity, turned),
        caption=f"below: the chosen {row}s as curves; click a row to choose a {row}",
        aligned=True,
    )


def curved(row: str, chosen: list[int]) -> str:
    """Which rows are drawn as curves: channels 0, 4 are drawn as curves."""
    if len(chosen) == 1:
        return f"{row} {chosen[0]} is drawn as a curve"
    rows = f"{row}s {listed(chosen, 'and')}" if chosen else f"no {row}s"
    return f"{rows} are drawn as curves"


def picks(row: str, column: str, rows: int, columns: int, chosen: list[int]) -> dict[str, Any]:
    """The question for clicking a cell: its head, or its channel in addition to those drawn as
    curves, and its position. A channel that is already drawn is removed, and the oldest makes room
    for a new one.
    """
    if row == "head":
        return {"pick_row": {"head": list(range(rows))}}
    then = [
        [c for c in chosen if c != row] if row in chosen else [*chosen, row][-MAX_CURVES:]
        for row in range(rows)
    ]
    picked = {"pick_row": {"channels": [",".join(map(str, each)) or "none" for each in then]}}
    return picked | ({"pick": {"position": list(range(columns))}} if column == "position" else {})
