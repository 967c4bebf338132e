"""The lines of placements in a figure: one for each, in its colour."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from app.figures import placements
from app.figures.grammar import line
from app.figures.plot import Trace


def placement_lines(
    x: ArrayLike, rows: ArrayLike, names: Sequence[str], chosen: str, said: str
) -> list[Trace]:
    """A line for each placement, in its colour; that of the one that was chosen has dots."""
    return [
        line(
            x,
            row,
            placements.NAMES[name],
            placements.ROLES[name],
            f"{placements.NAMES[name]}, {said}",
            dots=name == chosen,
            dash=placements.dash(name),
        )
        for name, row in zip(names, np.asarray(rows), strict=True)
    ]
