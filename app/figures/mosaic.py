"""Small maps of the same size as a single heat map with gaps."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from app.captions import Question
from app.captions.text import label
from app.figures import theme
from app.figures.axis_scales import AxisScale, Side
from app.figures.marks import Tiles, resolved
from app.figures.meta import NoteLook
from app.figures.plot import Panel
from app.figures.traces import fill, fitting, heat_map, note, whole

if TYPE_CHECKING:
    from model.answers.answer import Answer


@dataclass(frozen=True)
class Tile:
    """One of several small maps: its title, its numbers, their rows and columns, the color of its
    title, a note after it, whether it is selected, and whether its note may lose its last words if
    there is little room. Clicking a cell requests its `pick`. Some cells are `outlined` in the
    color of the title.
    """

    title: str
    values: ArrayLike
    say: Callable[[int, int], str]
    role: str = "ink"
    note: str = ""
    chosen: bool = False
    shortens: bool = False
    pick: Callable[[int, int], dict[str, Any]] | None = None
    outlined: Iterable[Sequence[int]] = ()


GUTTER = 0.7  # between small maps, in units of a tenth of their cells


def of_tiles(mark: Tiles, answer: "Answer", question: Question) -> list[Panel]:
    """Small maps of the same size as a single heat map with gaps."""

    def here(value: Any) -> Any:
        return resolved(value, answer, question)

    tiles, across = here(mark.tiles), here(mark.across)
    height, width = np.asarray(tiles[0].values).shape
    lines = 2 if any(tile.note for tile in tiles) else 1
    gap, heading = GUTTER * width / 10, lines * here(mark.line) * max(height, width) / 10
    down = math.ceil(len(tiles) / across)
    x = np.cumsum([0, *([1] * width + [gap]) * across])
    y = np.cumsum([0, *([heading] + [1] * height) * down])
    grid = np.full((len(y) - 1, len(x) - 1), np.nan)
    texts = np.full(grid.shape, "", dtype=object)
    picked: dict[str, np.ndarray] = {}
    notes, shapes, corners = [], [], []
    for i, tile in enumerate(tiles):
        top, left = i // across * (height + 1) + 1, i % across * (width + 1)
        corners.append((top, left))
        grid[top : top + height, left : left + width] = np.asarray(tile.values, dtype=float)
        for q, k in np.ndindex(height, width):
            texts[top + q, left + k] = label(tile.say(q, k))
            for name, value in (tile.pick(q, k) if tile.pick else {}).items():
                picked.setdefault(name, np.full(grid.shape, None))[top + q, left + k] = value
        notes += headings(tile, x[left], y[top] - heading, heading / lines, width)
        shapes.append(fill("sunken", x[left], x[left + width], y[top], y[top + height], 1))
        if tile.outlined:
            shapes.append(outlined(tile, x[left:], y[top:]))
    trace = heat_map(
        grid.astype(np.float32),
        f"%{{customdata}}<br><b>%{{z:.3g}}</b> {here(mark.what)}".rstrip(),
        here(mark.scale),
        here(mark.ends),
        here(mark.unit),
        x=x,
        y=y,
        customdata=texts.tolist(),
    )
    trace["meta"] |= {
        "size": [height, width],
        "tiles": [[label(tile.title), *at] for tile, at in zip(tiles, corners, strict=True)],
    }
    if picked:
        trace["meta"]["pick"] = {name: cells.tolist() for name, cells in picked.items()}
    if mark.text:
        trace["text"] = [["" if np.isnan(z) else mark.text(z) for z in row] for row in grid]
    row_names, column_names = mark.names(answer, question) if mark.names else ([], [])
    tops, lefts = ({*ends} for ends in zip(*corners, strict=True))
    return [
        Panel(
            named_axis(mark.columns, (0, float(x[-1]) - gap), x, lefts, column_names, side="top"),
            named_axis(mark.rows, (float(y[-1]), 0), y, tops, row_names),
            [trace],
            notes,
            shapes,
            mark.even,
        )
    ]


def headings(tile: Tile, x: float, y: float, line: float, width: int) -> list[dict[str, Any]]:
    """The title of a small map, and its note below. A note wider than its small map is hidden, or
    loses its last words.
    """
    title = note(
        NoteLook(kind="title", role=tile.role),
        x,
        y + line / 2,
        whole(label(tile.title)),
        bold=tile.chosen,
        xanchor="left",
    )
    if not tile.note:
        return [title]
    text = label(tile.note) if tile.shortens else whole(label(tile.note))
    style = fitting(x + width, "ink-soft")
    return [title, note(style, x, y + 1.5 * line, text, xanchor="left")]


def outlined(tile: Tile, x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Frames around cells of a small map, in the color of its title, which no number has."""
    path = "".join(
        f"M{left},{top}L{right},{top}L{right},{bottom}L{left},{bottom}Z"
        for q, k in tile.outlined
        for left, right in [np.round(x[k : k + 2], 4)]
        for top, bottom in [np.round(y[q : q + 2], 4)]
    )
    line = {"color": theme.colour(tile.role), "width": 1.5}
    return {"type": "path", "path": path, "line": line, "name": f"line {tile.role}"}


def named_axis(
    title: str,
    ends: tuple[float, float],
    edges: np.ndarray,
    starts: set[int],
    names: Sequence[str],
    side: Side = None,
) -> AxisScale:
    """An axis along small maps, with the names of the rows or columns of each."""
    places = [
        (float(edges[start + i : start + i + 2].mean()), label(name))
        for start in sorted(starts)
        for i, name in enumerate(names)
        if name
    ]
    ticks, texts = zip(*places, strict=True) if places else ((), ())
    return AxisScale(title, ends, list(ticks), list(texts), side=side, frameless=True)
