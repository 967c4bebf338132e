"""Gradients: against whole backward passes, closed forms and differences; the laws in both stacks
and at several widths.
"""

from functools import cache

import pytest
import torch

from model.clinics import gradients as clinic
from model.clinics.gradients import (
    POSITIONS,
    STACKS,
    by_layer,
    gradients,
    output,
    outputs,
    placed,
    size,
    stack_of,
    step,
    streams,
    token_cosine,
)
from model.errors import InvalidInput
from model.layers.context import Context
from model.measure.initialised_stacks import generator, normal, profile, run_recorded
from model.measure.sub_layer_jacobians import (
    equation_5,
    equation_6,
    jacobian,
    small,
    sub_layers,
)
from model.zoo.initialisation import initialise
from tests.model.clinics.every_clinic import PLACED
from tests.rounding import APPROXIMATED, SINGLE, near, same
from tests.thorough import mostly


def found(answer, name):
    return next(finding for finding in answer.fields["findings"] if finding.name == name)


@cache
def at_width(stack: str, d_model: int):
    """Computed once for all who ask."""
    return gradients(stack=stack, d_model=d_model, seeds=4)


@cache
def shallow(stack: str, placement: str):
    """Computed once for all who ask, with no more layers than the cosine of tokens needs."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(clinic, "PROFILED", clinic.COLLAPSED)
        return gradients(depths=[1, 2, 3], d_model=8, seeds=1, stack=stack, placement=placement)


@pytest.mark.parametrize(
    ("d_model", "stack"),
    mostly(
        (cases := [pytest.param(width, stack) for width in (32, 64, 128) for stack in STACKS]),
        *(case for case in cases if case.values == (64, "decoder")),
    ),
)
def test_no_law_fails_in_either_stack_at_any_width(stack, d_model):
    """The encoder of 64 channels is where the page opens: tests/app/test_clinics.py."""
    answer = at_width(stack, d_model)
    failing = [finding.name for finding in answer.fields["findings"] if finding.verdict == "fails"]
    assert failing == [], f"{failing} fail in the {stack} at width {d_model}."


def test_a_post_ln_encoder_of_24_layers_shows_no_vanishing_either(monkeypatch):
    monkeypatch.setattr(clinic, "PROFILED", 24)
    ratio = found(gradients(depths=[1, 2, 4], seeds=2), "first_over_last.post")
    assert ratio.verdict != "fails"
    assert ratio.band == (0.3, 3)


def test_a_connection_from_bottom_to_top_keeps_a_decoders_gradient_from_vanishing():
    answer = at_width("decoder", 64)
    ratios = [found(answer, f"first_over_last.{name}").mean for name in ("post", "b2t", "pre")]
    assert ratios[0] < 0.02 < 0.2 < ratios[1] < 1 < ratios[2]
    assert found(answer, "first_over_last.post").holds
    assert found(answer, "first_over_last.b2t").holds


@pytest.mark.parametrize(("placement", "stack"), PLACED)
def test_every_placement_can_be_asked_for_in_both_stacks(placement, stack):
    answer, usual = (shallow(stack, kind) for kind in (placement, "post"))
    names = answer.axes["placement"].labels
    assert names[:3] == ["post", "pre", "b2t"]
    assert placement in names
    for name in ("last", "token_cosine"):
        values = answer.tensors[name].data
        assert values.isfinite().all()
        assert torch.equal(values[:3], usual.tensors[name].data)


@pytest.mark.parametrize("stack", mostly(STACKS, "decoder"))
def test_the_tokens_are_those_of_the_stack_that_is_asked_for(stack, monkeypatch):
    monkeypatch.setattr(clinic, "PROFILED", clinic.COLLAPSED)
    question = {"depths": [1, 2, 12], "d_model": 16, "seeds": 2}
    answer = gradients(stack=stack, **question)
    for i, name in enumerate(("post", "pre", "b2t")):
        cosine = answer.tensors["token_cosine"].data[i, -1].item()
        same(found(answer, f"token_cosine.{name}").mean, cosine, SINGLE)


def test_a_gradient_of_another_placement_is_that_of_its_own_stack(x):
    """Admin with its profiled omegas, and B2T, against a whole backward pass of a fresh stack."""
    for placement in ("admin", "b2t", "branch"):
        base = initialise(stack_of("encoder", "pre", 3, 8), generator(0, 0))
        placed_stack = placed(base, "encoder", placement, x, None)
        fresh = initialise(stack_of("encoder", placement, 3, 8), generator(0, 0))
        if placement == "admin":
            with torch.no_grad():
                profile(fresh, x)
        after = streams(placed_stack, x, None, range(3))
        same(after[-1], streams(fresh, x, None, range(3))[-1])


def loss_along(direction):
    return lambda stack, x: (direction * output(stack, x)).sum(-1).mean()


@pytest.fixture
def x():
    return normal(2, POSITIONS, 8, draws=generator(4, 0))


@pytest.mark.parametrize("placement", ["post", "pre"])
def test_the_first_layers_of_a_deeper_stack_are_a_stack_of_that_depth(x, placement):
    """The stack's own forward and a whole backward pass."""
    deep, shallow = (
        initialise(stack_of("encoder", placement, layers, 8), generator(0, 0)) for layers in (5, 3)
    )
    loss = loss_along(torch.ones(8) + x)
    everywhere = Context(torch.ones(1, POSITIONS, POSITIONS, dtype=torch.bool))
    loss_of_whole = ((torch.ones(8) + x) * shallow(x, everywhere)).sum(-1).mean()
    loss_of_whole.backward()
    parameter, _ = by_layer(deep, streams(deep, x, None, range(5)), 3, loss)
    same(parameter, torch.tensor([size(matrix.grad) for matrix in outputs(shallow)]))


def test_the_last_gradients_are_those_of_a_whole_backward_pass():
    answer = gradients(depths=[1, 2, 4], d_model=8, seeds=1, seed=3)
    for row, placement in enumerate(("post", "pre")):
        draws = generator(3, 0)
        source, _, direction = normal(3, clinic.SEQUENCES, POSITIONS, 8, draws=draws).unbind(0)
        stack = initialise(stack_of("encoder", placement, clinic.PROFILED, 8), draws)
        after = streams(stack, source, None, range(4))
        for column, depth in enumerate((1, 2, 4)):
            parameter, _ = by_layer(stack, after, depth, loss_along(direction))
            same(answer.tensors["last"].data[row, column], parameter[-1])


def test_the_gradient_of_w_2_is_hidden_times_what_came_back(x):
    """dL/dW_2 = h^T dL/dx of a Pre-LN layer, h what the hidden layer fired; dL/dx from the closed
    form of LayerNorm's Jacobian.
    """
    stack, direction = (
        initialise(stack_of("encoder", "pre", 1, 8), generator(0, 0)),
        normal(*x.shape, draws=generator(1, 0)),
    )
    block = stack[0]
    with torch.no_grad():
        middle = run_recorded(stack, x).after[0]
        hidden = torch.relu(block.feed_forward.hidden(block.norm2(middle)))
        end = middle + block.feed_forward.output(hidden)
        centred = end - end.mean(-1, keepdim=True)
        sigma = (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        y = centred / sigma
        back = (
            (
                direction
                - direction.mean(-1, keepdim=True)
                - y * (direction * y).mean(-1, keepdim=True)
            )
            / sigma
            / (2 * POSITIONS)
        )
        expected = torch.einsum("spf,spm->fm", hidden, back)
    parameter, residual = by_layer(
        stack, streams(stack, x, None, range(1)), 1, loss_along(direction)
    )
    same(parameter[0].item(), expected.norm().item(), SINGLE)
    same(residual[0].item(), back.norm().item(), SINGLE)


def test_the_decoder_looks_back_only_and_at_all_of_its_memory(x):
    stack = initialise(stack_of("decoder", "post", 2, 8), generator(0, 0))
    memory = normal(2, POSITIONS, 8, draws=generator(1, 0))
    later, elsewhere = x.clone(), memory.clone()
    later[:, 9:] += 1
    elsewhere[:, -1] += 1
    with torch.no_grad():
        end, end_later, end_elsewhere = (
            streams(stack, *pair, range(2))[-1]
            for pair in ((x, memory), (later, memory), (x, elsewhere))
        )
    same(end[:, :9], end_later[:, :9])
    assert ((end - end_elsewhere).abs().amax(-1) > 1e-4).all()


def test_the_token_cosine_is_the_mean_over_pairs_of_different_tokens():
    x = normal(2, 4, 5, draws=generator(0, 0))
    pairs = [
        torch.cosine_similarity(s[i], s[j], dim=0).item()
        for s in x
        for i in range(4)
        for j in range(4)
        if i != j
    ]
    same(token_cosine(x), sum(pairs) / len(pairs), SINGLE, scale=1)
    same(token_cosine(x[:, :1].expand(2, 4, 5)), 1, scale=1)


def test_a_layer_is_the_block_of_the_stack(x):
    stack = initialise(stack_of("encoder", "pre", 3, 8), generator(0, 0))
    whole = stack(x, Context(torch.ones(1, POSITIONS, POSITIONS, dtype=torch.bool)))
    same(output(stack, step(stack, 2, step(stack, 1, step(stack, 0, x, None), None), None)), whole)


@pytest.mark.parametrize("seed", range(3))
def test_wangs_equations_hold_as_matrices_and_not_as_printed(seed):
    (turns, apart), (total, partial) = equation_5(seed), equation_6(seed)
    assert max(turns, total) < 1e-12
    assert min(apart, partial) > 0.01


def test_the_jacobian_that_the_equations_are_held_against_is_that_of_differences():
    stack, x = small("post", 0)
    whole = jacobian(lambda x: run_recorded(stack, x).after[-1], x)
    direction = normal(*x.shape, draws=generator(9, 0))
    ahead, behind = (run_recorded(stack, x + sign * 1e-5 * direction).after[-1] for sign in (1, -1))
    slope = (ahead - behind).flatten() / 2e-5
    near(whole @ direction.flatten(), slope, APPROXIMATED, abs=1e-7)
    for f, norm in sub_layers(stack):
        x = norm(x + f(x))
    same(x, run_recorded(*small("post", 0)).after[-1])


def test_other_weights_give_other_gradients(monkeypatch):
    """Weaker writers keep a Post-LN decoder's gradient alive."""
    question = {"depths": [1, 2, 4], "stack": "decoder", "d_model": 16, "seeds": 1}
    plain = gradients(**question)

    def weaker(part, draws):
        initialise(part, draws)
        for name, weight in part.named_parameters():
            if name.endswith("output.weight"):
                weight.data.mul_(0.1)
        return part

    monkeypatch.setattr(clinic, "initialise", weaker)
    answer = gradients(**question)
    assert found(plain, "first_over_last.post").mean < 0.1
    assert found(answer, "first_over_last.post").mean > 0.5
    cosine, other = (found(result, "token_cosine.post").mean for result in (answer, plain))
    assert abs(cosine / other - 1) > 0.01


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"stack": "tower"}, "stack is 'tower'; it must be one of"),
        ({"depths": [2, 4]}, "depths is 2; it must be between 3 and 8."),
        ({"depths": [2, 4, 33]}, "depths is 33; it must be between 1 and 32."),
        ({"d_model": 30}, "it must be a multiple of 4, the number of heads."),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(wrong, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        gradients(**wrong)
