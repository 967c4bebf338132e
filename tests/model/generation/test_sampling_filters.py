"""Temperature, top-k, top-p and min-p against their definitions in NumPy; draws against the law of
large numbers.
"""

import math

import numpy as np
import pytest
import torch

from model.generation.decoding import sampling
from model.generation.sampling_filters import (
    at_temperature,
    draw,
    min_p,
    sampling_distribution,
    top_k,
    top_p,
)
from tests.rounding import same

LOGITS = torch.randn(40, generator=torch.Generator().manual_seed(0)) * 2


def numpy_softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max())
    return e / e.sum()


def numpy_top_k(p: np.ndarray, k: int) -> np.ndarray:
    return np.array([sum(other > mine for other in p) < k for mine in p])


def numpy_top_p(p: np.ndarray, mass: float) -> np.ndarray:
    """A token is kept while those more probable do not yet hold the mass."""
    return np.array([sum(other for other in p if other > mine) < mass for mine in p])


def numpy_min_p(p: np.ndarray, share: float) -> np.ndarray:
    return np.array([mine >= share * max(p) for mine in p])


@pytest.mark.parametrize("temperature", [0.1, 0.7, 1.0, 3.0])
def test_temperature_divides_the_logits(temperature):
    expected = numpy_softmax(LOGITS.double().numpy() / temperature)
    same(at_temperature(LOGITS, temperature), expected, scale=1)


@pytest.mark.parametrize("k", [1, 2, 7, 40, 1000])
def test_top_k_keeps_k_tokens_none_of_which_is_less_probable_than_one_it_drops(k):
    p = at_temperature(LOGITS, 1.0)
    assert np.array_equal(top_k(p, k), numpy_top_k(p.numpy(), k))
    assert top_k(p, k).sum() == min(k, 40)


@pytest.mark.parametrize("mass", [0.01, 0.3, 0.5, 0.9, 0.999])
def test_top_p_keeps_the_smallest_set_that_holds_the_mass(mass):
    p = at_temperature(LOGITS, 1.0)
    nucleus = top_p(p, mass)
    assert np.array_equal(nucleus, numpy_top_p(p.numpy(), mass))
    assert p[nucleus].sum() >= mass > p[nucleus].sum() - p[nucleus].min()


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 1.0])
def test_min_p_keeps_what_is_probable_enough_beside_the_best(share):
    p = at_temperature(LOGITS, 1.0)
    assert np.array_equal(min_p(p, share), numpy_min_p(p.numpy(), share))


def test_filters_work_one_after_another_each_on_what_the_one_before_left():
    p = numpy_softmax(LOGITS.double().numpy() / 1.5)
    for keep, value in ((numpy_top_k, 12), (numpy_top_p, 0.8), (numpy_min_p, 0.2)):
        p = p * keep(p, value)
        p = p / p.sum()
    same(sampling_distribution(LOGITS, 1.5, top_k=12, top_p=0.8, min_p=0.2), p, scale=1)


def test_equal_probabilities_are_ranked_by_token_id():
    even = torch.full((10,), 0.1, dtype=torch.float64)
    assert top_k(even, 3).tolist() == [True] * 3 + [False] * 7
    assert top_p(even, 0.25).tolist() == [True] * 3 + [False] * 7
    assert draw(even, 0.35) == 3


def test_a_number_draws_the_token_in_whose_share_it_falls():
    p = torch.tensor([0.2, 0.5, 0.0, 0.3], dtype=torch.float64)
    assert [draw(p, u) for u in (0.0, 0.4999, 0.5, 0.7999, 0.8, 1 - 2**-53)] == [1, 1, 3, 3, 0, 0]


@pytest.mark.parametrize(
    "filters", [{}, {"top_k": 3}, {"temperature": 2.0, "top_p": 0.7}, {"min_p": 0.1}]
)
def test_tokens_are_drawn_as_often_as_their_probability_says(filters):
    """A band of five standard deviations of the binomial law, at a fixed seed."""
    draws, choose = 500, sampling(0, **filters)
    counts = np.zeros(len(LOGITS))
    for _ in range(draws):
        counts[choose(LOGITS).id] += 1
    p = sampling_distribution(LOGITS, **filters).numpy()
    assert all(
        abs(count - draws * q) <= 5 * math.sqrt(draws * q * (1 - q))
        for count, q in zip(counts, p, strict=True)
    )
    assert counts[p == 0].sum() == 0
