"""Figures of /masks: which positions may attend to which, directly and through several layers.

Of several sequences, the figures show `sequence`; on a grid, they mark `query` and show what it
attends to. Values out of range mean the last one.
"""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.facts import to_rows
from app.captions.terms import explained_texts
from app.captions.text import counted
from app.figures import theme
from app.figures.axis_scales import named
from app.figures.meta import NoteLook
from app.figures.plot import Panel, Plot, Trace, changed, figure, with_meta
from app.figures.traces import framed, heat_map, note, outline
from model.labels import label

if TYPE_CHECKING:
    from model.answers.answer import Answer

MAX_LINES = 64  # maximum rows and columns for separated cells
REACHED = (-300, 700)
"""The ends of a scale on which every number of layers has the same tint, near 0.3."""

ALWAYS = {"visible": "Open cells", "widest_reach": "Widest reach"}


def mask(answer: "Answer", question: Question) -> Plot:
    """The mask: visible cells in one color, hidden cells hatched, and those reached through several
    layers tinted and numbered. Edited cells have a frame, and so does the selected query on a grid.
    """
    allowed, needed = matrices(answer, question)
    names, layers = positions(answer), answer.fields["layers"]
    reached = reached_later(allowed, needed, layers)
    count, n = int(reached.sum()), len(names)
    panel = cells(
        allowed,
        needed,
        layers,
        (names, "key", names, "query"),
        "query %{y}, key %{x}",
    )
    shapes = [*panel.shapes, *framed(painted(answer, question))]
    notes = [blind_row(q, n) for q in np.flatnonzero(~allowed.any(axis=1))]
    chosen = dict[str, int]()
    if "columns" in answer.fields:
        query = query_of(answer, question)
        shapes.append(outlined(-0.5, n - 0.5, query - 0.5, query + 0.5))
        chosen["yaxis"] = query
        full, *_ = panel.traces
        full["meta"] |= {"ways": ways(needed)}
    open_cells = int(allowed.sum())
    drawing = figure(
        Panel(panel.x, panel.y, panel.traces, notes, shapes, even=True),
        description=f"Mask of {n} × {n} cells: {open_cells} open, {count} more reached through"
        f" {counted(layers, 'layer')}.",
    )
    through = f"Through {counted(layers, 'layer')}"
    later = label(
        f"{through}, {counted(count, 'masked cell is', 'masked cells are')} reached indirectly."
        if count
        else f"{through}, no query reaches a key that is masked for it."
    )
    drawing["layout"]["dragmode"] = "pan"  # dragging paints on the page; with Shift it zooms
    return with_explanation(
        drawing,
        count=open_cells_of(answer),
        query=query_of(answer, question),
        sequences=sequences(answer),
        summary=f"{states(answer, question, allowed)}{later}",
        chosen=chosen,
    )


def grid(answer: "Answer", question: Question) -> Plot:
    """One row of the mask on the grid of its positions: what the query attends to, and what it
    reaches through several layers.
    """
    allowed, needed = matrices(answer, question)
    layers, across, query = (
        answer.fields["layers"],
        answer.fields["columns"],
        query_of(answer, question),
    )
    down = len(allowed) // across
    row, column = divmod(query, across)
    panel = cells(
        allowed[query].reshape(down, across),
        needed[query].reshape(down, across),
        layers,
        (numbers(across), "column", numbers(down), "row"),
        "row %{y}, column %{x}",
    )
    full, *_ = panel.traces
    full["meta"] |= {"said": ways(needed[query].reshape(down, across))}
    here = outlined(column - 0.5, column + 0.5, row - 0.5, row + 0.5)
    counts = allowed.sum(axis=1)
    later = reached_later(allowed, needed, layers).sum(axis=1)
    sentences = [
        label(
            f"Query {q} sees {counted(counts[q], 'position')}, or {counts[q] + later[q]} through"
            f" {counted(layers, 'layer')}. It is in row {q // across}, column {q % across}."
        )
        for q in range(len(allowed))
    ]
    drawing = figure(
        Panel(panel.x, panel.y, panel.traces, (), [*panel.shapes, here], even=True),
        description=f"Grid of {down} × {across} positions. {sentences[query]}",
    )
    return with_explanation(
        drawing,
        caption="what the framed query sees; click another one",
        across=across,
        sentences=sentences,
        summary=sentences[query],
        facts=to_rows(answer, ALWAYS),
    )


def cells(
    allowed: np.ndarray,
    needed: np.ndarray,
    layers: int,
    axes: tuple[Sequence[str], str, Sequence[str], str],
    where: str,
) -> Panel:
    """Visible cells filled, hidden cells hatched, and over them those that are reached indirectly,
    with the number of layers. `axes` are the names and the title of x, and those of y.
    """
    columns, across, rows, down = axes
    reached = reached_later(allowed, needed, layers)
    texts = np.where(allowed, label("open"), label("masked")).astype(object)
    for r, c in np.argwhere(reached):
        texts[r, c] = label(f"masked, but reached indirectly, through {needed[r, c]:.0f} layers")
    full = one_colour(
        heat_map(
            np.where(allowed, np.float32(1), np.float32(np.nan)),
            f"{where}<br><b>%{{customdata}}</b>",
            ends=(0, 1),
            hatched=True,
            says_gaps=True,
            showscale=False,
            customdata=texts.tolist(),
        )
    )
    full["meta"] |= {"said": [["01"[int(may)] for may in row] for row in allowed]}
    depths = np.where(reached, needed, np.nan).astype(np.float32)
    tinted = one_colour(
        heat_map(
            depths,
            f"{where}<br>reached through <b>%{{z:.3g}}</b> layers",
            ends=REACHED,
            showscale=False,
            text=[["" if np.isnan(z) else f"{z:.0f}" for z in row] for row in depths],
            hoverinfo="skip",
        )
    )
    tinted["meta"] |= {"tabled": False}
    apart = lines_between(*allowed.shape) if max(allowed.shape) <= MAX_LINES else []
    return Panel(
        named(across, columns, side="top"),
        named(down, rows, down=True),
        [full, tinted],
        shapes=apart,
        even=True,
    )


def matrices(answer: "Answer", question: Question) -> tuple[np.ndarray, np.ndarray]:
    """For the selected sequence, the visible cells and the smallest number of layers, which is NaN
    if there is no path.
    """
    allowed, needed = (
        answer.tensors[name].data.numpy().astype(np.float32)
        for name in ("allowed", "layers_needed")
    )
    if allowed.ndim == 3:
        at = min(question.get("sequence") or 0, len(allowed) - 1)
        allowed, needed = allowed[at], needed[at]
    return allowed.astype(bool), np.where(np.isfinite(needed), needed, np.float32(np.nan))


def ways(needed: np.ndarray) -> list[list[str]]:
    """The smallest number of layers as in a table; empty if there is no path."""
    return [["" if np.isnan(z) else str(int(z)) for z in row] for row in needed]


def sequences(answer: "Answer") -> int:
    """The number of sequences; 0 if there is no batch."""
    return answer.axes["sequence"].size if "sequence" in answer.axes else 0


def reached_later(allowed: np.ndarray, needed: np.ndarray, layers: int) -> np.ndarray:
    """Which hidden cells are reached through several layers."""
    return ~allowed & (np.nan_to_num(needed, nan=np.inf) <= layers)


def positions(answer: "Answer") -> list[str]:
    axis = answer.axes["query"]
    return axis.labels or numbers(axis.size)


def numbers(count: int) -> list[str]:
    return [str(i) for i in range(count)]


def query_of(answer: "Answer", question: Question) -> int:
    """The selected query, by default in the middle of the last row of the grid."""
    n = answer.axes["query"].size
    query = question.get("query")
    middle = n - math.ceil(answer.fields.get("columns", 1) / 2)
    return min(middle if query is None else query, n - 1)


def painted(answer: "Answer", question: Question) -> Iterable[tuple[int, int]]:
    """The rows and columns of the inverted cells."""
    # Importing it loads torch, which the web process, which imports this file, must not do.
    from model.analytic.custom_mask import flipped_cells

    turned = flipped_cells(question.get("flip"), answer.fields["length"])
    return [(int(q), int(k)) for q, k in turned.nonzero()]


def open_cells_of(answer: "Answer") -> str:
    """The numbers of visible cells, inverted cells, and rows without visible keys."""
    fields = answer.fields
    opened, closed, blind = fields["opened"], fields["closed"], fields["blind_rows"]
    of_all = fields["length"] ** 2 * max(1, sequences(answer))
    changed = "".join(
        label(f"; {counted(count, 'was', 'were')} {state} by hand")
        for count, state in ((opened, "opened"), (closed, "closed"))
        if count
    )
    rows = counted(len(blind), "row sees nothing: its", "rows see nothing: their")
    warning = label(f" {rows} weights are all 0.") if blind else ""
    cells = label(f"{fields['visible']} of {counted(of_all, 'cell is', 'cells are')} open")
    return f"{cells}{changed}.{warning}"


def states(answer: "Answer", question: Question, allowed: np.ndarray) -> str:
    """The inverted cell in words, if there is only one."""
    turned = list(painted(answer, question))
    if len(turned) != 1:
        return ""
    names, (q, k) = positions(answer), turned[0]
    may = "may now attend" if allowed[q, k] else "may no longer attend"
    return label(f"{names[q]} {may} to {names[k]}. ")


def one_colour(trace: Trace) -> Trace:
    """Cells between white and the color of attention."""
    trace["meta"] |= {"scale": list(ROLES)}
    return changed(trace, colorscale=[[i, theme.colour(role)] for i, role in enumerate(ROLES)])


ROLES = ("paper", "attention")


def lines_between(rows: int, columns: int) -> list[dict[str, Any]]:
    """White lines between the cells."""
    right, low = columns - 0.5, rows - 0.5
    path = "".join(
        [f"M{c - 0.5},-0.5L{c - 0.5},{low}Z" for c in range(1, columns)]
        + [f"M-0.5,{r - 0.5}L{right},{r - 0.5}Z" for r in range(1, rows)]
    )
    if not path:
        return []
    return [
        {
            "type": "path",
            "path": path,
            "line": {"color": theme.colour("paper"), "width": 1},
            "layer": "above",
            "name": "line paper",
        }
    ]


def outlined(x0: float, x1: float, y0: float, y1: float) -> dict[str, Any]:
    """The selected query, outlined in the color of queries."""
    return outline("query", x0, x1, y0, y1, 3)


def blind_row(q: int, columns: int) -> dict[str, Any]:
    style = NoteLook(kind="title", role="error")
    return note(style, (columns - 1) / 2, int(q), "sees nothing", bold=True)


def with_explanation(drawing: Plot, **more: Any) -> Plot:
    """The figure with its additional text. What is `told` next to it is also given as HTML, with
    its terms explained.
    """
    if "told" in more:
        (more["explained"],) = explained_texts(label(more["told"]))
    return with_meta(drawing, **more)
