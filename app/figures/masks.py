"""Figures of /masks: who may look at whom, at once and through several layers.

Of several sequences the figures show `sequence`; on a grid they mark `query` and show what it sees.
What is beyond the last is the last.
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
from app.figures.annotations import framed, note, outline
from app.figures.axis_scales import named
from app.figures.meta import NoteLook
from app.figures.panels import Panel, figure
from app.figures.plot import Plot, Trace, changed, with_meta
from app.figures.traces import heat_map

if TYPE_CHECKING:
    from model.answers.answer import Answer

MAX_LINES = 64  # rows and columns of a mask whose cells are drawn apart
REACHED = (-300, 700)
"""The ends of a scale on which every number of layers has the same tint, near 0.3."""

ALWAYS = {"visible": "Open cells", "widest_reach": "Widest reach"}


def mask(answer: "Answer", question: Question) -> Plot:
    """The mask: open cells in one colour, hidden cells hatched, and those tinted and numbered that
    are reached through several layers all the same. Painted cells have a frame, and so has on a
    grid the query that is looked at.
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
    drawn = figure(
        Panel(panel.x, panel.y, panel.traces, notes, shapes, even=True),
        description=f"Mask of {n} × {n} cells: {open_cells} open, {count} more reached through"
        f" {counted(layers, 'layer')}.",
    )
    later = (
        f"{counted(count, 'hidden cell is', 'hidden cells are')} reached in"
        f" {counted(layers, 'layer')}."
    )
    nothing = f"No hidden cell is reached in {counted(layers, 'layer')}."
    drawn["layout"]["dragmode"] = "pan"  # a drag paints on the page, and with Shift it zooms
    return with_explanation(
        drawn,
        count=open_cells_of(answer),
        query=query_of(answer, question),
        sequences=sequences(answer),
        summary=f"{states(answer, question, allowed)}{later if count else nothing}",
        chosen=chosen,
    )


def grid(answer: "Answer", question: Question) -> Plot:
    """One row of the mask on the grid that its positions stand on: what the query sees, and what it
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
    seen = allowed.sum(axis=1)
    later = reached_later(allowed, needed, layers).sum(axis=1)
    sentences = [
        f"Query {q} sees {counted(seen[q], 'position')}, through {counted(layers, 'layer')}"
        f" {seen[q] + later[q]}; it stands in row"
        f" {q // across}, column {q % across}."
        for q in range(len(allowed))
    ]
    drawn = figure(
        Panel(panel.x, panel.y, panel.traces, (), [*panel.shapes, here], even=True),
        description=f"Grid of {down} × {across} positions. {sentences[query]}",
    )
    return with_explanation(
        drawn,
        caption="what the framed query sees; choose another",
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
    """Open cells full, hidden cells hatched, and over them those that are reached after all, with
    the number of layers. `axes` are the names and the title across, and those down.
    """
    columns, across, rows, down = axes
    reached = reached_later(allowed, needed, layers)
    said = np.where(allowed, "open", "hidden").astype(object)
    for r, c in np.argwhere(reached):
        said[r, c] = f"hidden, but reached through {needed[r, c]:.0f} layers"
    full = one_colour(
        heat_map(
            np.where(allowed, np.float32(1), np.float32(np.nan)),
            f"{where}<br><b>%{{customdata}}</b>",
            ends=(0, 1),
            hatched=True,
            says_gaps=True,
            showscale=False,
            customdata=said.tolist(),
        )
    )
    full["meta"] |= {"said": [["01"[int(may)] for may in row] for row in allowed]}
    shown = np.where(reached, needed, np.nan).astype(np.float32)
    tinted = one_colour(
        heat_map(
            shown,
            f"{where}<br>reached through <b>%{{z:.3g}}</b> layers",
            ends=REACHED,
            showscale=False,
            text=[["" if np.isnan(z) else f"{z:.0f}" for z in row] for row in shown],
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
    """Of the sequence that is shown, what is allowed and the fewest layers, which are NaN where
    there is no way.
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
    """The fewest layers as a table says them; nothing where there is no way."""
    return [["" if np.isnan(z) else str(int(z)) for z in row] for row in needed]


def sequences(answer: "Answer") -> int:
    """How many sequences there are; 0 where they are no batch."""
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
    """The query that is looked at, or the one in the middle of the last row of the grid."""
    n = answer.axes["query"].size
    asked = question.get("query")
    middle = n - math.ceil(answer.fields.get("columns", 1) / 2)
    return min(middle if asked is None else asked, n - 1)


def painted(answer: "Answer", question: Question) -> Iterable[tuple[int, int]]:
    """The cells that were turned over, rows and columns."""
    # It brings torch, which the web process, that knows this figure by name, has not.
    from model.analytic.custom_mask import flipped_cells

    turned = flipped_cells(question.get("flip"), answer.fields["length"])
    return [(int(q), int(k)) for q, k in turned.nonzero()]


def open_cells_of(answer: "Answer") -> str:
    """How many cells are open, how many were painted, and how many rows see nothing."""
    fields = answer.fields
    opened, closed, blind = fields["opened"], fields["closed"], fields["blind_rows"]
    of_all = fields["length"] ** 2 * max(1, sequences(answer))
    changed = "".join(
        f"; {counted(count, 'was', 'were')} painted {state}"
        for count, state in ((opened, "open"), (closed, "shut"))
        if count
    )
    rows = counted(len(blind), "row sees nothing: its", "rows see nothing: their")
    warning = f" {rows} weights are all 0." if blind else ""
    return (
        f"{fields['visible']} of {counted(of_all, 'cell is', 'cells are')} open{changed}.{warning}"
    )


def states(answer: "Answer", question: Question, allowed: np.ndarray) -> str:
    """What was painted, in words, as long as it is a single cell."""
    turned = list(painted(answer, question))
    if len(turned) != 1:
        return ""
    names, (q, k) = positions(answer), turned[0]
    may = "may now look" if allowed[q, k] else "may no longer look"
    return f"{names[q]} {may} at {names[k]}. "


def one_colour(trace: Trace) -> Trace:
    """Cells between paper and the colour of attention."""
    trace["meta"] |= {"scale": list(ROLES)}
    return changed(trace, colorscale=[[i, theme.colour(role)] for i, role in enumerate(ROLES)])


ROLES = ("paper", "attention")


def lines_between(rows: int, columns: int) -> list[dict[str, Any]]:
    """Lines of paper between the cells."""
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
    """The query that is looked at, in the colour of queries."""
    return outline("query", x0, x1, y0, y1, 3)


def blind_row(q: int, columns: int) -> dict[str, Any]:
    look = NoteLook(kind="title", role="error")
    return note(look, (columns - 1) / 2, int(q), "sees nothing", bold=True)


def with_explanation(drawn: Plot, **more: Any) -> Plot:
    """The figure with what else is said of it. What is `told` beside it stands there as HTML, too,
    with its terms explained.
    """
    if "told" in more:
        (more["explained"],) = explained_texts(more["told"])
    return with_meta(drawn, **more)


def is_on_grid(answer: "Answer") -> bool:
    return "columns" in answer.fields
