"""Masks: the keys that each query may attend to. True allows; otherwise the score becomes -inf
before the softmax. Every mask is [query, key]; `padding` returns one per sequence of a batch.

A mask is a function of the length n and its own parameters. The functions after it return its
formulas, each as a Law: the formula as text, with the numbers inserted, and its value. `count_…` is
the number of True cells, pairs of a query and a key. `span_…` is the receptive field of several
layers: the number of positions from the earliest key that a query depends on to the query itself,
both included, for the query that reaches back farthest. To add a mask, write these functions, add a
row to MASKS, and add its parameters to MASK_PARAMETERS. `both` and `either` combine two masks.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool
from torch import Tensor

from model.layers.mask_parameters import MASK_PARAMETERS, Parameter

Allowed = Bool[Tensor, "*batch query key"]
Broadcast = Bool[Tensor, "*#batch #query #key"]  # an axis of size 1 broadcasts
Law = tuple[str, int]


def full(n: int) -> Allowed:
    """Every query attends to every key."""
    return torch.ones(n, n, dtype=torch.bool)


def count_full(n: int) -> Law:
    return f"{n}^2", n**2


def causal(n: int, earlier: int = 0) -> Allowed:
    """A query attends to itself and to earlier positions.

    `earlier` is the number of cached keys from earlier segments. They precede the n current ones,
    and every query attends to them: the mask is [n, earlier + n] (Dai et al. 2019, section 3.2).
    """
    return torch.ones(n, earlier + n, dtype=torch.bool).tril(earlier)


def count_causal(n: int) -> Law:
    return f"{n} x {n + 1} / 2", n * (n + 1) // 2


def prefix(n: int, prefix: int) -> Allowed:
    """Every query attends to the first `prefix` keys; the rest is causal (Raffel et al. 2020,
    figure 3).
    """
    return causal(n) | (torch.arange(n) < prefix)


def count_prefix(n: int, prefix: int) -> Law:
    first, terms = prefix + 1, " + ".join(str(i) for i in range(prefix + 1, n + 1))
    summed = terms or "0" if n - prefix <= 8 else f"{first} + … + {n}"
    return f"{prefix}^2 + ({summed})", prefix**2 + (n * (n + 1) - prefix * first) // 2


def window(n: int, window: int) -> Allowed:
    """A query attends to itself and the `window` - 1 positions before it."""
    return causal(n) & ~full(n).tril(-window)


def count_window(n: int, window: int) -> Law:
    return f"{n} x {window} - {window} x {window - 1} / 2", n * window - window * (window - 1) // 2


def span_window(n: int, layers: int, window: int) -> Law:
    span = layers * (window - 1) + 1
    return f"L (w - 1) + 1 = {layers} x {window - 1} + 1 = {span}, at most n = {n}", min(n, span)


def dilated(n: int, window: int, dilation: int) -> Allowed:
    """A query attends to itself and every `dilation`-th position before it, `window` positions in
    all.

    This is the backward half of Beltagy et al. 2020, section 3.1. The strided pattern of Child et
    al. 2019, section 4.3, with stride l is `either(window(n, l), dilated(n, n, l))`.
    """
    back = torch.arange(n)[:, None] - torch.arange(n)
    return (back >= 0) & (back < window * dilation) & (back % dilation == 0)


def count_dilated(n: int, window: int, dilation: int) -> Law:
    m = min(window, math.ceil(n / dilation))
    return f"{n} x {m} - {dilation} x {m} x {m - 1} / 2", n * m - dilation * m * (m - 1) // 2


def span_dilated(n: int, layers: int, window: int, dilation: int) -> Law:
    steps = layers * (window - 1)
    law = f"L (w - 1) d + 1 = {layers} x {window - 1} x {dilation} + 1 = {steps * dilation + 1}"
    span = min(steps, (n - 1) // dilation) * dilation + 1
    return f"{law}, in steps of d = {dilation} within n = {n}", span


def block(n: int, block: int) -> Allowed:
    """A query attends to all positions of its own block, including later ones, and to no others, no
    matter how many layers there are. The last block may be shorter.

    This is the local attention of Liu et al. 2018; in a decoder it is `both(causal(n), block(n,
    b))`.
    """
    blocks = torch.arange(n) // block
    return blocks[:, None] == blocks


def count_block(n: int, block: int) -> Law:
    whole, rest = divmod(n, block)
    return f"{whole} x {block}^2 + {rest}^2", whole * block**2 + rest**2


def span_block(n: int, layers: int, block: int) -> Law:
    return (f"b = {block}, however many layers", block) if layers else ("1, before any layer", 1)


def window_2d(n: int, columns: int, above: int, beside: int) -> Allowed:
    """The positions form a grid with `columns` columns, in row-major order. A query attends to its
    own row and the `above` rows over it, to its own column and `beside` columns on either side, and
    to no later position.

    This is the 2-D local attention of Parmar et al. 2018, section 3.3, with query blocks of a
    single position.
    """
    row, column = torch.arange(n) // columns, torch.arange(n) % columns
    up, aside = row[:, None] - row, (column[:, None] - column).abs()
    return causal(n) & (up <= above) & (aside <= beside)


def count_window_2d(n: int, columns: int, above: int, beside: int) -> Law:
    r, c = n // columns, columns
    a, b = min(above, r - 1), min(beside, c - 1)
    within = f"{r} x {b + 1} x {2 * c - b} / 2"
    over = f"{a} x {2 * r - a - 1} / 2 x ({c} + {b} x {2 * c - b - 1})"
    number = r * (b + 1) * (2 * c - b) // 2 + a * (2 * r - a - 1) // 2 * (c + b * (2 * c - b - 1))
    return f"{within} + {over}", number


def span_window_2d(n: int, layers: int, columns: int, above: int, beside: int) -> Law:
    up, aside = min(layers * above, n // columns - 1), min(layers * beside, columns - 1)
    span = columns * up + aside + 1
    law = f"c L a + L b + 1 = {columns} x {up} + {aside} + 1 = {span}"
    return f"{law}, L a and L b, cut off at the edge of the grid", span


def padding(n: int, lengths: list[int]) -> Bool[Tensor, "sequence 1 key"]:
    """No query attends to keys beyond the length of its sequence; the query axis broadcasts."""
    return (torch.arange(n) < torch.tensor(lengths)[:, None])[:, None, :]


def count_padding(n: int, lengths: list[int]) -> Law:
    summed = " + ".join(map(str, lengths))
    return f"{n} x {summed}" if len(lengths) == 1 else f"{n} x ({summed})", n * sum(lengths)


def both(a: Broadcast, b: Broadcast) -> Broadcast:
    """True where both masks are."""
    return a & b


def either(a: Broadcast, b: Broadcast) -> Broadcast:
    """True where at least one mask is."""
    return a | b


JOINS = {"and": both, "or": either}


@dataclass(frozen=True)
class Pattern:
    """A mask, called with the length n and its parameters. `formula` is the number of True cells in
    symbols, and `count` the same with numbers. `span` is how far back several layers with this mask
    reach, or None if there is no formula for it.
    """

    allowed: Callable[..., Broadcast]
    formula: str
    count: Callable[..., Law]
    parameters: tuple[Parameter, ...] = ()
    span: Callable[..., Law] | None = None

    def __call__(self, n: int, *arguments, **parameters) -> Broadcast:
        return self.allowed(n, *arguments, **parameters)


MASKS = {
    "full": Pattern(full, "n^2", count_full),
    "causal": Pattern(causal, "n (n + 1) / 2", count_causal),
    "prefix": Pattern(
        prefix, "p^2 + sum of (i + 1) for i = p … n - 1", count_prefix, MASK_PARAMETERS["prefix"]
    ),
    "window": Pattern(
        window, "n w - w (w - 1) / 2", count_window, MASK_PARAMETERS["window"], span_window
    ),
    "dilated": Pattern(
        dilated,
        "with m = min(w, ceil(n / d)), n m - d m (m - 1) / 2",
        count_dilated,
        MASK_PARAMETERS["dilated"],
        span_dilated,
    ),
    "block": Pattern(
        block, "floor(n / b) b^2 + (n mod b)^2", count_block, MASK_PARAMETERS["block"], span_block
    ),
    "window_2d": Pattern(
        window_2d,
        "with r = n / c, r (b + 1) (2 c - b) / 2 + a (2 r - a - 1) / 2 x (c + b (2 c - b - 1))",
        count_window_2d,
        MASK_PARAMETERS["window_2d"],
        span_window_2d,
    ),
    "padding": Pattern(
        padding, "n x length, summed over the sequences", count_padding, MASK_PARAMETERS["padding"]
    ),
}
