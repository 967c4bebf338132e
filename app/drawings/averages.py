"""Which numbers share a mean under three norms, as a cube: its axes are the samples of a batch, the
positions of a text and the channels of a token.

The cells that are filled are computed from the axes over which the norm averages.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

from app.captions.plain_names import AVERAGES
from app.drawings.svg import EM, Point, Svg, path, text
from model.labels import label
from model.layers.choice_names import AVERAGES_OVER

SAMPLES, POSITIONS, CHANNELS = SHAPE = 3, 4, 6
CELL = 1.2 * EM
ASIDE, UP = 0.62 * CELL, 0.5 * CELL  # how far the next sample stands behind
LEFT, TOP = 5 * EM, 0.4 * EM
WIDTH = LEFT + CHANNELS * CELL + SAMPLES * ASIDE + 4.6 * EM
HEIGHT = TOP + POSITIONS * CELL + SAMPLES * UP + 1.6 * EM
CORNER = (0, 0, CHANNELS - 1)
"""The cell at the corner where the three faces that are seen meet."""


def sharing(norm: str, cell: tuple[int, int, int]) -> np.ndarray:
    """Which cells have the mean of this one, [sample, position, channel]."""
    over = AVERAGES_OVER[norm]
    picked = tuple(slice(None) if axis in over else at for axis, at in enumerate(cell))
    shared = np.zeros(SHAPE, dtype=bool)
    shared[picked] = True
    return shared


def cube(norm: str) -> Svg:
    """The cube of a norm, with the cells that share the mean of the corner filled."""
    shared = sharing(norm, CORNER)
    cells = product(*map(range, SHAPE))
    faces = [face for cell in cells if shared[cell] for face in outer_faces(*cell)]
    shapes = [path(face, fill="stream", opacity=shade) for face, shade in faces]
    shapes += grid()
    right, bottom = at(0, POSITIONS, CHANNELS)
    shapes += [
        text((LEFT + right) / 2, bottom + EM * 0.9, label("channels"), "ink-soft", anchor="middle"),
        text(LEFT - 6, (at(0, 0, 0)[1] + bottom) / 2, label("positions"), "ink-soft", anchor="end"),
        text(right + SAMPLES * ASIDE / 2 + 6, bottom - EM * 0.2, label("samples"), "ink-soft"),
    ]
    title = f"{AVERAGES[norm]}: {shared.sum()} of {shared.size} cells share a mean"
    return Svg(WIDTH, HEIGHT, label(title), "".join(shapes))


def at(sample: float, position: float, channel: float) -> Point:
    """Where a corner of a cell is drawn: the first sample stands in front."""
    return (
        LEFT + channel * CELL + sample * ASIDE,
        TOP + (SAMPLES - sample) * UP + position * CELL,
    )


def outer_faces(sample: int, position: int, channel: int) -> Iterator[tuple[list[Point], float]]:
    """The faces of a cell that lie on the outside of the cube, each with its shade."""
    s, p, c = sample, position, channel
    if s == 0:
        yield [at(0, p, c), at(0, p, c + 1), at(0, p + 1, c + 1), at(0, p + 1, c)], 0.75
    if p == 0:
        yield [at(s, 0, c), at(s, 0, c + 1), at(s + 1, 0, c + 1), at(s + 1, 0, c)], 0.5
    if c == CHANNELS - 1:
        yield (
            [at(s, p, c + 1), at(s + 1, p, c + 1), at(s + 1, p + 1, c + 1), at(s, p + 1, c + 1)],
            0.6,
        )


def grid() -> Iterator[str]:
    """The lines between the cells, on the three faces that are seen."""
    for c in range(CHANNELS + 1):
        yield path([at(0, POSITIONS, c), at(0, 0, c), at(SAMPLES, 0, c)], "rule-strong")
    for p in range(POSITIONS + 1):
        yield path([at(0, p, 0), at(0, p, CHANNELS), at(SAMPLES, p, CHANNELS)], "rule-strong")
    for s in range(1, SAMPLES + 1):
        yield path([at(s, 0, 0), at(s, 0, CHANNELS), at(s, POSITIONS, CHANNELS)], "rule-strong")
