"""Amplification: the laws of Liu et al. 2020 in their bands, measured on weights that matter."""

import math
from functools import cache

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from model.clinics import amplification as clinic
from model.clinics.amplification import amplification
from model.errors import InvalidInput
from model.layers.choice_names import PLACEMENT_NAMES
from model.layers.context import Context
from model.measure.initialised_stacks import (
    added,
    dependency,
    distance,
    fresh_encoder,
    generator,
    normal,
    perturb,
    profile,
    run_recorded,
    scales_of,
    slope,
)
from model.measure.recorded_amplification import (
    MAX_DEPTH,
    RECORDED,
    RECORDED_SEEDS,
    USUAL,
)
from tests.model.clinics.every_clinic import PLACED
from tests.rounding import RANDOM, SHIPPED, SINGLE, near, same
from tests.thorough import mostly


def found(answer) -> dict[str, dict]:
    return {finding.name: finding for finding in answer.fields["findings"]}


@cache
def at_width(d_model: int):
    """The usual answer, computed once."""
    return amplification(d_model=d_model)


@cache
def shallow(stack: str, placement: str):
    """Computed once for all who ask."""
    return amplification(depths=[2, 3, 6], d_model=8, seeds=2, stack=stack, placement=placement)


def test_what_is_recorded_is_what_would_be_measured_now():
    """One seed, every placement and every number of sub-layers."""
    (now,) = clinic.trials(tuple(PLACEMENT_NAMES), MAX_DEPTH, [5], **USUAL)
    recorded = load_file(RECORDED)["trials"]
    assert recorded.shape == (RECORDED_SEEDS, len(PLACEMENT_NAMES), 2, MAX_DEPTH)
    fresh = torch.tensor([[trial.change, trial.dependency] for trial in now])
    same(recorded[5], fresh, SINGLE, n=SHIPPED, scale=1)
    answer = amplification(seeds=6, placement="none")
    assert torch.equal(
        answer.tensors["change.by_seed"].data[5, 0], recorded[5, 0, 0, [1, 3, 7, 15, 31, 63]]
    )


def test_every_law_is_decided_by_the_seeds_that_are_recorded():
    findings = amplification(seeds=RECORDED_SEEDS).fields["findings"]
    assert {finding.verdict for finding in findings} == {"holds", "not applicable"}
    assert {finding.seeds for finding in findings} == {RECORDED_SEEDS}


@pytest.mark.parametrize("d_model", mostly([32, 64, 128], 64))
def test_no_law_fails_at_any_width_and_the_change_grows_like_the_sum(d_model):
    findings = found(at_width(d_model))
    failing = [name for name, finding in findings.items() if finding.verdict == "fails"]
    assert failing == [], f"{failing} fail at width {d_model}."
    assert 0.8 <= findings["proportional"].mean <= 1.25
    assert findings["sum_spread"].holds
    assert findings["constant_spread"].mean < 3.5


def test_the_share_of_a_sub_layer_lies_well_below_a_half():
    share = at_width(64).tensors["share"].data
    assert 0.18 < share[0, 0] < 0.26
    assert 0.3 < share[0, -1] < 0.4


@pytest.mark.parametrize(("placement", "stack"), PLACED)
def test_every_placement_can_be_asked_for_in_both_stacks(placement, stack):
    answer, usual = (shallow(stack, kind) for kind in (placement, "post"))
    names = answer.axes["placement"].labels
    assert names[:3] == ["post", "pre", "admin"]
    assert placement in names
    assert torch.equal(answer.tensors["change"].data[:3], usual.tensors["change"].data)
    assert answer.tensors["change"].data.isfinite().all()


def test_what_a_sub_layer_adds_and_the_whole_are_those_of_the_equations():
    for placement in PLACEMENT_NAMES:
        stack = fresh_encoder(placement, 2, 16, generator(0, 0))
        x = normal(2, 5, 16, draws=generator(1, 0))
        recorded = run_recorded(stack, x)
        for i, (part, whole) in enumerate(added(stack, recorded)):
            block, before, f = stack[i // 2], recorded.before[i], recorded.outputs[i]
            norm = (block.norm1, block.norm2)[i % 2]
            after = recorded.after[i]
            if placement == "branch":
                same(part, norm(f))
                same(whole, before + norm(f))
            elif placement in ("pre", "none"):
                same(whole, before + part)
                same(whole, after)
            else:
                same(part, f)
                same(norm(whole), after)


def test_the_fit_is_the_curve_of_the_corollaries():
    n = torch.tensor([2.0, 4, 8, 16])
    change = torch.stack([3 * n, 2 + 5 * n.log(), 1 + n.log(), n])
    curves = clinic.fits(("post", "pre", "admin", "b2t"), [2, 4, 8, 16], change)
    same(curves[:3], change[:3], scale=1)
    assert curves[3].isneginf().all()


def test_the_constant_is_the_change_over_the_sum():
    tensors = amplification(depths=[2, 4, 8], d_model=16, seeds=2).tensors
    same(tensors["constant"].data, tensors["change"].data / tensors["sum"].data)


def test_a_depth_read_off_a_deep_stack_is_a_stack_of_that_depth():
    """The first four layers of sixteen are a stack of four: same weights, same stream."""
    deep = fresh_encoder("post", 16, 32, generator(0, 0))
    flat = fresh_encoder("post", 4, 32, generator(5, 0))
    flat.load_state_dict(
        {name: value for name, value in deep.state_dict().items() if int(name.split(".")[0]) < 4}
    )
    x = normal(2, 8, 32, draws=generator(1, 0))
    everywhere = Context(torch.ones(1, 8, 8, dtype=torch.bool))
    assert torch.equal(run_recorded(deep, x).after[7], flat(x, everywhere))


def test_twice_the_disturbance_moves_the_output_four_times_as_far():
    """Squares of small disturbances: the change is of second order in their size."""
    single, doubled = (
        amplification(noise=size, d_model=32, depths=[2, 4, 8], seeds=1).tensors["change"].data
        for size in (0.002, 0.004)
    )
    assert (doubled / single).sub(4).abs().max() < 0.2


def test_no_disturbance_no_change_and_one_weight_moves_the_numbers(monkeypatch):
    question = {"depths": [2, 4, 8], "d_model": 16, "seeds": 1}
    monkeypatch.setattr(clinic, "perturb", lambda stack, size, draws: None)
    assert amplification(**question).tensors["change"].data.abs().max() == 0
    monkeypatch.setattr(
        clinic,
        "perturb",
        lambda stack, size, draws: stack[0].attention.value.weight[3, 5].add_(0.5),
    )
    assert amplification(**question).tensors["change"].data.min() > 0


def test_a_disturbance_has_the_size_asked_for_and_leaves_biases_and_gains_alone():
    stack = fresh_encoder("pre", 2, 64, generator(0, 0))
    before = {name: value.clone() for name, value in stack.state_dict().items()}
    perturb(stack, 0.01, generator(0, 1))
    for name, value in stack.state_dict().items():
        moved = (value - before[name]).std().item()
        if name.endswith("weight"):
            near(moved, 0.01 * before[name].std().item(), RANDOM, rel=0.1)
        else:
            assert torch.equal(value, before[name])


def test_the_distance_is_that_of_normalised_outputs():
    draws = generator(0, 0)
    a, b = normal(2, 3, 8, draws=draws), normal(2, 3, 8, draws=draws)
    n, m = (
        (v - v.mean(-1, keepdims=True)) / v.std(-1, keepdims=True)
        for v in (a.double().numpy(), b.double().numpy())
    )
    same(distance(a, b), np.mean((n - m) ** 2))
    assert distance(a, 3 * a + 7) < 1e-10


@torch.no_grad()
def test_omega_is_one_plus_the_variances_before():
    """Against a second run: with every omega at 1 the variances are those of a Post-LN stack of the
    same weights.
    """
    admin, post = (
        fresh_encoder(placement, 6, 64, generator(0, 0)) for placement in ("admin", "post")
    )
    x = normal(4, 32, 64, draws=generator(1, 0))
    variances = [f.numpy().astype(np.float64).var() for f in run_recorded(post, x).outputs]
    expected = [math.sqrt(1 + sum(variances[:i])) for i in range(12)]
    same(profile(admin, x), expected)
    same([omega.unique() for omega in scales_of(admin)], expected)
    assert expected[0] == 1
    assert 1.9 < expected[-1] < 2.6


@torch.no_grad()
@pytest.mark.parametrize("placement", ["post", "pre", "admin"])
def test_dependency_is_the_share_of_the_variance_before_the_norm(placement):
    stack = fresh_encoder(placement, 3, 32, generator(0, 0))
    x = normal(4, 8, 32, draws=generator(1, 0))
    if placement == "admin":
        profile(stack, x)
    recorded = run_recorded(stack, x)
    for share, before, wrote, shortcut in zip(
        dependency(stack, recorded),
        recorded.before,
        recorded.outputs,
        scales_of(stack),
        strict=True,
    ):
        total = shortcut * before + wrote
        same(share, wrote.double().numpy().var() / total.double().numpy().var())


def test_the_slope_is_the_exponent():
    xs = [2, 4, 8, 16]
    same(slope(xs, [3 * x**0.7 for x in xs]), 0.7, SINGLE)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"depths": [2, 4, 65]}, "depths is 65; it must be between 1 and 64."),
        ({"depths": [2, 2, 2]}, "depths is 1; it must be between 3 and 16."),
        ({"noise": 0.5}, "noise is 0.5; it must be between 0.0001 and 0.1."),
        ({"d_model": 30}, "d_model is 30; it must be a multiple of 4, the number of heads."),
        (
            {"placement": "sideways"},
            "placement is 'sideways'; it must be one of post, pre, admin, b2t",
        ),
        ({"stack": "tower"}, "stack is 'tower'; it must be one of"),
        ({"d_model": 256}, "d_model is 256; it must be between 4 and 128."),
    ],
)
def test_what_is_out_of_bounds_is_refused_in_a_sentence(question, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        amplification(**question)
