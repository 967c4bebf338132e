"""The slices that a drawn array shows: of which tensor, which axes stand still and which move."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tests.app.drawn.tagging import Origins, Source

KNOWN = 0.5  # the share of a trace's numbers from which on it is of the answer
TURNED = {
    "": lambda v: v,
    "10^": lambda v: 10.0**v if abs(v) < 30 else 0.0,
    "-": lambda v: -v,
    "%": lambda v: v / 100,
    "million": lambda v: v * 1e6,
    "1-": lambda v: 1 - v,
}
"""How a drawn number may have been made of one of the answer: what turns it back."""


@dataclass(frozen=True)
class Slice:
    """Cells of one source: `places` are where they are drawn, `at` where they are in the source."""

    source: Source
    turned: str
    places: np.ndarray
    at: np.ndarray

    @cached_property
    def fixed(self) -> dict[str, int]:
        """The axes that stand still, each at its number."""
        return {
            name: int(self.at[0, i])
            for i, name in enumerate(self.names)
            if (self.at[:, i] == self.at[0, i]).all()
        }

    @cached_property
    def names(self) -> list[str]:
        """The axes by name; the second of two of one name is marked."""
        axes = self.source.axes
        return [f"{axis}'" if axis in axes[:i] else axis for i, axis in enumerate(axes)]

    def moves(self, axis: str) -> str:
        """Along which direction of what is drawn an axis moves: rows, columns, or both."""
        numbers = self.at[:, self.names.index(axis)]
        if self.places.shape[1] == 1:
            return "along"
        for name, which in (("down", 0), ("across", 1)):
            lines = self.places[:, which]
            if all(len(set(numbers[lines == line])) == 1 for line in set(lines)):
                return name
        return "both"

    @cached_property
    def cells(self) -> dict[tuple[int, ...], dict[str, int]]:
        """By drawn place, the number on each axis."""
        return {
            tuple(place): dict(zip(self.names, at, strict=True))
            for place, at in zip(self.places.tolist(), self.at.tolist(), strict=True)
        }


def slices_of(values: object, origins: Origins) -> tuple[list[Slice], int]:
    """What is shown in an array of numbers, and how many of its numbers are of no tensor."""
    numbers = np.asarray(values, dtype=float)
    places = [
        tuple(map(int, at))
        for at in np.argwhere(np.isfinite(numbers) & (numbers != np.round(numbers)))
    ]
    left = dict.fromkeys(places)
    slices = []
    while left:
        found: dict[tuple[str, int], dict[tuple[int, ...], list[tuple[int, ...]]]] = {}
        for place in left:
            for turned, back in TURNED.items():
                for source, at in origins.of_number(back(numbers[place])):
                    found.setdefault((turned, source), {}).setdefault(place, []).append(at)
        best = Counter({key: (len(cells) - 0.5 * bool(key[0])) for key, cells in found.items()})
        if not best:
            break
        (turned, source), _ = max(best.items(), key=lambda entry: (entry[1], -entry[0][1]))
        cells = found[turned, source]
        if turned and len(cells) < 3 and len(cells) < len(left):
            break
        width = len(origins.sources[source].axes)
        chosen = nearest({place: [at[:width] for at in each] for place, each in cells.items()})
        order = sorted(chosen)
        slices.append(
            Slice(
                origins.sources[source],
                turned,
                np.array(order).reshape(len(order), -1),
                np.array([chosen[place] for place in order], dtype=int).reshape(len(order), width),
            )
        )
        left = {place: None for place in left if place not in chosen}
        if len(slices) > 24:
            break
    return slices, len(left)


def nearest(cells: dict[tuple[int, ...], list[tuple[int, ...]]]) -> dict:
    """One place in the source for each drawn place; of several, that which is most like the others
    are, axis by axis.
    """
    usual = [
        Counter(column).most_common(1)[0]
        for column in zip(*(each[0] for each in cells.values() if len(each) == 1), strict=True)
    ]

    def unlike(at: tuple[int, ...]) -> int:
        return sum(i != most for i, (most, _) in zip(at, usual, strict=False))

    return {place: min(each, key=unlike) for place, each in cells.items()}
