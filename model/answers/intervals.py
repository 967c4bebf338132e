"""Confidence intervals for numbers measured over seeds.

An interval has 95% coverage by Student's t, with n - 1 degrees of freedom for n seeds (Student
1908). For a number computed from all seeds together, the standard error comes from a bootstrap over
the seeds (Efron and Tibshirani 1993, chapter 6: 200 samples are enough for a standard error).
Percentiles from as few as 4 seeds would be too narrow (Hesterberg 2015, section 4); t with that
error is not.
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
"""The largest logarithm at the end of an interval; a float has room for little more."""
MAX_SEEDS_NEEDED = 10_000
"""Stands for this number or more."""


@dataclass(frozen=True)
class Estimate:
    """A number from `seeds` seeds or other independent samples, and the standard `deviation` of one
    of them. Both are natural logarithms if `logarithms` is true. `method` names how the interval is
    computed.
    """

    number: float
    deviation: float
    seeds: int
    method: str
    logarithms: bool = False

    def interval(self) -> tuple[float, float]:
        """The ends of the interval. On a logarithmic scale, they are limited to the range of a
        float.
        """
        half = self.half(self.seeds)
        low, high = self.number - half, self.number + half
        return (math.exp(low), math.exp(min(high, LARGEST))) if self.logarithms else (low, high)

    def half(self, seeds: int) -> float:
        """Half the width of the interval with so many seeds."""
        return quantile(seeds) * self.deviation / math.sqrt(seeds)

    def seeds_needed(self, band: Band) -> int:
        """How many seeds would narrow the interval until it crosses no end of the band, with the
        same number and deviation. MAX_SEEDS_NEEDED means this many or more.
        """
        gap = min((abs(self.number - end) for end in self.ends(band)), default=math.inf)
        if gap == 0:
            return MAX_SEEDS_NEEDED
        # t is never below its limit for many seeds, so fewer seeds cannot be enough.
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
    """The two-sided 95% quantile of Student's t for a mean of so many seeds."""
    return float(stdtrit(seeds - 1, (1 + SHARE) / 2))


def mean_estimate(values: Sequence[float]) -> Estimate | None:
    """The mean over seeds. None for a single seed, which has no spread."""
    return t_estimate(values, "t", logarithms=False)


def draws_estimate(draws: Tensor) -> Estimate:
    """The mean of samples that are independent of one another, whichever seed produced them."""
    return Estimate(draws.mean().item(), draws.std().item(), draws.numel(), "t over all draws")


def geometric_mean_estimate(values: Sequence[float]) -> Estimate | None:
    """The geometric mean over seeds, which must be positive. None for a single seed."""
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
    """`statistic` of `samples` [seed, …], with the standard error of a bootstrap over the seeds. It
    must not depend on the order of the seeds. None for a single seed, or if the statistic is not
    finite for half of the samples.
    """
    n = len(samples)
    if n < 2:
        return None

    @cache  # four seeds have only 35 resamples
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
    # The bootstrap underestimates the error by sqrt((n - 1) / n), like a variance over n.
    seed_scale = finite.std(correction=0).item() * math.sqrt(n) * math.sqrt(n / (n - 1))
    method = "bootstrap on logarithms" if logarithms else "bootstrap"
    return Estimate(whole, seed_scale, n, method, logarithms)
