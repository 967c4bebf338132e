"""Norms: lengths against forward passes by hand, the Jacobian against its closed form, leaks
against torch's own norms.
"""

import math

import numpy as np
import pytest
import torch
from torch import nn

from model.clinics import norms as clinic
from model.clinics.norms import (
    lemma,
    memories_of,
    norms,
    outside,
    pair_of,
    paths,
    scaled,
    stack_of,
    with_placement,
)
from model.errors import InvalidInput
from model.layers.choice_names import AVERAGES_OVER, PLACEMENT_NAMES
from model.layers.norms import NORMS
from model.measure.initialised_stacks import generator, normal, profile, run_recorded
from model.measure.initialised_stacks import normalised as output_of
from model.measure.norm_properties import fresh, jacobians, leak, normalised
from model.zoo.initialisation import initialise
from tests.rounding import PRINTED, SINGLE, near, same
from tests.thorough import mostly

SEEDS = {32: 16, 64: 4, 128: 8}  # a narrow stream strays more from seed to seed


def found(answer, name):
    return next(finding for finding in answer.fields["findings"] if finding.name == name)


@pytest.fixture(scope="module")
def tokens():
    return torch.randn(3, 12, dtype=torch.float64, generator=generator(0, 0)) * 2 + 1


@pytest.mark.thorough  # in a decoder, below, and of 64 channels where the page opens
@pytest.mark.parametrize("d_model", SEEDS)
def test_the_laws_hold_at_every_width(d_model):
    answer = norms(d_model=d_model, seeds=SEEDS[d_model])
    assert [law.name for law in answer.fields["findings"] if law.verdict != "holds"] == []
    low, high = answer.tensors["lemma"].data
    stream = answer.tensors["stream"].data[1::2]
    assert (low.square() <= 1.05 * stream.square()).all()
    assert (stream.square() <= 1.05 * high.square()).all()


@pytest.mark.parametrize("norm", mostly(["rms", "scale"], "rms"))
def test_the_laws_hold_for_the_other_norms(norm):
    others = {
        law.name: law for law in norms(norm=norm, seeds=4).fields["findings"] if not law.holds
    }
    assert others.keys() == {"y_dot_ones"}
    assert others["y_dot_ones"].premise == "Only LayerNorm subtracts the mean."


@pytest.mark.parametrize("placement", mostly(PLACEMENT_NAMES, "pre", "b2t"))
def test_the_stream_is_that_of_the_placement_asked_for(placement):
    answer = norms(placement=placement, d_model=16, depth=6, seeds=1)
    same(
        answer.tensors["stream"].data,
        answer.tensors["stream.all"].data[list(PLACEMENT_NAMES).index(placement)],
    )


def test_the_length_is_that_of_a_forward_pass_by_hand():
    """One Pre-LN layer of one sequence, in NumPy, from the same draws."""
    stack, draws = with_placement(stack_of("none", "layer", 2, 8), "pre"), generator(3, 0)
    x = normal(1, 5, 8, draws=draws)
    initialise(stack, draws)
    weights = {name: value.double().numpy() for name, value in stack.state_dict().items()}
    h = x[0].double().numpy()

    def layer_norm(y):
        return (y - y.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True) + 1e-5)

    q, k, v = (
        np.stack(np.split(layer_norm(h) @ weights[f"0.attention.{name}.weight"], 4, -1))
        for name in ("query", "key", "value")
    )
    scores = np.exp(q @ k.transpose(0, 2, 1) / math.sqrt(2))
    heads = scores / scores.sum(-1, keepdims=True) @ v
    h = h + np.concatenate(list(heads), -1) @ weights["0.attention.output.weight"]
    hidden = np.maximum(layer_norm(h) @ weights["0.feed_forward.hidden.weight"], 0)
    h = h + hidden @ weights["0.feed_forward.output.weight"]
    same(clinic.mean_square(run_recorded(stack, x).after[-1]), (h**2).sum(-1).mean())


def test_the_length_in_a_decoder_is_that_of_a_forward_pass_by_hand():
    """One Pre-LN decoder layer in NumPy: causal attention, attention over the normalised output of
    an encoder, feed-forward network.
    """
    pair = pair_of("decoder", "layer", 3, 8, 1.0)
    pair.draw(draws := generator(3, 0))
    x, source = normal(2, 1, 5, 8, draws=draws)
    stack = pair.placed("pre")
    weights = {name: value.double().numpy() for name, value in stack.state_dict().items()}
    h, memory = x[0].double().numpy(), output_of(source)[0].double().numpy()
    recorded = run_recorded(stack, x, output_of(source))

    def layer_norm(y):
        return (y - y.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True) + 1e-5)

    def attend(name, queries, keys, hidden):
        q, k, v = (
            np.stack(np.split(of @ weights[f"0.{name}.{part}.weight"], 4, -1))
            for part, of in (("query", queries), ("key", keys), ("value", keys))
        )
        scores = np.where(hidden, 0, np.exp(q @ k.transpose(0, 2, 1) / math.sqrt(2)))
        heads = scores / scores.sum(-1, keepdims=True) @ v
        return np.concatenate(list(heads), -1) @ weights[f"0.{name}.output.weight"]

    later = np.triu(np.ones((5, 5), bool), 1)
    lengths = []
    for write in (
        lambda y: attend("attention", y, y, later),
        lambda y: attend("cross_attention", y, memory, np.zeros((5, 5), bool)),
        lambda y: (
            np.maximum(y @ weights["0.feed_forward.hidden.weight"], 0)
            @ weights["0.feed_forward.output.weight"]
        ),
    ):
        h = h + write(layer_norm(h))
        lengths.append((h**2).sum(-1).mean())
    same([clinic.mean_square(after) for after in recorded.after], lengths)


@pytest.mark.parametrize("d_model", mostly(SEEDS, 64))
def test_the_laws_hold_in_a_decoder(d_model):
    answer = norms(stack="decoder", d_model=d_model, seeds=(SEEDS | {64: 2})[d_model])
    verdicts = {law.name: law.verdict for law in answer.fields["findings"]}
    assert "fails" not in verdicts.values()
    assert verdicts["stream.post"] == verdicts["lemma_2"] == "holds"
    assert verdicts["stream_exponent"] == "not applicable"
    assert answer.tensors["lemma"].data.shape == (2, 16)
    low, high = answer.tensors["lemma"].data
    stream = answer.tensors["stream"].data[2::3]
    assert (low.square() <= 1.05 * stream.square()).all()
    assert (stream.square() <= 1.05 * high.square()).all()


@pytest.mark.parametrize("placement", mostly(PLACEMENT_NAMES, "admin", "b2t"))
def test_a_decoder_reads_a_normalised_encoder_of_its_own_placement(placement):
    encoder = pair_of("encoder", "layer", 12, 8, 1.0)
    x = normal(8, 16, 8, draws=generator(1, 0))
    memories = memories_of(encoder, x, generator(2, 0))
    stack = stack_of(placement, "layer", 12, 8)
    source = normal(*x.shape, draws=(draws := generator(2, 0)))
    stack.load_state_dict(
        initialise(stack_of("none", "layer", 12, 8), draws).state_dict(), strict=False
    )
    if placement == "admin":
        profile(stack, source)
    expected = nn.functional.layer_norm(run_recorded(stack, source).after[-1], (8,), eps=0)
    same(memories[placement], expected, scale=1)
    assert all(
        not torch.equal(memories[placement], other)
        for name, other in memories.items()
        if name != placement
    )


def test_moving_the_norm_is_the_same_as_building_the_stack_so():
    x = normal(1, 4, 8, draws=generator(1, 0))
    for placement in ("post", "pre", "branch", "none"):
        built = initialise(stack_of(placement, "layer", 4, 8), generator(2, 0))
        moved = with_placement(
            initialise(stack_of("none", "layer", 4, 8), generator(2, 0)), placement
        )
        for stream, other in zip(
            run_recorded(built, x).after, run_recorded(moved, x).after, strict=True
        ):
            assert torch.equal(stream, other)


def test_lemma_2_by_hand_and_a_stream_outside_it_is_noticed():
    same(lemma(4), torch.tensor([[1.5, 2.0, 2.5, 3.0], [2.5, 4.0, 5.5, 7.0]]))
    same(
        lemma(2, "decoder"), torch.tensor([[1.5, 2.0], [3.5, 6.0]])
    )  # 1 + l / 2 and 1 + 5 l / 2: two attentions in place of one
    assert outside(torch.tensor([[2.0, 3.0, 4.0]])) < 1
    same(outside(torch.tensor([[1.0, 3.0, 4.0]])), 1.5)
    same(outside(torch.tensor([[2.0, 3.0, 11.0]])), 2, SINGLE)


def test_the_jacobian_of_layer_norm_is_its_closed_form(tokens):
    """dy/dx = (I - 1 1'/d - y y'/d) / sigma (Xiong et al. 2020, Lemma 3)."""
    d = tokens.shape[-1]
    x = tokens[0]
    sigma = x.std(correction=0)
    y = (x - x.mean()) / sigma
    closed = (
        torch.eye(d, dtype=x.dtype) - torch.ones(d, d, dtype=x.dtype) / d - torch.outer(y, y) / d
    ) / sigma
    autograd = torch.autograd.functional.jacobian(lambda x: fresh("layer", d)(x[None])[0], x)
    same(autograd, closed, scale=1)
    same(jacobians("layer", tokens)[0], torch.linalg.svdvals(closed) * sigma, scale=1)


@pytest.mark.parametrize(("norm", "lost"), [("layer", 2), ("rms", 1), ("scale", 1)])
def test_a_norm_loses_one_direction_and_layer_norm_two(tokens, norm, lost):
    singular = jacobians(norm, tokens)
    expected = torch.ones_like(singular)
    expected[:, -lost:] = 0
    same(singular, expected, scale=1)


def test_shortcuts_alone_are_a_power():
    scales = [0.5, 0.9, 1.0, 1.1, 1.5]
    same(paths(scales), np.array(scales)[:, None] ** np.arange(1, 65))
    answer = norms(depth=2, d_model=8, shortcut=0.9)
    assert answer.axes["scale"].labels == ["0.9", "1", "1.1"]
    near(found(answer, "path.0.9").value, 0.0064, PRINTED, abs=5e-5)
    near(found(answer, "path.1.1").value, 97, PRINTED, abs=0.5)


def test_lambda_stands_on_every_shortcut_of_the_stream():
    x = normal(1, 3, 8, draws=generator(0, 0))
    stack = scaled(
        with_placement(initialise(stack_of("none", "layer", 4, 8), generator(1, 0)), "pre"), 0.5
    )
    recorded = run_recorded(stack, x)
    for before, wrote, after in zip(recorded.before, recorded.outputs, recorded.after, strict=True):
        same(after, 0.5 * before + wrote)


def test_the_three_norms_average_as_those_of_torch():
    x = torch.randn(4, 6, 5, dtype=torch.float64, generator=generator(0, 0))
    same(normalised(x, AVERAGES_OVER["layer"]), nn.functional.layer_norm(x, (5,), eps=0))
    batch = nn.functional.batch_norm(x.mT, None, None, training=True, eps=1e-30).mT
    same(normalised(x, AVERAGES_OVER["batch"]), batch)
    same(normalised(x, AVERAGES_OVER["instance"]), nn.functional.instance_norm(x.mT, eps=1e-30).mT)


def test_what_leaks_is_what_is_averaged():
    layer, batch, instance = leak(16, 0, 0)
    assert layer.tolist() == [0, 0]
    assert batch.min() > 0.1
    assert instance[0] == 0
    assert instance[1] > 0.1


@pytest.mark.parametrize("norm", mostly(NORMS, "layer"))
def test_what_epsilon_takes_from_a_narrow_token_is_no_fault_of_post_ln(norm):
    """Four channels may be so alike that epsilon counts beside their variance."""
    narrow = found(norms(norm=norm, depth=3, d_model=4), "stream.post")
    assert narrow.holds
    assert narrow.band[1] < 1e-3
    wide = found(norms(norm=norm, depth=3, d_model=64), "stream.post")
    assert wide.holds
    assert wide.band[1] < 3e-5


def multiplied(monkeypatch: pytest.MonkeyPatch, ending: str, factor: float) -> None:
    """From now on, the weights whose names end so are initialised to so many times their size."""

    def initialise_scaled(part, draws):
        initialise(part, draws)
        for name, weight in part.named_parameters():
            if name.endswith(ending):
                weight.mul_(factor)
        return part

    monkeypatch.setattr(clinic, "initialise", initialise_scaled)


def test_a_norm_of_another_length_breaks_the_law_of_post_ln(monkeypatch):
    """A gain of 1.001 makes every token longer by a thousandth."""
    multiplied(monkeypatch, "gain", 1.001)
    assert not found(norms(depth=4, d_model=16), "stream.post").holds


@pytest.mark.parametrize("question", [{"depth": 2}, {"depth": 4, "shortcut": 0.5}])
def test_no_power_of_the_depth_is_claimed_for_a_stream_without_norm(question):
    law = found(norms(placement="none", d_model=16, **question), "stream_exponent")
    assert law.verdict == "not applicable"
    assert "power" in law.premise


def test_other_weights_give_other_lengths(monkeypatch):
    """Stronger writers lengthen the Pre-LN stream past the upper bound."""
    plain = norms(d_model=16, depth=8)

    multiplied(monkeypatch, "output.weight", 3)
    answer = norms(d_model=16, depth=8)
    assert (answer.tensors["stream"].data > plain.tensors["stream"].data).all()
    assert not found(answer, "lemma_2").holds
    assert found(answer, "stream.post").holds


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (
            {"placement": "both"},
            f"placement is 'both'; it must be one of {', '.join(PLACEMENT_NAMES)}.",
        ),
        ({"norm": "batch"}, f"norm is 'batch'; it must be one of {', '.join(NORMS)}."),
        ({"depth": 1}, "depth is 1; it must be between 2 and 64."),
        ({"depth": 2, "stack": "decoder"}, "depth is 2; it must be between 3 and 64."),
        ({"stack": "both"}, "stack is 'both'; it must be one of"),
        ({"shortcut": 2.0}, "shortcut is 2; it must be between 0.5 and 1.5."),
        ({"d_model": 30}, "it must be a multiple of 4, the number of heads."),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(wrong, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        norms(**wrong)
