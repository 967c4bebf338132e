"""The feed-forward against its keys and values in NumPy, slots against a softmax by hand, and what
the answer says of the trained model.
"""

from copy import deepcopy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from model.clinics import memory as clinic
from model.clinics.memory import (
    FIRINGS,
    KEYS,
    WORDS,
    attend,
    changed,
    firings,
    memory,
    over_slots,
    read,
    sum_of_values,
)
from model.errors import InvalidInput
from model.layers.context import Context
from model.layers.persistent_memory import for_slots, with_slots
from model.measure.initialised_stacks import fresh_encoder, generator, normal
from model.measure.random_sentences import sentences
from model.zoo.models import load_model
from model.zoo.results import load_result
from tests.rounding import SINGLE, same
from tests.thorough import mostly

PAD = 0


def found(answer, name: str) -> dict:
    return next(finding for finding in answer.fields["findings"] if finding.name == name)


@cache
def of_layer(stack: str, layer: int):
    """Computed once for all who ask."""
    return memory(stack=stack, layer=layer, seeds=2)


@pytest.fixture
def default():
    """Of the last layer of the decoder, as where neither is said."""
    return of_layer("decoder", 2)


PLACES = [pytest.param(stack, layer) for stack in ("encoder", "decoder") for layer in (0, 2)]


@pytest.mark.parametrize(("stack", "layer"), mostly(PLACES, PLACES[0], PLACES[-1]))
def test_every_finding_about_a_stack_holds_in_every_stack(stack, layer):
    """The findings about small decoders with slots are the same whatever the stack."""
    answer = of_layer(stack, layer)
    failing = [finding.name for finding in answer.fields["findings"] if finding.verdict == "fails"]
    assert [name for name in failing if not name.startswith("slots.")] == []


@pytest.mark.parametrize("d_model", [32, 64, 128])
def test_the_feed_forward_is_its_values_each_taken_as_often_as_its_key_fires(d_model):
    feed_forward = fresh_encoder("post", 1, d_model, generator(0, d_model))[0].feed_forward
    feed_forward.output.bias.normal_(generator=generator(1, 0))
    x = normal(5, d_model, draws=generator(2, 0))
    w1, b1, w2, b2 = (value.double().numpy() for value in feed_forward.state_dict().values())
    by_hand = [
        b2 + sum(max(0.0, row @ w1[:, i] + b1[i]) * w2[i] for i in range(4 * d_model))
        for row in x.double().numpy()
    ]
    same(feed_forward(x).numpy(), by_hand, scale=1)
    assert sum_of_values(feed_forward, x) < 1e-12
    assert changed(feed_forward, x, generator(3, 0)) == 0


def test_attention_hears_the_other_tokens_but_not_the_later_ones_in_a_decoder():
    attention = fresh_encoder("post", 1, 32, generator(0, 0))[0].attention
    x = normal(6, 32, draws=generator(1, 0))
    for stack in ("encoder", "decoder"):
        assert changed(lambda some: attend(attention, some, stack), x, generator(2, 0)) > 0.1  # noqa: B023 - called at once
    assert changed(lambda some: attend(attention, some, "decoder"), x[:1], generator(2, 0)) == 0


@pytest.mark.parametrize("d_model", [32, 64, 128])
def test_slots_are_further_columns_of_one_softmax(d_model):
    attention = fresh_encoder("post", 1, d_model, generator(0, d_model))[0].attention
    x = normal(5, d_model, draws=generator(1, 0))
    d_head = d_model // 4
    keys, values = normal(2, 4, 3, d_head, draws=generator(2, 0))
    mask = for_slots(torch.ones(5, 5, dtype=torch.bool), 3)
    out = attention.attend(x, x, mask, cache=with_slots(keys, values))
    mixed = []
    for head in range(4):
        part = slice(head * d_head, (head + 1) * d_head)
        q, k, v = (
            (x @ layer.weight)[:, part].numpy()
            for layer in (attention.query, attention.key, attention.value)
        )
        scores = np.exp(q @ np.concatenate([k, keys[head]]).T / np.sqrt(d_head))
        mixed.append(scores / scores.sum(1, keepdims=True) @ np.concatenate([v, values[head]]))
    same(out.numpy(), np.concatenate(mixed, 1) @ attention.output.weight.numpy(), scale=1)


def test_a_row_over_tokens_and_slots_sums_to_one_and_no_slots_change_no_bit():
    attention = fresh_encoder("post", 1, 32, generator(0, 0))[0].attention
    x = normal(5, 32, draws=generator(1, 0))
    for n in (0, 1, 8):
        pattern = over_slots(attention, x, "decoder", n, generator(2, 0))
        assert pattern.shape == (4, 5, 5 + n)
        same(pattern.sum(-1), 1, SINGLE, scale=1)
        assert (pattern[:, 0, 1:5] == 0).all()
    none = torch.zeros(4, 0, 8)
    mask = torch.ones(5, 5, dtype=torch.bool)
    assert torch.equal(
        attention(x, Context(mask)),
        attention.attend(x, x, for_slots(mask, 0), cache=with_slots(none, none)),
    )
    batched = x.expand(2, -1, -1)
    slots = normal(2, 4, 3, 8, draws=generator(3, 0))
    single, several = (
        attention.attend(inputs, inputs, for_slots(mask, 3), cache=with_slots(*slots))
        for inputs in (x, batched)
    )
    same(several[1], single, scale=1)


def test_keys_stand_in_the_order_of_their_firing_and_the_tokens_are_where_they_fire(default):
    corpus = read(
        load_model("translator"),
        "decoder",
        2,
        [e["input"]["source"] for e in load_model("translator").card["examples"]],
    )
    layer = load_model("translator").transformer.decoder[2].feed_forward
    m = (corpus.middle @ layer.hidden.weight + layer.hidden.bias).clamp(min=0)
    same(m[corpus.ids != PAD], corpus.m[corpus.ids != PAD], scale=1)
    assert (corpus.m[corpus.ids == PAD] == 0).all()
    firing = default.tensors["firing"].data
    assert (firing.diff() <= 0).all()
    assert len(default.fields["keys"]) == len(firing) == KEYS
    assert default.fields["chosen"]["firing"] == default.tensors["fires"].data.max() == firing[0]
    for neuron in (0, 7):
        where = firings(corpus, neuron)
        most = [float(corpus.m[sentence, :, neuron].max()) for sentence in where]
        assert most == sorted(most, reverse=True)
        assert all(value > 0 for value in most)
        assert len(where) <= FIRINGS


def test_what_a_value_writes_is_its_row_times_the_unembedding(default):
    transformer = load_model("translator").transformer
    neuron = default.fields["chosen"]["neuron"]
    row = transformer.decoder[2].feed_forward.output.weight[neuron].numpy()
    logits = transformer.unembedding.numpy().T @ row
    best = np.argsort(-logits)[:WORDS]
    same(default.tensors["written"].data.numpy(), logits[best], scale=1)
    assert default.axes["word"].ids == best.tolist()
    assert default.fields["keys"][0]["words"] == default.axes["word"].labels[:3]


@pytest.mark.thorough  # as of the key from far down the list, below
def test_another_rank_is_another_key(default):
    other = memory(rank=3, seeds=2)
    assert other.fields["chosen"]["neuron"] == default.axes["key"].ids[2]
    assert torch.equal(other.tensors["firing"].data, default.tensors["firing"].data)


def test_another_value_writes_other_words_and_values_in_disorder_agree_by_chance(
    default, monkeypatch
):
    model = load_model("translator")
    changed_model = deepcopy(model.transformer)
    weight = changed_model.decoder[2].feed_forward.output.weight
    weight.copy_(weight[torch.randperm(len(weight), generator=generator(0, 0))])
    monkeypatch.setattr(
        clinic,
        "load_model",
        lambda id: replace(model, transformer=changed_model) if id == model.id else load_model(id),
    )
    after = memory(seeds=2)
    assert not torch.equal(after.tensors["written"].data, default.tensors["written"].data)
    assert found(after, "agreement").mean < found(default, "agreement").mean / 2


def test_sentences_are_different_short_and_come_from_the_seed():
    some = sentences(200, generator(0, 0))
    assert len(set(some)) == 200
    assert max(len(sentence.split()) for sentence in some) <= 10
    assert some == sentences(200, generator(0, 0)) != sentences(200, generator(0, 1))


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"stack": "both"}, "translator has no both; it has encoder and decoder"),
        ({"layer": 9}, "Layer 9 does not exist; the decoder has layers 0 to"),
        ({"rank": 0}, "rank is 0; it must be between 1"),
        ({"rank": 9999}, "rank is 9999; it must be between 1"),
        ({"slots": 33}, "slots is 33; it must be between 0 and 32"),
    ],
)
def test_what_does_not_exist_is_refused_in_a_sentence(question, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        memory(**question)


def test_the_agreement_is_compared_with_chance_seed_by_seed(default):
    named, chance = (found(default, name).values for name in ("agreement", "agreement_shuffled"))
    beyond = found(default, "agreement.above_chance")
    same(beyond.values, [a - b for a, b in zip(named, chance, strict=True)])
    assert beyond.band == (0, None), "no band is a measured number"


def test_a_key_from_far_down_the_list_stands_in_its_last_row():
    answer = memory(rank=40, seeds=1)
    assert answer.axes["key"].ids[-1] == answer.fields["chosen"]["neuron"]
    assert answer.fields["keys"][-1]["neuron"] == answer.fields["chosen"]["neuron"]
    assert len(answer.axes["key"].ids) == KEYS
    firing = answer.tensors["firing"].data
    assert (firing.diff() <= 0).all()


def test_trained_slots_are_told_as_they_were_measured(default):
    recorded = load_result("persistent-slots")
    loss = default.tensors["slot_loss"]
    same(loss.data, torch.tensor(list(recorded["measured"].values())))
    last = {name: [row[-1] for row in rows] for name, rows in recorded["measured"].items()}
    less = found(default, "slots.less_feed_forward")
    same(
        less.values,
        [a - b for a, b in zip(last["slots"], last["feed_forward"], strict=True)],
        scale=1,
    )
