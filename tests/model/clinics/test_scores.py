"""Scores: each alignment function against NumPy, its gradient against autograd, its identities, and
hard against soft.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from model.clinics import scores as clinic
from model.clinics.scores import (
    DRAWS,
    FUNCTIONS,
    bound,
    hard,
    largest,
    reach,
    sampled,
    scores,
    weights,
    with_parameters,
)
from model.errors import InvalidInput
from model.layers.attention_scores import (
    SCORES,
    additive,
    cosine,
    dot,
    general,
    location,
    scaled_dot,
    softmax,
)
from model.measure.initialised_stacks import generator
from tests.rounding import same


def found(answer) -> dict[str, dict]:
    return {finding.name: finding for finding in answer.fields["findings"]}


def vectors(n: int, d: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    q, k = torch.randn(2, n, d, dtype=torch.float64, generator=generator(seed, 0))
    return q, k


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"d_head": 32},
        {"d_head": 128, "seeds": 8},
        {"keys": 4, "seeds": 16},
        {"keys": 16, "d_head": 256},
        {"temperature": 0.5},
        {"temperature": 8.0},
    ],
    ids=str,
)
def test_the_laws_hold_in_their_bands(question):
    assert [
        name for name, finding in found(scores(**question)).items() if finding.verdict == "fails"
    ] == []


def test_at_temperature_zero_everything_is_hard_and_nothing_has_a_gradient():
    answer = scores(temperature=0.0)
    assert all(finding.verdict != "fails" for finding in answer.fields["findings"])
    assert answer.tensors["reach"].data.abs().max() == 0
    for name in FUNCTIONS:
        assert set(answer.tensors[name].data.unique().tolist()) == {0, 1}
        assert torch.equal(answer.tensors[name].data.sum(-1), torch.ones(8, dtype=torch.float64))


def test_a_softmax_that_is_hard_in_float64_says_nothing_about_its_scores(monkeypatch):
    sharp = found(scores(temperature=0.01, d_head=256, keys=4))
    assert sharp["reach.dot"].verdict == "not applicable"
    assert "no gradient is left" in sharp["reach.dot"].premise
    assert sharp["reach.cosine"].holds
    assert found(scores(d_head=256, keys=4))["reach.dot"].holds
    deaf = replace(SCORES["dot"], function=lambda q, k: dot(q, q.detach()) + 0 * k.sum())
    monkeypatch.setitem(SCORES, "dot", deaf)
    assert found(scores(d_head=16, keys=4))["reach.dot"].verdict == "fails"


def test_each_function_is_its_formula_cell_by_cell():
    q, k = vectors(5, 3)
    w, u = torch.randn(2, 3, 3, dtype=torch.float64, generator=generator(1, 0))
    v, wide = w[0], torch.randn(3, 9, dtype=torch.float64, generator=generator(2, 0))
    by_hand = {
        "general": lambda a, b: a @ w.numpy() @ b,
        "additive": lambda a, b: np.tanh(a @ w.numpy() + b @ u.numpy()) @ v.numpy(),
        "cosine": lambda a, b: a @ b / np.sqrt((a @ a) * (b @ b)),
    }
    ours = {
        "general": general(q, k, w),
        "additive": additive(q, k, w, u, v),
        "cosine": cosine(q, k),
    }
    for name, formula in by_hand.items():
        expected = [[formula(a, b) for b in k.numpy()] for a in q.numpy()]
        same(ours[name].numpy(), expected, scale=1, what=name)
    assert torch.equal(location(q, k, wide), (q @ wide)[:, :5])


def test_the_clinic_knows_the_scores_of_the_models():
    assert SCORES.keys() <= scores(seeds=1).tensors.keys()


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_reach_is_the_norm_of_the_derivative_by_autograd(name, temperature):
    """Against all derivatives of all weights; and a score looks at no key but its own."""
    q, k = vectors(5, 3)
    score = with_parameters(3, 5, generator(1, 0))[name]
    whole = torch.autograd.functional.jacobian(
        lambda k: softmax(score(q, k) / temperature), k
    )  # [query, key, key, d_head]
    by_query = whole.flatten(1).norm(dim=-1)
    same(reach(score, q, k, temperature), by_query.mean(), scale=1)
    of_scores = torch.autograd.functional.jacobian(lambda k: score(q, k), k).norm(dim=-1)
    assert (of_scores * (1 - torch.eye(5))).abs().max() == 0


def test_location_gives_other_keys_the_same_weights():
    q, k = vectors(6, 4)
    score = with_parameters(4, 6, generator(1, 0))
    moved = {name: largest(score[name](q, k) - score[name](q, k.flip(0))) for name in FUNCTIONS}
    assert moved.pop("location") == 0
    assert min(moved.values()) > 0.1


def test_the_hard_choice_is_flat_around_every_key():
    q, k = vectors(6, 4)
    step = 1e-7 * torch.randn(k.shape, dtype=torch.float64, generator=generator(1, 0))
    assert torch.equal(hard(scaled_dot(q, k)), hard(scaled_dot(q, k + step)))
    assert largest(softmax(scaled_dot(q, k)) - softmax(scaled_dot(q, k + step))) > 0
    assert hard(torch.tensor([[1.0, 2.0, 2.0]])).tolist() == [[0, 1, 0]]


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_no_cosine_weighs_more_than_the_bound(temperature):
    for n in (4, 9):
        by_hand = math.exp(2 / temperature) / (math.exp(2 / temperature) + n - 1)
        same(bound(n, temperature), by_hand)
        q, k = vectors(n, 2)
        assert weights(cosine(q, 100 * k), temperature).max() <= by_hand


def test_colder_and_colder_tends_to_the_hard_choice():
    scored = scaled_dot(*vectors(8, 16))
    away = [largest(weights(scored, t) - hard(scored)) for t in (1.0, 0.1, 0.01, 1e-4, 1e-320, 0.0)]
    assert away == sorted(away, reverse=True)
    assert away[3] < 1e-70
    assert away[4:] == [0, 0]


def test_the_mean_of_many_hard_draws_tends_to_soft():
    p = softmax(scaled_dot(*vectors(8, 16)))
    single, many = (sampled(p, n, generator(0, 1)) for n in (1, 200_000))
    assert set(single.unique().tolist()) == {0, 1}
    assert largest(many - p) < 5 * 0.5 / math.sqrt(200_000)
    error = scores(seeds=8).tensors["sampling_error"].data
    assert (error[:-1] / error[1:]).sub(math.sqrt(10)).abs().max() < 1
    assert len(error) == len(DRAWS)


def test_a_window_makes_nothing_hard_and_a_choice_nothing_local():
    (soft, soft_local), (chosen, chosen_local) = scores().tensors["choices"].data
    outside = clinic.masks.window(8, clinic.WINDOW).logical_not()
    assert soft_local[outside].abs().max() == chosen_local[outside].abs().max() == 0
    assert soft[outside].min() > 0
    assert chosen[outside].max() == 1
    assert 0 < soft_local[5].max() < 1
    same(soft_local.sum(-1), torch.ones(8, dtype=torch.float64))


def test_another_function_moves_the_numbers(monkeypatch):
    of_content = replace(
        SCORES["location"], function=lambda q, k, w: location(q, k, w) + (q @ k.mT) / 100
    )
    monkeypatch.setitem(SCORES, "location", of_content)
    assert not found(scores(seeds=1))["reach.location"].holds
    monkeypatch.setattr(clinic, "cosine", lambda q, k: 3 * cosine(q, k))
    assert not found(scores(seeds=1))["cosine_bound"].holds
    monkeypatch.setattr(clinic, "dot", lambda q, k: 2 * (q @ k.mT))
    assert {
        name
        for name in ("general_is_dot", "scaled_is_temperature")
        if found(scores(seeds=1))[name].holds
    } == set()


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"d_head": 2000}, "d_head is 2000; it must be between 1 and 256."),
        ({"keys": 3}, "keys is 3; it must be between 4 and 16."),
        ({"temperature": -1.0}, "temperature is -1; it must be between 0 and 100."),
    ],
)
def test_what_is_out_of_bounds_is_refused_in_a_sentence(question, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        scores(**question)


def test_what_is_looked_up_is_the_weighted_sum_of_the_values_and_at_0_a_copy_of_one():
    soft, hard = (scores(keys=5, d_head=4, temperature=t, seeds=1).tensors for t in (1.0, 0.0))
    for tensors in (soft, hard):
        weights, values = tensors["scaled_dot"].data.numpy(), tensors["values"].data.numpy()
        same(tensors["looked_up"].data, np.einsum("qk,kc->qc", weights, values))
    best = hard["scaled_dot"].data.argmax(-1)
    assert torch.equal(hard["looked_up"].data, hard["values"].data[best])
