"""Reliability: of the rows that were given a probability p, how many it was true of; and how far
the two lie apart over all rows, the expected calibration error. Both with intervals of 95 %.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

BINS = 10
DRAWS = 200
Z = 1.959964  # 95 % of a normal distribution lie within so many standard deviations

Weights = Float[np.ndarray, " row"]
Shares = Float[np.ndarray, " row"]


@dataclass(frozen=True)
class Bin:
    """Rows with probabilities near one another: the mean probability `believed`, the share
    `happened` of which it was true, the interval of the share, and the number of `rows`.
    """

    believed: float
    happened: float
    low: float
    high: float
    rows: int


def bins_of(believed: Shares, bins: int = BINS) -> Int[np.ndarray, " row"]:
    """The bin of each row: bins of the same number of rows, by probability. Rows with the same
    probability are in one bin.
    """
    edges = np.quantile(believed, np.arange(1, bins) / bins)
    return np.searchsorted(np.unique(edges), believed, side="right")


def reliability(
    believed: Shares, happened: Bool[np.ndarray, " row"], groups: Sequence[object] | None = None
) -> list[Bin]:
    """The bins of rows from the least to the most probable. Rows of one group depend on one
    another: an interval is that of as many independent rows as say as much.
    """
    found, numbers = [], None if groups is None else group_numbers(groups)
    place = bins_of(believed)
    for number in np.unique(place):
        here = place == number
        n, share = int(here.sum()), float(happened[here].mean())
        rows = n if numbers is None else independent(happened[here].astype(float), numbers[here])
        low, high = wilson(share, rows)
        found.append(Bin(float(believed[here].mean()), share, low, high, n))
    return found


def wilson(share: float, n: float) -> tuple[float, float]:
    """The interval of a share of `n` independent rows (Wilson 1927)."""
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def independent(values: Float[np.ndarray, " row"], groups: Int[np.ndarray, " row"]) -> float:
    """How many independent rows say as much about the mean of 0s and 1s as these: n over the design
    effect, the variance of a mean of groups over that of a mean of rows (Kish 1965, section 5.4).
    """
    n, mean = len(values), values.mean()
    sums = np.bincount(groups, values - mean)
    count = len(np.unique(groups))
    variance = mean * (1 - mean) / n
    if not variance or count < 2:
        return float(n if count > 1 else 1)
    together = count / (count - 1) * float((sums**2).sum()) / n**2
    return n / max(1.0, together / variance)


def calibration_error(
    believed: Shares, happened: Bool[np.ndarray, " row"], weights: Weights | None = None
) -> float:
    """ECE: the mean over rows of |share - mean probability| of their bin, for probabilities of the
    class that the model says (Naeini et al. 2015, with bins of the same number of rows).
    """
    weights = np.ones(len(believed)) if weights is None else weights
    place = bins_of(believed)
    return float(np.abs(np.bincount(place, weights * (happened - believed))).sum() / weights.sum())


def interval(
    statistic: Callable[[Weights], float],
    rows: int,
    groups: Sequence[object] | None = None,
    low: float = 0.0,
) -> tuple[float, float]:
    """The number +- 1.96 standard errors, at least `low`. The error is the deviation over 200
    bootstrap draws of groups, or of single rows (Efron and Tibshirani 1993, chapter 6);
    `statistic` takes how often each row was drawn.
    """
    numbers = np.arange(rows) if groups is None else group_numbers(groups)
    count, draws = int(numbers.max()) + 1, np.random.default_rng(0)
    found = [
        statistic(np.bincount(draws.integers(count, size=count), minlength=count)[numbers] * 1.0)
        for _ in range(DRAWS)
    ]
    value, half = statistic(np.ones(rows)), Z * float(np.std(found, ddof=1))
    return max(low, value - half), value + half


def group_numbers(groups: Sequence[object]) -> Int[np.ndarray, " row"]:
    """Groups by their number, from 0."""
    return np.unique(np.asarray(groups), return_inverse=True)[1].reshape(-1)
