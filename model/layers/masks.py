"""Masks: which key each query may see. True allows; what is not allowed gets -inf before the
softmax.

Shapes: `allowed` is [query, key]; a query counts from the first position, its own included.
A new mask is one function and one row in MASKS; `both` and `either` make one of two.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from model.layers import mask_formulas as laws

Allowed = Bool[Tensor, "*batch query key"]
Broadcast = Bool[Tensor, "*#batch #query key"]  # an axis of 1 stands for every size


def full(n: int) -> Allowed:
    """Every query sees every key: n^2 cells."""
    return torch.ones(n, n, dtype=torch.bool)


def causal(n: int, earlier: int = 0) -> Allowed:
    """A query sees itself and what came before: n(n+1)/2 cells.

    `earlier` further keys come before all of them, a segment kept from before or persistent slots,
    and are open to every query: [n, earlier + n], n more cells each (Dai et al. 2019, section 3.2).
    """
    return torch.ones(n, earlier + n, dtype=torch.bool).tril(earlier)


def prefix(n: int, prefix: int) -> Allowed:
    """The first `prefix` keys are open to all, the rest is causal (Raffel et al. 2020, figure
    3).
    """
    return causal(n) | (torch.arange(n) < prefix)


def window(n: int, window: int) -> Allowed:
    """A query sees itself and the `window` - 1 positions before it; L layers reach
    L(window-1)+1.
    """
    return causal(n) & ~full(n).tril(-window)


def dilated(n: int, window: int, dilation: int) -> Allowed:
    """A query sees itself and, back from it, every `dilation`-th position, `window` in all; L
    layers span L(window-1)dilation+1.

    The half of Beltagy et al. 2020, section 3.1, that looks back. The strided pattern of Child et
    al. 2019, section 4.3, is its relative: with stride l it is `either(window(n, l), dilated(n, n,
    l))`.
    """
    back = torch.arange(n)[:, None] - torch.arange(n)
    return (back >= 0) & (back < window * dilation) & (back % dilation == 0)


def block(n: int, block: int) -> Allowed:
    """Positions see the whole of their own block, what comes after them too, and nothing else,
    however many layers.

    Local attention of Liu et al. 2018; `both(causal(n), block(n, b))` is the same for a decoder.
    The last block may be shorter.
    """
    own = torch.arange(n) // block
    return own[:, None] == own


def window_2d(n: int, columns: int, above: int, beside: int) -> Allowed:
    """Positions of a grid, numbered row by row, see `above` rows over their own, `beside` columns
    to either side, and nothing later.

    2-D local attention of Parmar et al. 2018, section 3.3, with query blocks of a single position.
    """
    row, column = torch.arange(n) // columns, torch.arange(n) % columns
    up, aside = row[:, None] - row, (column[:, None] - column).abs()
    return causal(n) & (up <= above) & (aside <= beside)


def padding(n: int, lengths: list[int]) -> Bool[Tensor, "sequence 1 key"]:
    """Keys beyond a sequence's own length are hidden from every query; the query axis
    broadcasts.
    """
    return (torch.arange(n) < torch.tensor(lengths)[:, None])[:, None, :]


def both(a: Broadcast, b: Broadcast) -> Broadcast:
    """A query sees what both masks allow."""
    return a & b


def either(a: Broadcast, b: Broadcast) -> Broadcast:
    """A query sees what at least one of the masks allows."""
    return a | b


JOINS = {"and": both, "or": either}


@dataclass(frozen=True)
class Pattern:
    """A mask to call with its size and parameters, and its laws in symbols and in numbers.

    `formula` says how many cells it opens, `count` puts the numbers in; `span` says how far it is,
    both ends counted, from the earliest key that `layers` layers reach to the query it is farthest
    from.
    """

    allowed: Callable[..., Broadcast]
    formula: str
    count: Callable[..., tuple[str, int]]
    parameters: tuple[str, ...] = ()
    span: Callable[..., tuple[str, int]] | None = None

    def __call__(self, n: int, *arguments, **parameters) -> Broadcast:
        return self.allowed(n, *arguments, **parameters)


MASKS = {
    "full": Pattern(full, "n^2", laws.count_full),
    "causal": Pattern(causal, "n (n + 1) / 2", laws.count_causal),
    "prefix": Pattern(
        prefix, "p^2 + sum of (i + 1) for i = p … n - 1", laws.count_prefix, ("prefix",)
    ),
    "window": Pattern(
        window, "n w - w (w - 1) / 2", laws.count_window, ("window",), laws.span_window
    ),
    "dilated": Pattern(
        dilated,
        "m = min(w, ceil(n / d)): n m - d m (m - 1) / 2",
        laws.count_dilated,
        ("window", "dilation"),
        laws.span_dilated,
    ),
    "block": Pattern(
        block, "floor(n / b) b^2 + (n mod b)^2", laws.count_block, ("block",), laws.span_block
    ),
    "window_2d": Pattern(
        window_2d,
        "r = n / c: r (b + 1) (2 c - b) / 2 + a (2 r - a - 1) / 2 x (c + b (2 c - b - 1))",
        laws.count_window_2d,
        ("columns", "above", "beside"),
        laws.span_window_2d,
    ),
    "padding": Pattern(
        padding, "n x length, summed over the sequences", laws.count_padding, ("lengths",)
    ),
}


def additive(allowed: Allowed) -> Float[Tensor, "*batch query key"]:
    """0 where a query may look and -inf where not: added to the scores, never multiplied after the
    softmax.
    """
    return torch.zeros(allowed.shape).masked_fill(~allowed, -torch.inf)


def reach(allowed: Allowed, layers: int) -> Allowed:
    """Which input each output can depend on after `layers` layers: the square mask's boolean power,
    residual path included.
    """
    return next(islice(reaches(allowed), layers, None))


def reaches(allowed: Allowed) -> Iterator[Allowed]:
    """The same after 0, 1, 2 … layers, without end."""
    itself = torch.eye(allowed.shape[-1], dtype=torch.bool)
    step, reached = (allowed | itself).float(), itself.expand(allowed.shape)
    while True:
        yield reached
        reached = (step @ reached.float()) > 0


def layers_needed(allowed: Allowed) -> Float[Tensor, "*batch query key"]:
    """The fewest layers after which an output can depend on an input: 0 for its own, -inf where no
    number is enough.
    """
    needed = torch.full(allowed.shape, -torch.inf)
    for layers, reached in zip(
        range(allowed.shape[-1]), reaches(allowed), strict=False
    ):  # no way is longer than n - 1 steps
        new = reached & needed.isneginf()
        if not new.any():
            break
        needed = torch.where(new, float(layers), needed)
    return needed
