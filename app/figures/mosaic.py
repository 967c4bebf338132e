"""Small maps of one size as a single heat map with gaps."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from app.captions.text import label
from app.figures.annotations import fill, fitting, note, whole
from app.figures.axis_scales import AxisScale
from app.figures.meta import NoteLook
from app.figures.panels import Panel
from app.figures.theme import Scale
from app.figures.traces import heat_map


@dataclass(frozen=True)
class Tile:
    """One of several small maps: its title, its numbers, what they are for each row and column, the
    colour of its title, a note after it, whether it is the one that was chosen, and whether its
    note may lose its last words where there is little room.
    """

    title: str
    values: ArrayLike
    say: Callable[[int, int], str]
    role: str = "ink"
    note: str = ""
    chosen: bool = False
    shortens: bool = False


GUTTER = 0.7  # between small maps, in cells for each ten cells

HEADING = 1.6  # over a small map, where its title stands


def mosaic(
    tiles: Sequence[Tile],
    across: int,
    rows: str,
    columns: str,
    what: str,
    scale: Scale = "cividis",
    ends: tuple[float, float] | None = None,
    unit: str = "",
    even: bool = False,
    written: Callable[[float], str] | None = None,
    line: float = HEADING,
) -> Panel:
    """Small maps of one size as a single heat map with gaps, `across` of them side by side. `what`
    names the numbers; pointed at, a cell says `tile.say` of its row and column. `written` is what
    stands in a cell where there is room, and `line` the height of a line over a map, in cells for
    each ten cells.
    """
    height, width = np.asarray(tiles[0].values).shape
    lines = 2 if any(tile.note for tile in tiles) else 1
    gap, heading = GUTTER * width / 10, lines * line * max(height, width) / 10
    down = math.ceil(len(tiles) / across)
    grid = np.full((down * (height + 1), across * (width + 1)), np.nan)
    said = np.full(grid.shape, "", dtype=object)
    notes, frames = [], []
    for i, tile in enumerate(tiles):
        r, c = divmod(i, across)
        top, left = r * (height + 1) + 1, c * (width + 1)
        grid[top : top + height, left : left + width] = np.asarray(tile.values, dtype=float)
        said[top : top + height, left : left + width] = [
            [label(tile.say(q, k)) for k in range(width)] for q in range(height)
        ]
        heads = (
            [(tile.title, tile.role), (tile.note, "ink-soft")]
            if tile.note
            else [(tile.title, tile.role)]
        )
        notes += [
            note(
                # A note that would reach beyond its small map is left out, or its last words are.
                fitting(c * (width + gap) + width, role)
                if n
                else NoteLook(kind="title", role=role),
                c * (width + gap),
                r * (height + heading) + heading * (n + 0.5) / lines,
                label(said_of) if n and tile.shortens else whole(label(said_of)),
                bold=tile.chosen and not n,
                xanchor="left",
            )
            for n, (said_of, role) in enumerate(heads)
        ]
        left_edge, top_edge = c * (width + gap), r * (height + heading) + heading
        frames.append(fill("sunken", left_edge, left_edge + width, top_edge, top_edge + height, 1))
    x = np.cumsum([0, *([1] * width + [gap]) * across])
    y = np.cumsum([0, *([heading] + [1] * height) * down])
    trace = heat_map(
        grid.astype(np.float32),
        f"%{{customdata}}<br><b>%{{z:.3g}}</b> {what}",
        scale,
        ends,
        unit,
        x=x,
        y=y,
        customdata=said.tolist(),
    )
    places = [
        [(i // across) * (height + 1) + 1, (i % across) * (width + 1)] for i in range(len(tiles))
    ]
    trace["meta"] |= {
        "size": [height, width],
        "tiles": [[label(tile.title), *at] for tile, at in zip(tiles, places, strict=True)],
    }
    if written:
        trace["text"] = [["" if np.isnan(z) else written(z) for z in row] for row in grid]
    level = AxisScale(columns, (0, float(x[-1]) - gap), [], [], side="top", frameless=True)
    upright = AxisScale(rows, (float(y[-1]), 0), [], [], frameless=True)
    return Panel(level, upright, [trace], notes, frames, even)
