"""FAVOR+ against attention written in NumPy, and its error against the variance of an estimate in
closed form.
"""

import numpy as np
import pytest
import torch

from model.clinics.performer import (
    LENGTHS,
    Estimator,
    attention_multiplications,
    performer,
    performer_multiplications,
    ratio,
    relative_variance,
    vectors,
)
from model.errors import InvalidInput
from model.layers import random_features as favor
from model.measure.initialised_stacks import generator
from tests.rounding import PRINTED, RANDOM, is_same, near, same
from tests.thorough import mostly

LENGTH, D_HEAD, M = 9, 16, 40


def some(count: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(count, LENGTH, D_HEAD, generator=generator(seed, 0), dtype=torch.float64) / 4


def numpy_attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, w: np.ndarray, causal: bool
) -> np.ndarray:
    """Position by position, feature by feature, with no matrix of all queries and keys."""
    out = np.zeros_like(v)
    for i in range(LENGTH):
        weights = np.zeros(LENGTH)
        for j in range(i + 1 if causal else LENGTH):
            weights[j] = np.mean(
                [np.exp(row @ (q[i] + k[j]) - (q[i] @ q[i] + k[j] @ k[j]) / 2) for row in w]
            )
        out[i] = weights @ v / weights.sum()
    return out


def found(answer, name: str) -> dict:
    return next(finding for finding in answer.fields["findings"] if finding.name == name)


@pytest.mark.parametrize("causal", [False, True])
def test_linear_attention_is_the_quadratic_form_without_its_map(causal):
    (q, k, v), w = some(3), favor.independent(1, M, D_HEAD, generator(0, 1))[0]
    features = favor.positive(q, w), favor.positive(k, w)
    linear = (favor.causal_linear_attention if causal else favor.linear_attention)(*features, v)
    same(linear, numpy_attention(q.numpy(), k.numpy(), v.numpy(), w.numpy(), causal), scale=1)
    same(linear, favor.quadratic_attention(*features, v, causal), scale=1)


def test_prefix_sums_never_look_ahead():
    (q, k, v), w = some(3), favor.independent(1, M, D_HEAD, generator(0, 1))[0]
    before = favor.causal_linear_attention(favor.positive(q, w), favor.positive(k, w), v)
    k[-1], v[-1] = 1.0, 5.0
    after = favor.causal_linear_attention(favor.positive(q, w), favor.positive(k, w), v)
    assert torch.equal(before[:-1], after[:-1])
    assert not is_same(before[-1], after[-1])


@pytest.mark.parametrize("kernel", ["positive", "trigonometric"])
def test_estimates_are_right_on_average(kernel):
    (x, y), phi = some(2), favor.FEATURES[kernel]
    w = favor.independent(1, 200_000, D_HEAD, generator(0, 2))[0]
    near((phi(x, w) * phi(y, w)).sum(-1), (x * y).sum(-1).exp(), RANDOM, rel=0.05)


@pytest.mark.parametrize("kernel", ["positive", "trigonometric"])
def test_the_law_is_the_variance_of_one_estimate_worked_out_by_moments(kernel):
    """E f^2 - (E f)^2 with E exp(w · z) = exp(|z|^2 / 2) and E cos(w · z) = exp(-|z|^2 / 2)."""
    x, y = (tensor.numpy() for tensor in some(2, seed=3))
    plus, minus, norms = (
        ((x + y) ** 2).sum(-1),
        ((x - y) ** 2).sum(-1),
        (x**2).sum(-1) + (y**2).sum(-1),
    )
    if kernel == "positive":
        variance = np.exp(2 * plus - norms) - np.exp(plus - norms)
    else:
        variance = np.exp(norms) * ((1 + np.exp(-2 * minus)) / 2 - np.exp(-minus))
    law = Estimator(kernel, orthogonal=False).law(torch.tensor(x), torch.tensor(y), M)
    same(law, variance / M)


def test_orthogonal_projections_are_at_right_angles_and_as_long_as_independent_ones():
    w = favor.orthogonal(500, 24, D_HEAD, generator(0, 4))
    gram = w[:, :D_HEAD] @ w[:, :D_HEAD].mT
    same(gram, torch.diag_embed(gram.diagonal(dim1=-2, dim2=-1)), scale=1)
    assert abs(w.square().sum(-1).mean().item() / D_HEAD - 1) < 0.02
    assert w.shape == (500, 24, D_HEAD)
    assert w.mean((0, 1)).abs().max() < 0.04


def test_the_mean_square_error_is_its_law_at_short_vectors():
    for kernel in favor.FEATURES:
        ratios = [
            ratio(Estimator(kernel, orthogonal=False), 0.5, 64, generator(7, number))
            for number in range(4)
        ]
        assert abs(np.mean(ratios) - 1) < 0.06


def test_orthogonal_projections_err_less():
    ratios = [
        ratio(Estimator("trigonometric", orthogonal=True), 0.5, D_HEAD, generator(7, number))
        for number in range(4)
    ]
    assert np.mean(ratios) < 0.5


@pytest.mark.parametrize("seed", mostly([0, 5], 0))
def test_every_finding_holds_at_norm_1(seed):
    answer = performer(seed=seed)
    assert all(finding.verdict != "fails" for finding in answer.fields["findings"])
    assert -1 < found(answer, "slope").mean < -0.7


def test_at_norm_2_the_error_stays_above_four_fifths_and_the_findings_say_so():
    answer = performer(norm=2.0, features=512)
    assert found(answer, "error_at_norm_2").mean > 0.8
    assert not found(answer, "error_over_uniform").holds
    assert not found(answer, "slope").holds
    assert found(answer, "causal_difference").holds


def test_the_maps_are_maps_and_the_errors_are_of_their_norms():
    answer = performer(norm=0.75, length=12, seeds=4)
    assert answer.tensors["error"].data.shape == (4, 6)
    assert answer.axes["norm"].labels == ["0.5", "0.75", "1", "2"]
    assert (answer.tensors["error"].data[:, -1].diff() > 0).all(), "longer vectors err more"
    for name in ("exact", "approximate"):
        same(answer.tensors[name].data.sum(-1), torch.ones(12), scale=1)


def test_operations_are_counted_as_they_are_done_and_cross_where_it_is_said():
    assert attention_multiplications(10) == 2 * 10 * 10 * 16
    assert performer_multiplications(10, 32, "positive") == 10 * (2 * 32 * 16 + 2 * 32 * 16 + 32)
    assert performer_multiplications(10, 32, "trigonometric") == 10 * (
        2 * 32 * 16 + 4 * 32 * 16 + 64
    )
    answer = performer(features=64, length=8, seeds=1)
    attention, fast = answer.tensors["operations"].data
    cheaper = [n for n, a, b in zip(LENGTHS, attention, fast, strict=True) if b < a]
    assert min(cheaper) >= found(answer, "cheaper_from").value > max(set(LENGTHS) - set(cheaper))


def test_time_is_taken_only_when_asked_for_and_the_answer_says_that_it_cannot_be_repeated():
    assert "time" not in performer(length=8, features=16, seeds=1).tensors
    answer = performer(length=8, features=16, measure=True, seeds=1)
    assert answer.tensors["time"].data.shape == (2, len(LENGTHS))
    assert (answer.tensors["time"].data > 0).all()
    assert "vary from run to run" in answer.fields["notes"][0]


@pytest.mark.parametrize(
    "wrong", [{"features": 0}, {"length": 97}, {"norm": 4.0}, {"kernel": "relu"}]
)
def test_what_is_out_of_bounds_is_refused_in_a_sentence(wrong):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        performer(**wrong)


def test_vectors_twice_as_long_need_eleven_and_then_2600_times_the_features():
    """Against means over pairs of random directions, which need no density of angles."""
    estimator = Estimator("positive", orthogonal=False)
    draws = torch.Generator().manual_seed(0)
    for norm, pairs, tolerance in ((0.5, 50_000, 0.01), (1.0, 50_000, 0.02), (2.0, 400_000, 0.2)):
        x, y = vectors(2, pairs, norm, draws)
        mean = (estimator.law(x, y, 1) / (2 * (x * y).sum(-1)).exp()).mean().item()
        near(relative_variance(estimator, norm), mean, RANDOM, rel=tolerance)
    answer = performer(length=8, features=16, seeds=2)
    near(found(answer, "times_as_many.1").value, 11, PRINTED, abs=0.3)
    near(found(answer, "times_as_many.2").value, 2600, PRINTED, rel=0.05)


def test_a_whole_map_needs_far_more_features_at_twice_the_length_than_one_product():
    """To leading order in 1 / m, a row â = k̂ / Σ k̂ errs by (dk̂ - a Σ dk̂) / Σ k̂, whose variance
    follows from E e^(w · x) = e^(|x|² / 2).
    """

    def squared_error(norm: float, seed: int) -> float:
        q, k = vectors(2, 64, norm, generator(seed, 0))
        dots, rows = q @ k.mT, (q @ k.mT).exp()
        both = dots.unsqueeze(2) + dots.unsqueeze(1)  # [query, key, key]
        spread = (norm**2 + 2 * both + k @ k.mT).exp() - both.exp()
        variance = spread.diagonal(dim1=1, dim2=2)
        a, sums = rows / rows.sum(1, keepdim=True), rows.sum(1)
        square = variance - 2 * a * spread.sum(2) + a.square() * spread.sum((1, 2))[:, None]
        return ((square / sums[:, None].square()).sum() / a.square().sum()).item()

    short, long = (np.mean([squared_error(norm, seed) for seed in range(16)]) for norm in (1, 2))
    assert 20_000 < long / short < 27_000
    estimator = Estimator("positive", orthogonal=False)
    assert 2_400 < relative_variance(estimator, 2) / relative_variance(estimator, 1) < 2_600
