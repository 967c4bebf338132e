"""Tiles: what is in sight of the attention map of one head, without its n x n weights.

A map is drawn in blocks of 2^level x 2^level cells, each as the mean and as the maximum of its
weights; level 0 has the cells themselves. A tile is the blocks of some rows and columns. The rows
are computed in strips from the queries and keys of the layer, by the equation of the layer itself,
so that every weight is the one of the whole map.
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
"""How many queries are looked at together; a block has as many cells to a side at most."""
LEVELS = STRIP.bit_length()


@dataclass(frozen=True)
class Map:
    """The causal attention map of one head, as its rows are asked for. `q` and `k` are the queries
    and keys of every head of the layer.
    """

    attention: MultiHeadAttention
    q: Queries
    k: Keys
    head: int

    @property
    def size(self) -> int:
        return self.q.shape[-2]

    def rows(self, start: int, stop: int) -> Float[Tensor, "query key"]:
        """The weights of the queries from `start` to before `stop`, over the keys before `stop`:
        those behind are hidden from all of them.
        """
        relation = type(self.attention.relation)
        biased = relation.add_bias is not NoRelativePositions.add_bias  # of all heads at once
        heads = slice(None) if biased else slice(self.head, self.head + 1)
        q, k = self.q[heads, start:stop], self.k[heads, :stop]
        pattern = self.attention.pattern(q, k, masks.causal(stop - start, start).to(q.device), OFF)
        return pattern[self.head if biased else 0]

    def row(self, query: int) -> Float[Tensor, " key"]:
        """The weights of one query, over itself and the keys before it."""
        return self.rows(query, query + 1)[0]


@dataclass(frozen=True)
class Tile:
    """Blocks of a map: the mean and the maximum of the weights in each. `visible` says where the
    mask lets a query of the block see one of its keys; elsewhere both are 0. A block at the end of
    a text has the cells that there are.
    """

    mean: Float[Tensor, "row column"]
    maximum: Float[Tensor, "row column"]
    visible: Bool[Tensor, "row column"]


@torch.inference_mode()
def tile(map: Map, rows: tuple[int, int], columns: tuple[int, int], level: int) -> Tile:
    """The blocks of 2^level x 2^level cells of the queries from rows[0] to before rows[1] and the
    keys from columns[0] to before columns[1]. Raises InvalidInput for a level or an interval that
    the map does not have, and where an interval does not begin at a block.
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
    """2^level, the cells to a side of a block."""
    if not 0 <= level < LEVELS:
        raise InvalidInput("no-such-level", field="level", limit=LEVELS - 1, given=level)
    return 2**level


def reduced(
    weights: Float[Tensor, "query key"], size: int
) -> tuple[Float[Tensor, "row column"], Float[Tensor, "row column"]]:
    """The mean and the maximum of every block of size x size cells. The last blocks of a row and of
    a column may have fewer.
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
    """A key that a query looks at: its weight, which is its share of the row, and `together`, the
    share of this key and of all that weigh more.
    """

    key: int
    weight: float
    together: float


def largest(row: Float[Tensor, " key"], most: int) -> list[KeyWeight]:
    """The keys of the largest weights, at most so many, the largest first."""
    weights, keys = row.double().sort(descending=True, stable=True)
    found = zip(keys.tolist(), weights.tolist(), weights.cumsum(0).tolist(), strict=True)
    return [KeyWeight(*values) for values, _ in zip(found, range(most), strict=False)]


def next_peak(row: Float[Tensor, " key"], after: int) -> int | None:
    """The first key behind position `after` that is a peak: it weighs more than 1 / n, the weight
    of each of n keys that weigh the same, more than the key before it and no less than the key
    behind it. None where there is none.
    """
    before, behind = pad(row, (1, 0))[:-1], pad(row, (0, 1))[1:]
    peak = (row > 1 / len(row)) & (row > before) & (row >= behind)
    places = peak.nonzero().flatten()
    later = places[places > after]
    return int(later[0]) if len(later) else None


def places_of(labels: list[str], wanted: str) -> list[int]:
    """The positions of a token, by its label as it is shown; the sign of a space may be missing."""
    return [at for at, label in enumerate(labels) if wanted in (label, label.removeprefix("·"))]
