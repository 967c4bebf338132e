"""What changes the weights, against formulas written out: cross-entropy with label smoothing, the
schedule, dropout.
"""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch

from model.activations.catalogue import activations
from model.config import Config
from model.errors import UnknownName
from model.trace import Trace
from model.training.registry import RECIPES
from model.training.schedule import (
    Cycle,
    Dropout,
    cycle_at,
    dropped_numbers,
    dropped_words,
    smoothed_cross_entropy,
)
from model.zoo.models import read_card
from tests.model.support.small import small, traced, translate
from tests.rounding import same


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_smoothed_cross_entropy_is_that_of_the_formula(smoothing):
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(6, 9, dtype=torch.float64, generator=generator) * 3
    expected = torch.tensor([3, 8, 1, 2, 2, 5])
    rows, p = [], np.exp(logits.numpy()) / np.exp(logits.numpy()).sum(-1, keepdims=True)
    for row, word in zip(p, expected.tolist(), strict=True):
        q = np.full(9, smoothing / 9)
        q[word] += 1 - smoothing
        rows.append(-sum(q[w] * math.log(row[w]) for w in range(9)))
    same(smoothed_cross_entropy(logits, expected, smoothing), np.mean(rows), scale=1)


def test_a_confident_model_pays_for_confidence_only_when_smoothed():
    logits, expected = torch.zeros(1, 9, dtype=torch.float64), torch.tensor([4])
    logits[0, 4] = 40
    assert smoothed_cross_entropy(logits, expected, 0.0) < 1e-15
    same(smoothed_cross_entropy(logits, expected, 0.1), 0.1 * 8 / 9 * 40, scale=1)


def test_the_rate_climbs_in_a_straight_line_and_falls_along_a_cosine_to_zero():
    cycle = Cycle(peak=0.01, warmup=100, steps=500, dropout=Dropout(0.1))
    rates = [cycle.rate(step) for step in range(501)]
    same(rates[:100], [0.01 * (step + 1) / 100 for step in range(100)])
    assert rates[100] == 0.01 == max(rates)
    same(rates[300], 0.005)
    same(rates[200], 0.01 * (1 + math.sqrt(0.5)) / 2)
    same(rates[500], 0, scale=1)
    assert all(a > b for a, b in pairwise(rates[100:]))


def test_a_cycle_begins_where_the_one_before_ended():
    first, second = (
        Cycle(peak=0.01, warmup=2, steps=steps, dropout=Dropout(0.1)) for steps in (5, 3)
    )
    assert [cycle_at((first, second), step) for step in (0, 4)] == [(first, 0), (first, 4)]
    assert [cycle_at((first, second), step) for step in (5, 7)] == [(second, 0), (second, 2)]
    with pytest.raises(ValueError, match="ended 1 steps before"):
        cycle_at((first, second), 8)


def dropout(numbers=0.0, words=0.0, seed=0, **choices):
    config = small(**choices).config
    return Dropout(numbers, words).hook(config, torch.Generator().manual_seed(seed))


DROPPED = [
    "encoder.embedding.sum",
    "encoder.0.attention.out",
    "encoder.0.feed_forward.out",
    "decoder.embedding.sum",
    "decoder.0.attention.out",
    "decoder.0.cross_attention.out",
    "decoder.0.feed_forward.out",
]


@pytest.mark.parametrize("placement", ["post", "pre"])
def test_dropout_touches_the_sums_of_embeddings_and_what_each_sublayer_writes_and_nothing_else(
    placement,
):
    one_layer = {"n_encoder_layers": 1, "n_decoder_layers": 1, "placement": placement}
    change = dropout(0.5, **one_layer)
    trace = traced(small(**one_layer))
    assert [
        name for name, value in trace.items() if not torch.equal(change(name, value), value)
    ] == DROPPED


@pytest.mark.parametrize("id", RECIPES)
def test_every_recipe_drops_the_output_of_every_sublayer_and_every_sum_of_embeddings(id):
    """The names are those of the catalogue: by their ends, as a reader would look for them."""
    config = Config.from_dict(read_card(id)["config"])
    ends = ("attention.out", "feed_forward.out", ".embedding.sum")
    assert dropped_numbers(config) == {name for name in activations(config) if name.endswith(ends)}
    assert dropped_words(config) == {
        name for name in activations(config) if name.endswith(".embedding.token")
    }


@pytest.mark.parametrize("gone", ["encoder.0.feed_forward.out", "decoder.embedding.sum"])
def test_dropout_is_refused_where_an_activation_that_it_drops_has_another_name(monkeypatch, gone):
    config = small().config
    known = {name: row for name, row in activations(config).items() if name != gone}
    monkeypatch.setattr("model.training.schedule.activations", lambda config: known)
    with pytest.raises(UnknownName, match=gone):
        Dropout(0.1).hook(config, torch.Generator())
    Dropout(0.0).hook(config, torch.Generator())  # nothing is dropped, so nothing has to be there


def test_word_dropout_is_refused_where_the_token_embedding_has_another_name(monkeypatch):
    config = small().config
    monkeypatch.setattr("model.training.schedule.activations", lambda config: {"embedding": None})
    with pytest.raises(UnknownName, match=r"embedding\.token"):
        Dropout(0.0, words=0.1).hook(config, torch.Generator())


def test_dropout_reaches_the_forward_pass_and_at_rate_0_changes_no_bit():
    model = small()
    plain = translate(model)
    assert torch.equal(translate(model, trace=Trace(dropout(0.0))), plain)
    assert not torch.equal(translate(model, trace=Trace(dropout(0.1))), plain)


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_dropout_drops_its_share_and_leaves_the_mean_as_it_was(rate):
    """Kept values grow by 1/(1 - rate). 100,000 draws: six standard errors are 6 sqrt(rate (1 -
    rate) / n).
    """
    n = 100_000
    dropped = dropout(rate)("encoder.0.attention.out", torch.ones(n, dtype=torch.float64))
    assert set(dropped.unique().tolist()) == {0.0, 1 / (1 - rate)}
    band = 6 * math.sqrt(rate * (1 - rate) / n)
    assert abs((dropped == 0).double().mean() - rate) < band
    assert abs(dropped.mean() - 1) < band / (1 - rate)


def test_dropout_draws_from_its_own_generator():
    value = torch.ones(50)
    draws = [dropout(0.5, seed=seed)("encoder.0.attention.out", value) for seed in (7, 7, 8)]
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])


def test_a_word_is_dropped_whole_and_its_position_stays():
    """What is left of a dropped word is its position alone; kept words do not grow."""
    model, change = small(), dropout(words=0.3)
    source = torch.arange(4, 16)[None].repeat(50, 1) % model.config.vocabulary_size
    plain, dropped = ({}, {})
    for values, changed in ((plain, lambda _, value: value), (dropped, change)):

        def note(name, value, values=values, changed=changed):
            values[name] = changed(name, value)
            return values[name]

        model.encode(source, torch.ones(1, 12, 12, dtype=torch.bool), Trace(note))
    gone = (dropped["encoder.embedding.token"] == 0).all(-1)
    assert 0.2 < gone.double().mean() < 0.4
    assert torch.equal(
        dropped["encoder.embedding.token"][~gone], plain["encoder.embedding.token"][~gone]
    )
    positions = plain["encoder.embedding.position"].expand_as(plain["encoder.embedding.token"])
    assert torch.equal(dropped["encoder.embedding.sum"][gone], positions[gone])
    assert torch.equal(
        dropped["encoder.embedding.sum"][~gone], plain["encoder.embedding.sum"][~gone]
    )
