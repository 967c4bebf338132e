"""Reliability and the expected calibration error, counted by hand and against scikit-learn."""

import numpy as np
from sklearn.calibration import calibration_curve

from model.calibration.reliability import (
    calibration_error,
    independent,
    interval,
    reliability,
    wilson,
)
from tests.rounding import RANDOM, near, same

DRAWS = np.random.default_rng(0)
BELIEVED = DRAWS.random(1_000)
HAPPENED = DRAWS.random(1_000) < BELIEVED**1.5


def test_the_bins_are_those_of_scikit_learn():
    share, mean = calibration_curve(HAPPENED, BELIEVED, n_bins=10, strategy="quantile")
    groups = reliability(BELIEVED, HAPPENED)
    same([group.happened for group in groups], share)
    same([group.believed for group in groups], mean)
    assert all(group.low <= group.happened <= group.high for group in groups)
    assert sum(group.rows for group in groups) == 1_000


def test_the_calibration_error_is_the_mean_gap_of_sorted_tenths():
    order = np.argsort(BELIEVED)
    by_hand = np.mean(
        [
            abs(HAPPENED[tenth].mean() - BELIEVED[tenth].mean())
            for tenth in np.array_split(order, 10)
        ]
    )
    same(calibration_error(BELIEVED, HAPPENED), by_hand, scale=1)


def test_weights_count_rows_as_often_as_they_say():
    twice = np.ones(1_000)
    twice[:300] = 2
    place = np.searchsorted(np.quantile(BELIEVED, np.arange(1, 10) / 10), BELIEVED, "right")
    by_hand = sum(
        abs((twice * (HAPPENED - 1.0 * BELIEVED))[place == number].sum()) for number in range(10)
    )
    same(calibration_error(BELIEVED, HAPPENED, twice), by_hand / 1_300)


def test_rows_with_the_same_probability_are_one_bin():
    found = reliability(np.full(50, 0.25), np.arange(50) % 4 == 0)
    assert len(found) == 1
    assert (found[0].believed, found[0].happened, found[0].rows) == (0.25, 0.26, 50)


def test_the_interval_of_a_share_holds_it_so_often():
    held = 0
    for _ in range(400):
        low, high = wilson((DRAWS.random(40) < 0.1).mean(), 40)
        held += low <= 0.1 <= high
    assert 0.92 < held / 400 < 0.99
    assert wilson(0.0, 10)[0] == 0.0 < wilson(0.0, 10)[1] < 0.3


def test_rows_of_a_group_that_are_all_alike_say_as_much_as_one():
    alike = np.repeat(DRAWS.random(200) < 0.4, 10).astype(float)
    groups = np.repeat(np.arange(200), 10)
    near(independent(alike, groups), 200, RANDOM, rel=0.01)
    near(independent(alike, np.arange(2_000)), 2_000, RANDOM, rel=0.01)
    apart = reliability(np.full(2_000, 0.4), alike > 0)[0]
    together = reliability(np.full(2_000, 0.4), alike > 0, groups.tolist())[0]
    near(
        (together.high - together.low) / (apart.high - apart.low),
        np.sqrt(10),
        RANDOM,
        rel=0.05,
    )


def test_the_interval_of_a_mean_is_that_of_its_standard_error():
    values = DRAWS.normal(3, 2, 500)
    low, high = interval(lambda w: float(np.average(values, weights=w)), 500)
    half = 1.96 * values.std(ddof=1) / np.sqrt(500)
    same((low + high) / 2, values.mean())
    near((high - low) / 2, half, RANDOM, rel=0.2)
    groups = np.repeat(np.arange(50), 10).tolist()
    wide = interval(lambda w: float(np.average(np.repeat(values[:50], 10), weights=w)), 500, groups)
    near(
        (wide[1] - wide[0]) / 2,
        1.96 * values[:50].std(ddof=1) / np.sqrt(50),
        RANDOM,
        rel=0.25,
    )
