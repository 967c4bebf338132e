"""Tiles: the visible part of one head's attention map, without its n x n weights.

A map is shown in blocks of 2^level x 2^level cells, each as the mean and maximum of its weights;
level 0 shows the cells themselves. A tile contains the blocks of some rows and columns. Rows are
computed in strips from the layer's queries and keys, with the layer's own equation, so every weight
is that of the whole map.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import pad

from model.checks import check_interval
from model.errors import InvalidInput
from model.layers import masks
from model.layers.attention import Keys, MultiHeadAttention, Queries
from model.layers.relative_positions import NoRelativePositions
from model.trace import OFF

STRIP = 256
"""The number of queries processed together, and the maximum side of a block."""
LEVELS = STRIP.bit_length()


@dataclass(frozen=True)
class Map:
    """The causal attention map of one head, with rows computed on request. `q` and `k` are the
    queries and keys of every head of the layer.
    """

    attention: MultiHeadAttention
    q: Queries
    k: Keys
    head: int

    @property
    def size(self) -> int:
        return self.q.shape[-2]

    def rows(self, start: int, stop: int) -> Float[Tensor, "query key"]:
        """The weights of the queries in [start, stop) over the keys before `stop`: later keys are
        hidden from all of them.
        """
        relation = type(self.attention.relation)
        biased = relation.add_bias is not NoRelativePositions.add_bias  # for all heads at once
        heads = slice(None) if biased else slice(self.head, self.head + 1)
        q, k = self.q[heads, start:stop], self.k[heads, :stop]
        pattern = self.attention.pattern(q, k, masks.causal(stop - start, start).to(q.device), OFF)
        return pattern[self.head if biased else 0]

    def row(self, query: int) -> Float[Tensor, " key"]:
        """The weights of one query, over itself and earlier keys."""
        return self.rows(query, query + 1)[0]


@dataclass(frozen=True)
class Tile:
    """Blocks of a map: the mean and maximum of the weights in each. `visible` says where the mask
    allows any query of the block to attend to one of its keys; elsewhere both are 0. A block at the
    end of a sequence is partial.
    """

    mean: Float[Tensor, "row column"]
    maximum: Float[Tensor, "row column"]
    visible: Bool[Tensor, "row column"]


@torch.inference_mode()
def tile(map: Map, rows: tuple[int, int], columns: tuple[int, int], level: int) -> Tile:
    """The blocks of 2^level x 2^level cells of the queries in [rows[0], rows[1]) and the keys in
    [columns[0], columns[1]). Raises InvalidInput for a level or an interval that the map does not
    have, or an interval that does not begin at a block.
    """
    size = block_size(level)
    check_interval("rows", rows, map.size, block=size)
    check_interval("columns", columns, map.size, block=size)
    (left, right), means, maxima = columns, [], []
    for start in range(rows[0], rows[1], STRIP):
        stop = min(start + STRIP, rows[1])
        weights = map.rows(start, stop)[:, left:right]
        weights = pad(weights, (0, right - left - weights.shape[-1]))  # hidden keys
        mean, maximum = reduced(weights, size)
        means.append(mean)
        maxima.append(maximum)
    last = torch.arange(rows[0], rows[1], size).add(size - 1).clamp(max=rows[1] - 1)
    visible = last[:, None] >= torch.arange(left, right, size)
    return Tile(torch.cat(means), torch.cat(maxima), visible)


def block_size(level: int) -> int:
    """2^level, the side of a block in cells."""
    if not 0 <= level < LEVELS:
        raise InvalidInput("no-such-level", field="level", limit=LEVELS - 1, given=level)
    return 2**level


def reduced(
    weights: Float[Tensor, "query key"], size: int
) -> tuple[Float[Tensor, "row column"], Float[Tensor, "row column"]]:
    """The mean and maximum of every block of size x size cells. The last blocks of a row or column
    may be smaller.
    """
    high, wide = weights.shape
    whole = pad(weights, (0, -wide % size, 0, -high % size))
    blocks = whole.unflatten(0, (-1, size)).unflatten(2, (-1, size))
    down, across = (
        torch.arange(size, n + size, size).clamp(max=n).diff(prepend=torch.zeros(1).long())
        for n in (high, wide)
    )
    cells = (down[:, None] * across).to(weights)
    return blocks.sum((1, 3)) / cells, blocks.amax((1, 3))


@dataclass(frozen=True)
class KeyWeight:
    """An attended key: its `weight`, and `together`, the total weight of this key and all larger
    ones.
    """

    key: int
    weight: float
    together: float


def largest(row: Float[Tensor, " key"], most: int) -> list[KeyWeight]:
    """The keys with the largest weights, at most `most`, in decreasing order."""
    weights, keys = row.double().sort(descending=True, stable=True)
    found = zip(keys.tolist(), weights.tolist(), weights.cumsum(0).tolist(), strict=True)
    return [KeyWeight(*values) for values, _ in zip(found, range(most), strict=False)]


def next_peak(row: Float[Tensor, " key"], after: int) -> int | None:
    """The next key after position `after` that is a peak: its weight is above the uniform weight 1
    / n, above that of the key before it, and no less than that of the key after it. None if there
    is none.
    """
    before, behind = pad(row, (1, 0))[:-1], pad(row, (0, 1))[1:]
    peak = (row > 1 / len(row)) & (row > before) & (row >= behind)
    places = peak.nonzero().flatten()
    later = places[places > after]
    return int(later[0]) if len(later) else None


def places_of(labels: list[str], wanted: str) -> list[int]:
    """The positions of a token, given its label; the symbol for a space may be omitted."""
    return [at for at, label in enumerate(labels) if wanted in (label, label.removeprefix("·"))]
