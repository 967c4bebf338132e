"""The parameters of every mask: name, description, unit, default, and range.

The web process imports this module and must never load torch, so this module doesn't import it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from model.checks import check_within_length
from model.errors import InvalidInput

MAX_SEQUENCES = 16
"""The maximum number of sequences in a batch for which a mask is shown."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a mask: a number from `least` to the length n of the mask.

    `sentence` describes the parameter, and `unit` is its unit. `default` computes the default from
    n.
    """

    name: str
    sentence: str
    unit: str
    default: Callable[[int], int | list[int]]
    least: int = 0

    def check(self, value: Any, n: int) -> None:
        """Raises InvalidInput if the value is out of range for the length n."""
        check_within_length(self.name, value, self.least, n)


class GridWidth(Parameter):
    """The number of columns of a grid in which every row is full."""

    def check(self, value: int, n: int) -> None:
        if value < 1 or n % value:
            fitting = [c for c in range(1, n + 1) if n % c == 0]
            raise InvalidInput("no-grid", field=self.name, limit=n, given=value, fitting=fitting)


class Lengths(Parameter):
    """One length for each sequence of a batch."""

    def check(self, value: list[int], n: int) -> None:
        if not 1 <= len(value) <= MAX_SEQUENCES:
            raise InvalidInput(
                "too-many-sequences", field=self.name, limit=MAX_SEQUENCES, given=len(value)
            )
        for length in value:
            check_within_length(self.name, length, self.least, n)


def squarest(n: int) -> int:
    """The number of columns of the most nearly square grid of n positions, with at least as many
    columns as rows.
    """
    return n // max(rows for rows in range(1, math.isqrt(n) + 1) if n % rows == 0)


PREFIX = Parameter(
    "prefix",
    "how many positions at the beginning all positions see",
    "positions",
    lambda n: min(5, n),
)
WINDOW = Parameter(
    "window",
    "how many positions each position sees, its own included",
    "positions",
    lambda n: min(3, n),
    least=1,
)
DILATION = Parameter(
    "dilation",
    "the distance between the positions that a position sees",
    "positions",
    lambda n: min(2, n),
    least=1,
)
BLOCK = Parameter(
    "block",
    "how many neighboring positions see each other",
    "positions",
    lambda n: min(4, n),
    least=1,
)
COLUMNS = GridWidth(
    "columns", "the width of the grid, of which the length is a multiple", "positions", squarest, 1
)
ABOVE = Parameter("above", "how many rows above its own a position sees", "rows", lambda n: 1)
BESIDE = Parameter(
    "beside", "how many columns to either side a position sees", "columns", lambda n: 1
)
LENGTHS = Lengths(
    "lengths",
    "the real length of each text of a batch, with commas between them",
    "positions",
    lambda n: [max(1, n - 2)],
)

MASK_PARAMETERS: dict[str, tuple[Parameter, ...]] = {
    "full": (),
    "causal": (),
    "prefix": (PREFIX,),
    "padding": (LENGTHS,),
    "window": (WINDOW,),
    "dilated": (WINDOW, DILATION),
    "block": (BLOCK,),
    "window_2d": (COLUMNS, ABOVE, BESIDE),
}
"""The parameters of every mask by its name, in the order of the mask's arguments."""
