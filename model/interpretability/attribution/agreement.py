"""Agreement of two measures of the same tokens: Spearman's rank correlation of their absolute
values, compared with random orders of the tokens.

Tokens that matter more have larger absolute scores. A random order has a correlation too, often a
large one if there are few tokens. The correlations of many random orders are sampled: a measure
agrees better than chance if at most 2.5% of them reach it, and worse than chance if at most 2.5%
are as low.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor

Sizes = Float[Tensor, " token"]
Verdict = Literal["better than chance", "no better than chance", "worse than chance", "not defined"]
DRAWS = 10_000
SHARE = 0.95
SEED = 0
ROUNDING = 1e-6  # nats; smaller changes are float32 rounding errors and count as 0
SAME = 1e-9
"""Correlations that differ by less are equal up to rounding."""


@dataclass(frozen=True)
class Chance:
    """The rank correlations of `draws` random orders with a measure, sorted. `low` and `high` are
    the ends of the middle 95%.
    """

    correlations: Float[Tensor, " draw"]

    @property
    def draws(self) -> int:
        return len(self.correlations)

    @property
    def low(self) -> float:
        return self.correlations.quantile((1 - SHARE) / 2).item()

    @property
    def high(self) -> float:
        return self.correlations.quantile((1 + SHARE) / 2).item()

    def reached_by(self, correlation: float) -> float:
        """The fraction of random orders whose correlation is at least as large, counting the
        measure itself as one: a p-value that is never 0 (Phipson and Smyth 2010).
        """
        return self.fraction(self.correlations >= correlation - SAME)

    def as_low_as(self, correlation: float) -> float:
        """The fraction of random orders whose correlation is at most as large, counted in the same
        way.
        """
        return self.fraction(self.correlations <= correlation + SAME)

    def fraction(self, which: Bool[Tensor, " draw"]) -> float:
        return (which.sum().item() + 1) / (self.draws + 1)


@dataclass(frozen=True)
class Agreement:
    """The rank correlation of a measure with removal, and the fraction of random orders that reach
    it. None if a measure is the same for all tokens, or if there are fewer than three.
    """

    rank_correlation: float | None
    chance_of_as_much: float | None
    verdict: Verdict


def sizes(measure: Sizes) -> Sizes:
    """The absolute value of each number; float32 rounding errors count as 0."""
    size = measure.abs()
    return size.masked_fill(size < ROUNDING, 0.0)


def spearman(x: Sizes, y: Sizes) -> float | None:
    """Spearman's rank correlation: the correlation of the ranks, with ties given their mean rank
    (Spearman 1904).
    """
    if len(x) < 3:
        return None
    both = torch.stack([ranks(x), ranks(y)])
    if (both.std(dim=1) == 0).any():
        return None
    return torch.corrcoef(both)[0, 1].item()


def ranks(x: Sizes) -> Float[Tensor, " token"]:
    """The rank of each number, smallest first; ties have their mean rank."""
    below = (x[None] < x[:, None]).sum(-1)
    equal = (x[None] == x[:, None]).sum(-1)
    return (below + (equal + 1) / 2).double()


def correlation(first: Sizes, other: Sizes) -> float | None:
    """Spearman's rank correlation of the absolute values of two measures."""
    return spearman(sizes(first), sizes(other))


def chance(measure: Sizes) -> Chance | None:
    """The correlations of random token orders with `measure`; None if undefined."""
    known = ranks(sizes(measure))
    if len(known) < 3 or known.std() == 0:
        return None
    generator = torch.Generator().manual_seed(SEED)
    orders = torch.rand(DRAWS, len(known), generator=generator).argsort(-1).double()
    centred = known - known.mean()
    products = (orders - orders.mean(-1, keepdim=True)) @ centred
    found = products / (orders[0].std(correction=0) * centred.norm() * len(known) ** 0.5)
    return Chance(found.sort().values)


def agreement(measure: Sizes, removal: Sizes, random: Chance | None) -> Agreement:
    """How well a measure orders the tokens compared with removal."""
    found = correlation(measure, removal)
    if found is None or random is None:
        return Agreement(None, None, "not defined")
    return Agreement(found, random.reached_by(found), verdict(found, random))


def verdict(found: float, random: Chance) -> Verdict:
    """The verdict on a correlation, compared with random orders."""
    if random.reached_by(found) <= (1 - SHARE) / 2:
        return "better than chance"
    if random.as_low_as(found) <= (1 - SHARE) / 2:
        return "worse than chance"
    return "no better than chance"
