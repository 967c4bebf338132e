"""Agreement by rank is Spearman's, and chance is what random orders give."""

from itertools import permutations

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from model.interpretability.attribution.agreement import (
    agreement,
    chance,
    correlation,
    ranks,
    spearman,
)
from tests.rounding import RANDOM, SINGLE, near, same

REMOVAL = torch.tensor([0.5, -2.0, 0.1, 3.0, -0.4, 0.02, 1.0, 0.3])


@pytest.mark.parametrize("seed", range(3))
def test_the_rank_correlation_is_that_of_the_sizes(seed: int):
    scores = torch.randn(8, generator=torch.Generator().manual_seed(seed))
    expected = spearmanr(scores.abs().numpy(), REMOVAL.abs().numpy()).statistic
    same(correlation(scores, REMOVAL), expected)
    same(correlation(-scores, REMOVAL), expected)


def test_the_rank_correlation_is_one_for_the_same_order_and_shares_equal_ranks():
    x = torch.tensor([0.1, 0.7, 0.2])
    same(spearman(x, x**3), 1, SINGLE)
    same(spearman(x, -x), -1, SINGLE)
    assert ranks(torch.tensor([3.0, 1.0, 3.0, 2.0])).tolist() == [3.5, 1, 3.5, 2]
    # Spearman by hand: 1 - 6 * (0 + 1 + 1) / (3 * 8) with one pair of neighbours exchanged
    same(spearman(x, torch.tensor([0.1, 0.2, 0.7])), 1 - 6 * 2 / 24)
    assert spearman(x[:2], x[:2]) is None
    assert spearman(x, torch.ones(3)) is None


def test_random_orders_of_few_tokens_have_the_correlations_of_all_orders():
    measure = torch.tensor([4.0, 1.0, 2.0, 2.0, 0.5])
    every = [spearmanr(order, measure.numpy()).statistic for order in permutations(range(5))]
    random = chance(measure)
    assert random is not None
    for value in sorted(set(np.round(every, 9))):
        share = np.mean(np.array(every) >= value - 1e-9)
        near(random.reached_by(float(value)), share, RANDOM, abs=0.02)
    near(random.low, np.quantile(every, 0.025), RANDOM, abs=0.06)
    near(random.high, np.quantile(every, 0.975), RANDOM, abs=0.06)


def test_the_same_order_is_better_than_chance_and_the_opposite_one_is_worse():
    random = chance(REMOVAL)
    alike = agreement(REMOVAL * 7, REMOVAL, random)
    same(alike.rank_correlation, 1)
    assert alike.verdict == "better than chance"
    assert agreement(1 / REMOVAL, REMOVAL, random).verdict == "worse than chance"


def test_a_random_order_passes_as_better_than_chance_once_in_forty_times():
    random, draws = chance(REMOVAL), torch.Generator().manual_seed(1)
    verdicts = [
        agreement(torch.rand(8, generator=draws) + 1, REMOVAL, random).verdict for _ in range(1000)
    ]
    near(verdicts.count("better than chance") / 1000, 0.025, RANDOM, abs=0.015)
    near(verdicts.count("worse than chance") / 1000, 0.025, RANDOM, abs=0.015)


def test_with_three_tokens_no_order_is_better_than_chance():
    three = torch.tensor([1.0, 2.0, 3.0])
    assert agreement(three, three, chance(three)).verdict == "no better than chance"


@pytest.mark.parametrize("flat", [torch.ones(8), torch.full((8,), 1e-9)])
def test_a_measure_that_is_the_same_for_all_tokens_has_no_agreement(flat: torch.Tensor):
    assert agreement(flat, REMOVAL, chance(REMOVAL)).verdict == "not defined"
    assert chance(flat) is None
    assert agreement(REMOVAL, flat, chance(flat)).rank_correlation is None


def test_two_tokens_have_no_order_to_speak_of():
    assert chance(torch.tensor([1.0, 2.0])) is None
