"""Intervals: how far a number that is measured over seeds may lie from what all seeds would give.

An interval holds 95 % by Student's t, n - 1 degrees of freedom for n seeds (Student 1908). For a
number that takes all seeds together, the standard error comes from a bootstrap over the seeds
(Efron and Tibshirani 1993, chapter 6: 200 draws are enough for a standard error). Percentiles of
so few seeds as 4 would be too narrow (Hesterberg 2015, section 4), and t with that error is not.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from scipy.special import stdtrit
from torch import Tensor

from model.answers.laws import Band, Number

SHARE = 0.95
DRAWS = 200
LARGEST = math.log(1e300)
"""The largest logarithm that an end of an interval has: a float has room for little more."""
MAX_SEEDS_NEEDED = 10_000
"""Stands for itself and for more."""


@dataclass(frozen=True)
class Estimate:
    """A number from `seeds` seeds or other independent draws, and the standard `deviation` that one
    of them gives it. Both are natural logarithms where `logarithms` is true. `method` names how the
    interval is made.
    """

    number: float
    deviation: float
    seeds: int
    method: str
    logarithms: bool = False

    def interval(self) -> tuple[float, float]:
        """The two ends of the interval. Of logarithms it ends where the numbers of a float do."""
        half = self.half(self.seeds)
        low, high = self.number - half, self.number + half
        return (math.exp(low), math.exp(min(high, LARGEST))) if self.logarithms else (low, high)

    def half(self, seeds: int) -> float:
        """Half the width of the interval that so many seeds would give."""
        return quantile(seeds) * self.deviation / math.sqrt(seeds)

    def seeds_needed(self, band: Band) -> int:
        """How many seeds would make the interval so narrow that it crosses no end of the band, if
        the number and the deviation stayed as they are. MAX_SEEDS_NEEDED stands for more, too.
        """
        gap = min((abs(self.number - end) for end in self.ends(band)), default=math.inf)
        if gap == 0:
            return MAX_SEEDS_NEEDED
        # t is never below its limit for many seeds, so fewer than this cannot be enough.
        seeds = max(2, math.ceil((quantile(MAX_SEEDS_NEEDED) * self.deviation / gap) ** 2))
        while seeds < MAX_SEEDS_NEEDED and self.half(seeds) >= gap:
            seeds += 1
        return min(seeds, MAX_SEEDS_NEEDED)

    def ends(self, band: Band) -> list[float]:
        """The ends of the band on the scale of `number`. A logarithm never reaches 0."""
        closed = [float(end) for end in band if end is not None]
        return [math.log(end) for end in closed if end > 0] if self.logarithms else closed


@cache
def quantile(seeds: int) -> float:
    """Student's t that 95 % of all draws stay within, for a mean of so many seeds."""
    return float(stdtrit(seeds - 1, (1 + SHARE) / 2))


def mean_estimate(values: Sequence[float]) -> Estimate | None:
    """The mean of the seeds. None if there is one seed alone, which has no spread."""
    return t_estimate(values, "t", logarithms=False)


def draws_estimate(draws: Tensor) -> Estimate:
    """The mean of draws that are independent of one another, whichever seed made them."""
    return Estimate(draws.mean().item(), draws.std().item(), draws.numel(), "t over all draws")


def geometric_mean_estimate(values: Sequence[float]) -> Estimate | None:
    """The geometric mean of the seeds, which all have to be above 0. None for one seed alone."""
    return t_estimate([math.log(value) for value in values], "t on logarithms", logarithms=True)


def t_estimate(values: Sequence[float], method: str, logarithms: bool) -> Estimate | None:
    n = len(values)
    if n < 2:
        return None
    mean = sum(values) / n
    variance = sum((value - mean) ** 2 for value in values) / (n - 1)
    return Estimate(mean, math.sqrt(variance), n, method, logarithms)


def bootstrap_estimate(
    statistic: Callable[[Tensor], Number | Tensor], samples: Tensor, logarithms: bool = False
) -> Estimate | None:
    """`statistic` of `samples` [seed, …], with the standard error of a bootstrap over the seeds.
    The order of the seeds has to make no difference to it. None for one seed alone, and if the
    statistic is not finite for half of the draws.
    """
    n = len(samples)
    if n < 2:
        return None

    @cache  # of four seeds there are 35 selections, however many are drawn
    def statistic_of(chosen: tuple[int, ...]) -> float:
        value = float(statistic(samples[list(chosen)]))
        return math.log(value) if logarithms and value > 0 else math.nan if logarithms else value

    draws = torch.randint(n, (DRAWS, n), generator=torch.Generator().manual_seed(0)).tolist()
    found = torch.tensor(
        [statistic_of(tuple(sorted(chosen))) for chosen in draws], dtype=torch.float64
    )
    finite, whole = found[found.isfinite()], statistic_of(tuple(range(n)))
    if len(finite) < DRAWS / 2 or not math.isfinite(whole):
        return None
    # A bootstrap's error is too small by the root of (n - 1) / n, as a variance over n is.
    seed_scale = finite.std(correction=0).item() * math.sqrt(n) * math.sqrt(n / (n - 1))
    method = "bootstrap on logarithms" if logarithms else "bootstrap"
    return Estimate(whole, seed_scale, n, method, logarithms)
