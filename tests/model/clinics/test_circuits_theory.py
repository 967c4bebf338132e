"""Circuits: paths against loops in NumPy, circuits against the module's own scores and writes,
composition against its closed forms.
"""

import math
from copy import deepcopy
from itertools import product

import numpy as np
import pytest
import torch

from model import analyses
from model.clinics import circuits_theory as clinic
from model.clinics.circuits_theory import (
    D_HEAD,
    HEADS,
    LONGEST,
    NEXT,
    PREVIOUS,
    REPEATED,
    SHORTEST,
    TOKEN,
    AttentionOnly,
    circuits_theory,
    compositions,
    constructed,
    repeated,
    trial,
    without,
)
from model.config import Config
from model.errors import InvalidInput
from model.interpretability.circuits.qk_ov import composition, expand, ov, qk
from model.layers import masks
from model.layers.attention import MultiHeadAttention
from model.layers.context import Context
from model.measure.initialised_stacks import generator
from model.trace import Recorder
from model.zoo.initialisation import initialise
from model.zoo.training_checkpoints import load_checkpoints
from tests.rounding import RANDOM, SINGLE, near, same


def found(answer):
    return {finding.name: finding for finding in answer.fields["findings"]}


def fresh(d_model, draws):
    sizes = {"vocabulary_size": 1, "d_model": d_model, "n_heads": HEADS, "n_decoder_layers": 2}
    return (
        initialise(MultiHeadAttention(Config(family="decoder-only", **sizes)), draws)
        .double()
        .requires_grad_(False)
    )


@pytest.fixture(scope="module")
def model():
    return constructed(generator(0, 0))


@pytest.fixture(scope="module")
def ids():
    return repeated(9, generator(1, 0))[None, :-1]


@pytest.mark.parametrize("seed", [0, 7])
def test_the_laws_hold_where_the_heads_are_written_by_hand(seed):
    findings = circuits_theory(seed=seed).fields["findings"]
    assert [finding for finding in findings if finding.verdict == "fails"] == []


@pytest.mark.parametrize("seed", [0, 7])
def test_random_heads_add_up_and_compose_as_chance_has_it_and_foretell_nothing(seed):
    of = found(circuits_theory(weights="random", seed=seed))
    assert of["out_error"].holds
    assert of["score_error"].holds
    assert of["over_baseline"].holds
    assert of["accuracy"].verdict == "fails"
    assert of["ablated.1.0"].verdict == "not applicable"


def test_the_circuits_are_what_the_module_computes():
    """Scores are x W_QK y^T / sqrt(d_head); what one head writes is A x W_OV: also where widths
    differ from the clinic's.
    """
    for d_model in (32, 64, 128):
        attention = fresh(d_model, generator(d_model, 0))
        x = torch.randn(7, d_model, dtype=torch.float64, generator=generator(0, 1))
        trace = Recorder()
        attention(x, Context(torch.ones(7, 7, dtype=torch.bool)), trace)
        for head in range(HEADS):
            scores = x @ qk(attention)[head] @ x.mT / math.sqrt(d_model / HEADS)
            head_out = trace.values["pattern"][head] @ x @ ov(attention)[head]
            same(scores, trace.values["scores"][head], scale=1)
            same(head_out, trace.values["head_out"][head], scale=1)


def test_paths_are_the_terms_of_the_product_multiplied_out(model, ids):
    trace = Recorder()
    out = model(ids, trace)[0].numpy()
    x = trace.values["in"][0].numpy()
    a1, a2 = (trace.values[f"{layer}.pattern"][0].numpy() for layer in range(2))
    w1, w2 = (
        [
            layer.value.weight.numpy()[:, channels] @ layer.output.weight.numpy()[channels]
            for channels in np.arange(64).reshape(HEADS, D_HEAD)
        ]
        for layer in model.layers
    )
    total = x.copy()
    paths = expand(
        expand(torch.from_numpy(x), torch.from_numpy(a1), ov(model.layers[0])),
        torch.from_numpy(a2),
        ov(model.layers[1]),
    ).numpy()
    for head in range(HEADS):
        first, second = a1[head] @ x @ w1[head], a2[head] @ x @ w2[head]
        same(paths[0, 1 + head], first, scale=1)
        same(paths[1 + head, 0], second, scale=1)
        total += first + second
    for g, h in product(range(HEADS), repeat=2):
        term = a2[g] @ a1[h] @ x @ w1[h] @ w2[g]
        same(paths[1 + g, 1 + h], term, scale=1)
        total += term
    same(total, out, scale=1)


def test_a_bias_belongs_to_no_path(monkeypatch):
    """The expansion is measured against the forward pass and does not follow it whatever it
    does.
    """

    def biased(draws):
        model = constructed(draws)
        model.layers[0].value.bias += 0.1
        return model

    monkeypatch.setitem(clinic.MAKE, "constructed", biased)
    assert not found(circuits_theory())["out_error"].holds


def test_composition_has_its_closed_forms():
    """1 where all of one direction is read, 0 where nothing is, 1/sqrt(d) for an orthogonal map,
    1/sqrt(rank) for a projection.
    """
    identity = torch.eye(64, dtype=torch.float64)
    rank_one = torch.outer(identity[0], identity[1])
    r = torch.linalg.qr(torch.randn(64, 64, dtype=torch.float64, generator=generator(0, 0)))[0]
    anything = torch.randn(64, 64, dtype=torch.float64, generator=generator(0, 1))
    same(composition(rank_one, rank_one.mT).item(), 1, SINGLE)
    assert composition(rank_one, rank_one).item() == 0
    same(composition(r, anything), 1 / 8)
    half = torch.diag((torch.arange(64) < 16).double())
    same(composition(half, half), 1 / 4)


@pytest.mark.parametrize("d_model", [32, 64, 128])
def test_random_pairs_compose_by_one_over_the_root_of_the_width(d_model):
    """Whatever their rank: E |W R|^2 = |W|^2 |R|^2 / d if R has no preferred direction."""
    draws = generator(d_model, 0)
    values = torch.stack(
        [compositions(fresh(d_model, draws), fresh(d_model, draws)) for _ in range(8)]
    )
    near(values.mean().item() * math.sqrt(d_model), 1, RANDOM, abs=0.04)
    near(values.square().mean().item() * d_model, 1, RANDOM, abs=0.06)


def test_composition_does_not_depend_on_the_basis_of_the_stream(model):
    r = torch.linalg.qr(torch.randn(64, 64, dtype=torch.float64, generator=generator(0, 0)))[0]
    before = compositions(*model.layers)
    turned = constructed(generator(0, 0))
    for layer in turned.layers:
        for linear in (layer.query, layer.key, layer.value):
            linear.weight.copy_(r.mT @ linear.weight)
        layer.output.weight.copy_(layer.output.weight @ r)
    same(compositions(*turned.layers), before, scale=1)


def test_two_heads_are_one_induction_head(model, ids):
    """0.0 looks at the position before, 1.0 at the one after the last time this letter was read;
    and that is enough.
    """
    trace = Recorder()
    model(ids, trace)
    n = ids.shape[1]
    before, after = trace.values["0.pattern"][0, 0], trace.values["1.pattern"][0, 0]
    assert (before[torch.arange(1, n), torch.arange(n - 1)] > 0.999).all()
    assert (after[torch.arange(10, n), torch.arange(2, n - 8)] > 0.99).all()


def test_no_position_is_learned_by_heart():
    """Whatever the period, the repetition is foretold: the head finds the letter, not a
    distance.
    """
    for period in range(SHORTEST, LONGEST + 1):
        draws = generator(period, 0)
        sequences = torch.stack([repeated(period, draws) for _ in range(8)])
        assert clinic.accuracy(constructed(draws), sequences[:, :-1], sequences[:, 1:]) > 0.95


def test_a_repeated_sequence_repeats_and_holds_no_letter_twice():
    sequence = repeated(11, generator(0, 0)).tolist()
    assert len(sequence) == 1 + 11 + REPEATED + 1
    assert sequence[0] == 0
    assert len(set(sequence[:12])) == 12
    assert sequence[12:] == sequence[1 : 1 + REPEATED + 1]


def test_a_silent_head_writes_nothing_and_the_others_write_what_they_did(model, ids):
    trace = Recorder()
    model(ids, trace)
    expected = trace.values["in"] + trace.values["0.head_out"][:, [0, 1, 3]].sum(1)
    silenced = AttentionOnly(generator(0, 0))
    silenced.load_state_dict(model.state_dict())
    silenced.layers = silenced.layers[:1]
    same(silenced(ids, without(0, 2)), expected, scale=1)


def test_without_the_composition_the_frozen_sum_says_the_same_and_the_model_fails():
    """0.0 adds nothing to the logit by any path, yet nothing is foretold without it."""
    of = found(circuits_theory())
    assert abs(of["share.frozen"].mean) < 0.05
    assert of["ablated.1.0"].mean < 0.13 < of["accuracy"].mean


def test_what_0_0_writes_elsewhere_1_0_does_not_read(monkeypatch):
    """Nothing is painted on: moved to another block of channels, the same head composes no more,
    and nothing is foretold.
    """

    def moved(draws):
        model = constructed(draws)
        weight = model.layers[0].output.weight[:D_HEAD]
        weight[:, NEXT], weight[:, PREVIOUS] = weight[:, PREVIOUS].clone(), 0
        return model

    monkeypatch.setitem(clinic.MAKE, "constructed", moved)
    of = found(circuits_theory())
    assert of["composition.k"].value == 0
    assert not of["accuracy"].holds
    assert not of["share.score"].holds


def test_the_answer_is_the_first_seed_and_random_pairs_are_of_all():
    answer, result = circuits_theory(seed=3, seeds=4), trial("constructed", generator(3, 0))
    assert torch.equal(answer.tensors["composition"].data, result.composition)
    assert torch.equal(answer.tensors["logit_paths"].data, result.logit_paths)
    random = torch.stack([trial("constructed", generator(3, number)).random for number in range(4)])
    mean = answer.tensors["baseline"].data[:, 0]
    same(mean, random.mean((0, 2, 3)), scale=1)
    assert (
        answer.fields["letters"][1:REPEATED]
        == answer.fields["letters"][-REPEATED - 1 : -2][: REPEATED - 1]
    )


def test_the_paths_of_the_logit_read_the_right_letter(model):
    """Path 1.0 alone, and past no layer: nothing of x stands where letters are foretold."""
    paths = trial("constructed", generator(0, 0)).logit_paths
    assert paths.shape == (REPEATED, 1 + HEADS, 1 + HEADS)
    assert (paths[:, 0, 0] == 0).all()
    assert (paths[:, 1, 0] > 6).all()
    assert model.unembedding[NEXT].diagonal().sum() == 16
    assert model.unembedding[TOKEN].abs().sum() == 0


def test_what_is_unknown_is_refused_in_a_sentence():
    with pytest.raises(
        InvalidInput, match="weights is 'learned'; it must be one of constructed, random, trained"
    ):
        circuits_theory(weights="learned")
    with pytest.raises(InvalidInput, match="Step 1 is not stored"):
        circuits_theory(weights="trained", step=1)


def turned(x, base=10_000.0):
    """Rotary positions by hand: the channels 2i and 2i + 1 are one complex number."""
    n, width = x.shape
    angle = np.outer(np.arange(n), base ** (-np.arange(0, width, 2) / width))
    pairs = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angle)
    return np.stack([pairs.real, pairs.imag], -1).reshape(n, width)


def test_the_paths_of_the_trained_network_are_those_of_its_weights_in_numpy():
    """The weights as they are stored, read without a line of the product's attention."""
    step, draws = 400, generator(0, 0)
    result = trial("trained", draws, step, (3, 3))
    state = load_checkpoints("induction-2").models[step].transformer.state_dict()
    weights = {name: value.double().numpy() for name, value in state.items()}
    ids = np.array([1] + [clinic.TOKENS.index(letter) + 2 for letter in result.letters[1:]])
    x = 8 * weights["embedding.token"][ids[:-1]]
    n = len(x)
    ways, streams = [x], x
    for layer in range(2):
        w = {
            name: weights[f"decoder.{layer}.attention.{name}.weight"]
            for name in ("query", "key", "value", "output")
        }
        heads = [np.s_[:, 16 * head : 16 * head + 16] for head in range(HEADS)]
        patterns = []
        for channels in heads:
            q, k = (turned(streams @ w[name][channels]) for name in ("query", "key"))
            scores = np.where(np.tri(n, dtype=bool), q @ k.T / 4, -np.inf)
            weight = np.exp(scores - scores.max(1, keepdims=True))
            patterns.append(weight / weight.sum(1, keepdims=True))
        before, ways = ways, []
        for way in before:
            ways.append([way])
            for channels, pattern in zip(heads, patterns, strict=True):
                ways[-1].append(pattern @ way @ w["value"][channels] @ w["output"][channels[::-1]])
        streams = sum(sum(more) for more in ways)
        ways = [part for more in ways for part in more]
    paths = np.array(ways).reshape(1 + HEADS, 1 + HEADS, n, 64).transpose(1, 0, 2, 3)
    unembed = weights["untied"]
    towards = unembed[ids[-REPEATED:]] - unembed[3:].mean(0)
    expected = np.einsum("gfpm,pm->pgf", paths[:, :, -REPEATED:], towards)
    same(result.logit_paths.numpy(), expected, scale=1)
    logits = streams @ unembed.T
    same(
        result.logit_paths.sum((1, 2)).numpy(),
        logits[-REPEATED:][np.arange(REPEATED), ids[-REPEATED:]] - logits[-REPEATED:, 3:].mean(1),
        scale=1,
    )


def test_the_trained_network_is_the_model_that_is_shipped():
    model = deepcopy(load_checkpoints("induction-2").models[3000].transformer)
    trained = clinic.Trained(model)
    ids = trained.ids_of(repeated(9, generator(1, 0))[None, :-1])
    logits = model.double().unembed(model.decode(ids, masks.causal(ids.shape[1])))
    same(trained(ids) @ trained.unembedding, logits, scale=1)


def test_virtual_weights_grow_while_the_pair_is_learned():
    """At step 0 the pair is a random one; the finished network's is larger, and foretells."""
    start, end = (found(circuits_theory(weights="trained", step=step)) for step in (0, 3000))
    near(start["over_baseline"].mean, 1, RANDOM, abs=0.15)
    assert start["accuracy"].verdict == "fails"
    assert end["over_baseline"].holds
    assert end["accuracy"].holds
    assert end["share.layer_2"].holds
    assert end["ablated.1.0"].holds, "only one head looks at the letter before"
    assert end["ablated.2.0"].verdict == "fails", "three others look for what followed"


def test_heads_are_called_as_on_every_page():
    """By layer and head, both counted from 0: /heads finds the same two."""
    answer = circuits_theory(weights="trained", seeds=1)
    heads = analyses.answer("heads", {"model": "induction-2"})
    scores, roles = heads.tensors["scores"].data.nan_to_num(-1), heads.axes["role"].labels
    for role, name in zip(("previous", "induction"), answer.fields["pair"], strict=True):
        layer, head = divmod(int(scores[roles.index(role)].argmax()), 4)
        assert name == f"L{layer}H{head}"
    ways = {label for axis in ("way_1", "way_2") for label in answer.axes[axis].labels}
    assert ways == {"past", *(f"L{layer}H{head}" for layer in range(2) for head in range(4))}
