"""Reliability: the frequency of outcomes with a predicted probability p; and the mean difference
between the two, the expected calibration error. Both have 95% intervals.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

BINS = 10
DRAWS = 200
Z = 1.959964  # the two-sided 95% quantile of a normal distribution

Weights = Float[np.ndarray, " row"]
Shares = Float[np.ndarray, " row"]


@dataclass(frozen=True)
class Bin:
    """Rows with similar probabilities: the mean probability `believed`, the frequency `happened` of
    the outcome, its interval, and the number of `rows`.
    """

    believed: float
    happened: float
    low: float
    high: float
    rows: int


def bins_of(believed: Shares, bins: int = BINS) -> Int[np.ndarray, " row"]:
    """The bin of each row: bins with equally many rows, by probability. Rows with the same
    probability are in the same bin.
    """
    edges = np.quantile(believed, np.arange(1, bins) / bins)
    return np.searchsorted(np.unique(edges), believed, side="right")


def reliability(
    believed: Shares, happened: Bool[np.ndarray, " row"], groups: Sequence[object] | None = None
) -> list[Bin]:
    """The bins of rows in order of probability. Rows in a group are dependent: the interval uses
    their effective sample size.
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
    """The interval of a fraction of `n` independent rows (Wilson 1927)."""
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def independent(values: Float[np.ndarray, " row"], groups: Int[np.ndarray, " row"]) -> float:
    """The effective sample size of these 0s and 1s: n divided by the design effect, the variance of
    a mean of groups over that of a mean of rows (Kish 1965, section 5.4).
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
    """ECE: the mean over rows of |fraction - mean probability| of their bin, for the probabilities
    of the predicted class (Naeini et al. 2015, with bins of equally many rows).
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
    bootstrap samples of groups, or of single rows (Efron and Tibshirani 1993, chapter 6);
    `statistic` takes how often each row was sampled.
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
    """The index of each row's group, from 0."""
    return np.unique(np.asarray(groups), return_inverse=True)[1].reshape(-1)
