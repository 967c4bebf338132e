"""Masks: which key each query may see. True allows; what is not allowed gets -inf before the softmax.

Shapes: `allowed` is [query, key]; a query counts from the first position, its own included.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

Allowed = Bool[Tensor, "*batch query key"]


def full(n: int) -> Allowed:
    """Every query sees every key: n^2 cells."""
    return torch.ones(n, n, dtype=torch.bool)


def causal(n: int) -> Allowed:
    """A query sees itself and what came before: n(n+1)/2 cells."""
    return full(n).tril()


def prefix(n: int, prefix: int) -> Allowed:
    """The first `prefix` keys are open to all, the rest is causal (Raffel et al. 2020, figure 3)."""
    return causal(n) | (torch.arange(n) < prefix)


def window(n: int, window: int) -> Allowed:
    """A query sees itself and the `window` - 1 positions before it; L layers reach L(window-1)+1."""
    return causal(n) & ~full(n).tril(-window)


def padding(n: int, lengths: list[int]) -> Bool[Tensor, "sequence 1 key"]:
    """Keys beyond a sequence's own length are hidden from every query; the query axis broadcasts."""
    return (torch.arange(n) < torch.tensor(lengths)[:, None])[:, None, :]


MASKS = {"full": full, "causal": causal, "prefix": prefix, "window": window}


def additive(allowed: Allowed) -> Float[Tensor, "*batch query key"]:
    """0 where a query may look and -inf where not: added to the scores, never multiplied after the softmax."""
    return torch.zeros(allowed.shape).masked_fill(~allowed, -torch.inf)


def reach(allowed: Bool[Tensor, "query key"], layers: int) -> Bool[Tensor, "query key"]:
    """Which input each output can depend on after `layers` layers: the mask's boolean power, residual path included."""
    step = (allowed | torch.eye(len(allowed), dtype=torch.bool)).float()
    reached = torch.eye(len(allowed))
    for _ in range(layers):
        reached = ((step @ reached) > 0).float()
    return reached.bool()
