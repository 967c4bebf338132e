"""Intervals against SciPy, against simulated seeds, and against the seeds that they ask for."""

import math

import pytest
import torch
from scipy import stats

from model.answers.intervals import (
    MAX_SEEDS_NEEDED,
    bootstrap_estimate,
    geometric_mean_estimate,
    mean_estimate,
)
from tests.rounding import RANDOM, near, same
from tests.thorough import mostly

VALUES = [2.0, 3.5, 2.5, 5.0, 4.0]


def test_the_interval_of_a_mean_is_students():
    expected = stats.t.interval(0.95, 4, loc=3.4, scale=stats.sem(VALUES))
    same(mean_estimate(VALUES).interval(), expected)


def test_the_interval_of_a_geometric_mean_is_students_on_logarithms():
    logs = [math.log(value) for value in VALUES]
    ends = stats.t.interval(0.95, 4, loc=sum(logs) / 5, scale=stats.sem(logs))
    same(geometric_mean_estimate(VALUES).interval(), [math.exp(end) for end in ends])


def test_the_bootstrap_of_a_mean_is_nearly_students_interval():
    """The standard error of a mean is known; a bootstrap of 200 draws meets it within a fifth."""
    samples = torch.randn(12, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
    half, expected = (
        (high - low) / 2
        for low, high in (
            bootstrap_estimate(torch.mean, samples).interval(),
            mean_estimate(samples.tolist()).interval(),
        )
    )
    near(half, expected, RANDOM, rel=0.2)


@pytest.mark.parametrize("seeds", mostly([4, 8, 16], 4))
@pytest.mark.parametrize("logarithms", [False, True])
def test_nine_of_ten_intervals_and_more_hold_what_all_seeds_would_give(seeds, logarithms):
    """The ratio of two means whose seeds vary by a third, 300 times."""
    draws = torch.Generator().manual_seed(seeds)
    hits = 0
    for _ in range(300):
        samples = (0.3 * torch.randn(seeds, 2, generator=draws)).exp() * torch.tensor([4.0, 1.0])
        estimate = bootstrap_estimate(
            lambda some: some[:, 0].mean() / some[:, 1].mean(), samples, logarithms
        )
        low, high = estimate.interval()
        hits += low <= 4 <= high
    assert 0.9 <= hits / 300 <= 0.995


def test_an_interval_of_logarithms_ends_where_the_numbers_of_a_float_do():
    low, high = geometric_mean_estimate([1e-300, 1e200]).interval()
    assert 0 <= low < high < math.inf


def test_one_seed_has_no_spread():
    assert mean_estimate([1.0]) is None
    assert geometric_mean_estimate([1.0]) is None
    assert bootstrap_estimate(torch.mean, torch.ones(1)) is None


def test_a_statistic_that_few_draws_define_has_no_interval():
    """It needs all of its three seeds, and two of nine draws have them."""

    def of_three(some: torch.Tensor) -> torch.Tensor:
        return some.sum() if len(some.unique()) == 3 else torch.tensor(torch.nan)

    assert bootstrap_estimate(of_three, torch.tensor([1.0, 2.0, 3.0])) is None


@pytest.mark.parametrize(("band", "end"), [((3.0, None), 3.0), ((None, 3.6), 3.6), ((3.3, 9), 3.3)])
def test_as_many_seeds_as_are_needed_decide_and_one_fewer_do_not(band, end):
    estimate = mean_estimate(VALUES)
    needed = estimate.seeds_needed(band)
    gap = abs(estimate.number - end)
    assert estimate.half(needed) < gap <= estimate.half(needed - 1)


def test_the_nearer_end_of_a_band_says_how_many_seeds_are_needed():
    estimate = mean_estimate(VALUES)
    assert estimate.seeds_needed((3.0, 3.5)) == estimate.seeds_needed((None, 3.5))


def test_where_the_number_is_the_end_of_the_band_no_number_of_seeds_decides():
    assert mean_estimate([1.0, 3.0]).seeds_needed((2.0, None)) == MAX_SEEDS_NEEDED
