"""Masks: which key each query may see. True allows; what is not allowed gets -inf before the softmax.

Shapes: `allowed` is [query, key]; a query counts from the first position, its own included.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import torch
from jaxtyping import Bool, Float
from torch import Tensor

Allowed = Bool[Tensor, "*batch query key"]


def full(n: int) -> Allowed:
    """Every query sees every key: n^2 cells."""
    return torch.ones(n, n, dtype=torch.bool)


def causal(n: int, earlier: int = 0) -> Allowed:
    """A query sees itself and what came before: n(n+1)/2 cells.

    `earlier` further keys come before all of them, a segment kept from before or persistent slots, and are open to every
    query: [n, earlier + n], n more cells each (Dai et al. 2019, section 3.2).
    """
    return torch.ones(n, earlier + n, dtype=torch.bool).tril(earlier)


def prefix(n: int, prefix: int) -> Allowed:
    """The first `prefix` keys are open to all, the rest is causal (Raffel et al. 2020, figure 3)."""
    return causal(n) | (torch.arange(n) < prefix)


def window(n: int, window: int) -> Allowed:
    """A query sees itself and the `window` - 1 positions before it; L layers reach L(window-1)+1."""
    return causal(n) & ~full(n).tril(-window)


def padding(n: int, lengths: list[int]) -> Bool[Tensor, "sequence 1 key"]:
    """Keys beyond a sequence's own length are hidden from every query; the query axis broadcasts."""
    return (torch.arange(n) < torch.tensor(lengths)[:, None])[:, None, :]


@dataclass(frozen=True)
class Pattern:
    """A mask to call with its size and parameters; `formula` says how many cells it opens, `count` puts the numbers in."""

    allowed: Callable[..., Allowed]
    formula: str
    count: Callable[..., tuple[str, int]]
    parameters: tuple[str, ...] = ()

    def __call__(self, n: int, *arguments, **parameters) -> Allowed:
        return self.allowed(n, *arguments, **parameters)


def count_prefix(n: int, prefix: int) -> tuple[str, int]:
    terms = " + ".join(str(i) for i in range(prefix + 1, n + 1)) if n - prefix <= 8 else f"{prefix + 1} + … + {n}"
    return f"{prefix}^2 + ({terms or 0})", prefix**2 + (n * (n + 1) - prefix * (prefix + 1)) // 2


def count_window(n: int, window: int) -> tuple[str, int]:
    return f"{n} x {window} - {window} x {window - 1} / 2", n * window - window * (window - 1) // 2


def count_padding(n: int, lengths: list[int]) -> tuple[str, int]:
    return f"{n} x {lengths[0]}" if len(lengths) == 1 else f"{n} x ({' + '.join(map(str, lengths))})", n * sum(lengths)


MASKS = {
    "full": Pattern(full, "n^2", lambda n: (f"{n}^2", n**2)),
    "causal": Pattern(causal, "n (n + 1) / 2", lambda n: (f"{n} x {n + 1} / 2", n * (n + 1) // 2)),
    "prefix": Pattern(prefix, "p^2 + sum of (i + 1) for i = p … n - 1", count_prefix, ("prefix",)),
    "window": Pattern(window, "n w - w (w - 1) / 2", count_window, ("window",)),
    "padding": Pattern(padding, "n x length, summed over the sequences", count_padding, ("lengths",)),
}


def additive(allowed: Allowed) -> Float[Tensor, "*batch query key"]:
    """0 where a query may look and -inf where not: added to the scores, never multiplied after the softmax."""
    return torch.zeros(allowed.shape).masked_fill(~allowed, -torch.inf)


def reach(allowed: Allowed, layers: int) -> Allowed:
    """Which input each output can depend on after `layers` layers: the mask's boolean power, residual path included."""
    return next(islice(reaches(allowed), layers, None))


def reaches(allowed: Allowed) -> Iterator[Allowed]:
    """The same after 0, 1, 2 … layers, without end."""
    itself = torch.eye(allowed.shape[-1], dtype=torch.bool)
    step, reached = (allowed | itself).float(), itself.expand(allowed.shape)
    while True:
        yield reached
        reached = (step @ reached.float()) > 0


def layers_needed(allowed: Allowed) -> Float[Tensor, "*batch query key"]:
    """The fewest layers after which an output can depend on an input: 0 for its own, -inf where no number is enough."""
    needed = torch.full(allowed.shape, -torch.inf)
    for layers, reached in zip(range(allowed.shape[-1]), reaches(allowed), strict=False):  # no way is longer than n - 1 steps
        new = reached & needed.isneginf()
        if not new.any():
            break
        needed = torch.where(new, float(layers), needed)
    return needed
