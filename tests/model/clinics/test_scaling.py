"""Scaling: the variance of q . k, the softmax over it, and its gradient, against NumPy, autograd
and the numbers published.
"""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from model.clinics.scaling import (
    FUNCTIONS,
    LABELS,
    STATISTICS,
    WIDTHS,
    quantiles,
    scaling,
    scores,
    trial,
)
from model.errors import InvalidInput
from model.layers.attention_scores import SCORES, softmax
from model.measure.initialised_stacks import generator
from model.measure.softmax_jacobian import jacobian
from tests.rounding import PRINTED, RANDOM, near, same
from tests.thorough import mostly

OPEN = (None, None)


cached_scaling = cache(scaling)
"""Computed once for all who ask the same."""
WIDE = {"d_head": WIDTHS[-1], "seeds": 8}


def found(answer) -> dict[str, dict]:
    return {finding.name: finding for finding in answer.fields["findings"]}


def failing(answer) -> set[str]:
    return {name for name, finding in found(answer).items() if finding.verdict == "fails"}


@pytest.mark.parametrize("d_head", mostly([*WIDTHS, 32, 128], 32))
def test_the_laws_hold_in_their_bands(d_head):
    """All but one: few components leave the scores so small that no key takes all the weight."""
    found_failing = failing(scaling(d_head=d_head))
    assert found_failing == ({"largest.unscaled"} if d_head < 64 else set())


def test_a_law_about_pairs_is_decided_by_all_pairs():
    findings = found(cached_scaling())
    for name in ("variance_over_d_head", "variance_over_law", "mean_over_sqrt_d_head"):
        assert findings[name].holds, name
    products = cached_scaling().tensors["products"].data.double().flatten()
    low, high = findings["variance_over_d_head"].interval
    same((low + high) / 2, products.var() / 1024)
    # the variance of a variance: 2 / n for what is distributed nearly normally
    near((high - low) / 2, 1.96 * math.sqrt(2 / len(products)), RANDOM, rel=0.05)


def test_no_law_is_undecided_where_the_page_opens():
    assert {law.verdict for law in cached_scaling().fields["findings"]} == {"holds"}


@pytest.mark.parametrize("keys", mostly([2, 8, 64], 64))
def test_the_laws_hold_for_few_keys_and_for_many(keys):
    assert failing(scaling(d_head=256, keys=keys, pairs=10_000)) == set()


def test_the_entropies_are_the_published_ones():
    unscaled, scaled = cached_scaling(**WIDE).tensors["entropy"].data.tolist()
    near(unscaled, [0.88, 0.64, 0.33, 0.14, 0.07, 0.03], PRINTED, abs=0.015)
    near(scaled, [0.88, 0.86, 0.85, 0.85, 0.85, 0.85], PRINTED, abs=0.015)


def test_the_median_gradient_vanishes_and_its_mean_hides_it():
    findings = found(cached_scaling(**WIDE))
    assert 5e-6 < findings["jacobian_median.unscaled"].mean < 5e-5
    near(findings["jacobian_median.scaled"].mean, 0.304, RANDOM, abs=0.003)
    assert (
        findings["jacobian_mean.unscaled"].mean > 1000 * findings["jacobian_median.unscaled"].mean
    )


@pytest.mark.parametrize("correlation", [0.0, 0.5, 1.0])
def test_correlated_queries_and_keys_have_more_variance_and_a_mean(correlation):
    """Var = (1 + c^2) d and mean = c d: where q = k the variance has doubled and the premise
    fails.
    """
    answer = cached_scaling(d_head=64, correlation=correlation)
    products = answer.tensors["products"].data.double().numpy()
    near(products.var() / 64, 1 + correlation**2, RANDOM, rel=0.05)
    near(products.mean() / 64, correlation, RANDOM, abs=0.01)
    assert found(answer)["variance_over_d_head"].holds == (None if correlation else True)
    assert found(answer)["variance_over_law"].verdict != "fails"


def test_where_q_is_k_dividing_by_sqrt_d_is_not_enough():
    findings = found(scaling(d_head=1024, correlation=1.0))
    assert findings["entropy.scaled"].mean < 1e-9
    assert not findings["entropy.scaled"].holds
    assert math.isfinite(findings["entropy_slope.unscaled"].mean)


@pytest.mark.parametrize(("queries", "keys", "d_head"), [(7, 3, 5), (1000, 2, 1024), (5, 64, 8)])
def test_both_scores_are_those_of_the_same_vectors(queries, keys, d_head):
    dot, scaled = scores(queries, keys, d_head, 0.0, generator(0, 0))
    assert dot.shape == (queries, keys)
    same(scaled * math.sqrt(d_head), dot, scale=1)
    assert dot.unique().numel() == dot.numel()  # no block is used twice


def test_the_first_key_alone_is_the_query_where_the_correlation_is_one():
    draws = generator(0, 0)
    q = torch.empty(4, 1, 6).normal_(generator=draws)
    k = torch.empty(4, 3, 6).normal_(generator=draws)
    dot = scores(4, 3, 6, 1.0, generator(0, 0))[0]
    same(dot[:, 0], q.square().sum((-2, -1)))
    same(dot[:, 1:], (q * k[:, 1:]).sum(-1), scale=1)


def test_entropy_and_jacobian_are_those_of_the_weights():
    result = trial(16, [16], 5, (10, 20), 0.0, generator(3, 0))
    draws = generator(3, 0)
    scores(10, 1, 16, 0.0, draws)
    for i, row in enumerate(scores(20, 5, 16, 0.0, draws).double().numpy()):
        p = np.exp(row) / np.exp(row).sum(-1, keepdims=True)
        same(result.entropy[0, i].numpy() + (p * np.log(p)).sum(-1) / np.log(5), 0, scale=1)
        by_hand = [np.linalg.norm(np.diag(w) - np.outer(w, w)) for w in p]
        same(result.jacobian[0, i].numpy(), by_hand, scale=1)
        same(result.pattern[i].numpy(), p[0], scale=1)


def test_the_jacobian_of_the_softmax_is_its_derivative():
    s = torch.randn(1, 6, dtype=torch.float64, generator=generator(0, 0))
    by_autograd = torch.autograd.functional.jacobian(softmax, s)[0, :, 0]
    same(jacobian(softmax(s))[0], by_autograd, scale=1)


def test_quantiles_are_over_all_queries_of_all_seeds():
    every = torch.rand(
        3, 2, 2, 50, dtype=torch.float64, generator=generator(0, 0)
    )  # [seed, width, score, query]
    table = quantiles(every).numpy()
    assert table.shape == (2, len(STATISTICS), 2)
    for score in range(2):
        for width in range(2):
            values = every[:, width, score].numpy()
            same(
                table[score, :, width],
                [*np.quantile(values, [0.1, 0.5, 0.9]), values.mean()],
            )


def test_the_pairs_are_shared_out_among_the_seeds_and_the_same_question_gives_the_same_numbers():
    first, again, other = (
        scaling(d_head=4, pairs=1000, seeds=5, seed=seed).tensors for seed in (1, 1, 2)
    )
    assert first["products"].data.shape == (5, 200)
    assert all(torch.equal(first[name].data, again[name].data) for name in first)
    assert not torch.equal(first["products"].data, other["products"].data)
    assert len(LABELS) == len(FUNCTIONS)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 1.0])
def test_the_variance_grows_with_the_width_and_the_scaled_one_does_not(correlation):
    """Var(q . k) = (1 + c^2) d of a query and its own key, at every width drawn, from 1,024 of
    them.
    """
    answer = cached_scaling(d_head=64, correlation=correlation)
    widths = torch.tensor([float(width) for width in answer.axes["d_head"].labels])
    unscaled, scaled = answer.tensors["variance"].data / (1 + correlation**2)
    assert (unscaled / widths - 1).abs().max() < 0.25
    assert (scaled - 1).abs().max() < 0.25


def test_another_score_moves_the_numbers(monkeypatch):
    before = found(scaling(d_head=64, pairs=1000))
    monkeypatch.setitem(SCORES, "scaled_dot", lambda q, k: q @ k.mT / q.shape[-1])
    after = found(scaling(d_head=64, pairs=1000))
    assert after["entropy.scaled"].mean > before["entropy.scaled"].mean + 0.1
    assert replace(after["entropy.unscaled"], band=OPEN) == replace(
        before["entropy.unscaled"], band=OPEN
    )


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"d_head": 0}, "d_head is 0; it must be between 1 and 1024."),
        ({"keys": 1}, "keys is 1; it must be between 2 and 64."),
        ({"pairs": 10}, "pairs is 10; it must be between 1000 and 20000."),
        ({"correlation": 1.5}, "correlation is 1.5; it must be between 0 and 1."),
    ],
)
def test_what_is_out_of_bounds_is_refused_in_a_sentence(question, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        scaling(**question)


def test_a_law_of_independent_vectors_does_not_apply_to_a_query_and_its_own_key():
    findings = {
        law.name: law for law in scaling(d_head=64, correlation=0.5, seeds=2).fields["findings"]
    }
    assert findings.pop("variance_over_law").premise is None
    assert {law.verdict for law in findings.values()} == {"not applicable"}
    assert all("0.5" in law.premise for law in findings.values())
