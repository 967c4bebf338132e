"""Sampling filters: the distribution that the next token is sampled from.

The temperature is applied first, then each filter in the order of the table FILTERS. A filter gets
the distribution left by the previous one and returns a mask of the tokens it keeps; their
probabilities are then renormalized to sum to 1. Tokens with equal probability are ranked by id.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model.generation.ties import best

Distribution = Float[Tensor, " vocabulary"]
TokenMask = Bool[Tensor, " vocabulary"]


def ranking(distribution: Distribution) -> Int[Tensor, " vocabulary"]:
    """The token ids in order of decreasing probability."""
    return distribution.argsort(descending=True, stable=True)


def at_temperature(logits: Float[Tensor, " vocabulary"], temperature: float) -> Distribution:
    """softmax(logits / temperature) in float64; the limit at 0 puts everything on the most probable
    token, with ties (ties.py) going to the lowest id.
    """
    below_best = logits.double() - logits.max().double()
    if temperature == 0:
        return torch.zeros_like(below_best).index_fill(0, best(logits), 1.0)
    return (below_best / temperature).softmax(-1)


def top_k(p: Distribution, k: int) -> TokenMask:
    """The k most probable tokens (Fan et al. 2018)."""
    return torch.zeros_like(p, dtype=torch.bool).index_fill(0, ranking(p)[:k], True)


def top_p(p: Distribution, mass: float) -> TokenMask:
    """The smallest set of most probable tokens whose probabilities sum to at least `mass` (Holtzman
    et al. 2020).
    """
    ranked = ranking(p)
    sum_before = p[ranked].cumsum(0) - p[ranked]
    return torch.zeros_like(p, dtype=torch.bool).index_fill(0, ranked[sum_before < mass], True)


def min_p(p: Distribution, share: float) -> TokenMask:
    """The tokens at least `share` times as probable as the most probable one (Nguyen et al.
    2024).
    """
    return p >= share * p.max()


FILTERS: dict[str, Callable[..., TokenMask]] = {"top_k": top_k, "top_p": top_p, "min_p": min_p}


def sampling_distribution(
    logits: Float[Tensor, " vocabulary"], temperature: float = 1.0, **filters: float | int | None
) -> Distribution:
    """The distribution that a token is sampled from: the softmax at `temperature` after all
    FILTERS. A filter that is None or absent keeps all tokens.
    """
    p = at_temperature(logits, temperature)
    for name, keep in FILTERS.items():
        limit = filters.get(name)
        if limit is not None:
            p = p * keep(p, limit)
            p = p / p.sum()
    return p


def draw(p: Distribution, u: float) -> int:
    """The token selected by the number `u` in [0, 1): the probabilities, in decreasing order,
    divide [0, 1) into intervals, and `u` is in the token's interval.
    """
    ranked = ranking(p)
    ranked = ranked[p[ranked] > 0]
    before = int((p[ranked].cumsum(0) <= u).sum())
    return int(ranked[min(before, len(ranked) - 1)])
