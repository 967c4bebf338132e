"""Dependency: the shares are those of the parts themselves, the laws hold at several widths, and
the weights decide.
"""

import math
from functools import cache

import pytest
import torch

from model.clinics.dependency import (
    COMPARED,
    INIT,
    MAX_LAYERS,
    dependency,
    independent,
    shares,
)
from model.errors import InvalidInput
from model.layers.choice_names import PLACEMENT_NAMES
from model.layers.context import Context
from model.measure.initialised_stacks import (
    fresh_encoder,
    generator,
    normal,
    profile,
    run_recorded,
    scales_of,
)
from model.trace import Recorder
from tests.model.clinics.every_clinic import PLACED
from tests.rounding import is_same, same
from tests.thorough import mostly

POST = [0.083, 0.242, 0.150, 0.247, 0.233, 0.246, 0.333, 0.246, 0.356, 0.232, 0.447, 0.240]
PRE = [0.079, 0.228, 0.110, 0.172, 0.126, 0.131, 0.133, 0.100, 0.111, 0.081, 0.125, 0.065]


def found(answer, name):
    return next(finding for finding in answer.fields["findings"] if finding.name == name)


@cache
def at_width(d_model: int):
    """Computed once for all who ask."""
    return dependency(d_model=d_model)


@pytest.fixture(params=mostly([32, 64, 128], 64))
def answer(request):
    return at_width(request.param)


@torch.no_grad()
def small(placement, layers=3):
    """A float64 stack, its input, and what passed."""
    draws = generator(5, 0)
    x = normal(3, 7, 16, draws=draws)
    stack = fresh_encoder(placement, layers, 16, draws)
    if placement == "admin":
        profile(stack, x)
    return stack, x, run_recorded(stack, x)


@pytest.mark.parametrize("placement", PLACEMENT_NAMES)
def test_the_shares_are_those_of_the_parts_followed_one_by_one(placement):
    stack, x, recorded = small(placement)
    followed = placement in ("post", "admin", "b2t")
    measured = shares(stack, recorded, followed)
    norms = [stack.get_submodule(f"{layer}.norm{n}") for layer in range(3) for n in (1, 2)]
    parts = bottom = x[None]
    for i, (before, f, after, omega, norm) in enumerate(
        zip(
            recorded.before,
            recorded.outputs,
            recorded.after,
            scales_of(stack),
            norms,
            strict=True,
        )
    ):
        bottom = parts if i % 2 == 0 else bottom
        output, whole = norm(f) if placement == "branch" else f, omega * before
        parts = omega * parts
        if placement == "b2t" and i % 2 == 1:
            again = torch.cat([bottom, torch.zeros_like(parts[len(bottom) :])])
            parts, whole = parts + again, whole + bottom.sum(0)
        parts, whole = torch.cat([parts, output[None]]), whole + output
        same(parts.sum(0), whole, scale=1)
        same(norm(whole) if followed else whole, after)
        expected = parts.var(dim=(1, 2, 3), correction=0) / whole.var(correction=0)
        same(measured[i, : len(expected)], expected, scale=1)
        assert measured[i, len(expected) :].abs().sum() == 0
        if followed:
            scale = (whole.var(dim=-1, correction=0, keepdim=True) + norm.epsilon).sqrt()
            parts = (
                (parts - parts.mean(dim=-1, keepdim=True)) / scale * norm.gain
            )  # the scale that the whole really had


@pytest.mark.parametrize(("placement", "stack"), PLACED)
def test_every_placement_can_be_asked_for_in_both_stacks(placement, stack):
    sublayers = {"encoder": 4, "decoder": 6}[stack]
    answer = dependency(placement=placement, stack=stack, layers=2, d_model=16, seeds=2)
    names = answer.axes["placement"].labels
    assert names[:3] == list(COMPARED)
    assert placement in names
    values = answer.tensors["dependency"].data
    assert values.shape == (sublayers,)
    assert ((values > 0) & (values < 1.5)).all()
    kinds = answer.tensors["by_kind"].data
    same(kinds.mT.flatten(), values)


def test_bands_belong_to_encoders_of_six_layers():
    for question in ({"layers": 2}, {"stack": "decoder", "layers": 2}):
        answer = dependency(d_model=16, seeds=2, **question)
        for name in ("mean_dependency", "mean_dependency.pre", "omega"):
            assert found(answer, name).verdict == "not applicable"
            assert found(answer, name).premise
    names = [finding.name for finding in answer.fields["findings"]]
    assert len(names) == len(set(names))
    assert "mean_dependency.post" not in names


def test_the_laws_name_the_depth_at_which_they_were_measured():
    """Away from six layers the mean share of Post-LN rises, and that of Pre-LN falls."""
    answers = [dependency(layers=n, seeds=1) for n in (2, 6, 12)]
    means = {
        name: [found(result, name).mean for result in answers]
        for name in ("mean_dependency", "mean_dependency.pre")
    }
    assert sorted(means["mean_dependency"]) == means["mean_dependency"]
    assert sorted(means["mean_dependency.pre"])[::-1] == means["mean_dependency.pre"]
    laws = [found(answers[1], name).law for name in (*means, "post_over_pre")]
    assert all("over six layers" in law for law in laws)
    assert "rising with depth" in laws[0]
    assert "falling with depth" in laws[1]


def test_the_diagonal_is_var_f_over_var_x_plus_f_by_hand():
    stack, x, recorded = small("post")
    record = Recorder()
    stack(x, Context(torch.ones(1, 7, 7, dtype=torch.bool)), record)
    value = {
        name: tensor.numpy()
        for name, tensor in record.values.items()
        if isinstance(tensor, torch.Tensor)
    }
    diagonal = shares(stack, recorded, followed=True)[:, 1:].diagonal()
    attention, feed_forward = value["1.attention.out"], value["1.feed_forward.out"]
    same(diagonal[2], attention.var() / (value["1.residual.in"] + attention).var())
    same(
        diagonal[3], feed_forward.var() / (value["1.residual.after_attention"] + feed_forward).var()
    )


def test_the_product_formula_is_exact_where_writers_are_uncorrelated():
    """Orthogonal columns of equal length as writers of a bare sum: no sampling error at all."""
    writers = torch.linalg.qr(torch.randn(64, 4, generator=generator(0, 0), dtype=torch.float64))[
        0
    ] * torch.tensor([1.0, 2, 3, 4])
    sizes = writers.square().sum(0)
    expected = torch.stack(
        [
            torch.cat([sizes[1 : i + 1] / sizes[: i + 1].sum(), torch.zeros(4 - i - 1)])
            for i in range(1, 4)
        ]
    )
    same(independent(expected.diagonal()), expected)


def test_the_dependencies_at_six_layers_are_those_that_were_observed():
    answer = at_width(64)  # of eight seeds
    post, pre, admin = answer.tensors["dependency.all"].data
    assert (post - torch.tensor(POST)).abs().max() < 0.035
    assert (pre - torch.tensor(PRE)).abs().max() < 0.02
    assert (admin - pre).abs().max() < 0.03


def test_no_law_fails_at_any_width(answer):
    failing = [finding.name for finding in answer.fields["findings"] if finding.verdict == "fails"]
    assert failing == []
    assert 1.8 <= found(answer, "post_over_pre").mean <= 2.6


def test_what_is_answered_of_one_placement_is_its_row_of_all():
    for i, placement in enumerate(COMPARED):
        answer = dependency(placement=placement, layers=2, d_model=16, seeds=2)
        beta, every = answer.tensors["beta_squared"], answer.tensors["beta_squared.all"]
        assert beta.axes == ("sublayer", "sublayer")
        same(beta.data, every.data[i])
        same(beta.data.diagonal(), answer.tensors["dependency"].data)
        assert beta.data.triu(1).abs().sum() == 0
        same(
            found(answer, "mean_dependency").mean,
            answer.tensors["dependency"].data.mean(),
        )
        assert answer.fields["init"].startswith(INIT)


def test_omega_is_the_root_of_one_and_the_variances_before_it():
    draws = generator(0, 0)
    x = normal(8, 32, 64, draws=draws)
    stack, record = fresh_encoder("post", 6, 64, draws), Recorder()
    stack(x, Context(torch.ones(1, 32, 32, dtype=torch.bool)), record)
    variances = [
        record.values[f"{layer}.{name}.out"].double().numpy().var()
        for layer in range(6)
        for name in ("attention", "feed_forward")
    ]
    expected = [math.sqrt(1 + sum(variances[:i])) for i in range(12)]
    same(dependency(seeds=1).tensors["omega"].data, expected)


def test_a_writer_made_stronger_takes_a_larger_share():
    stack, x, recorded = small("pre")
    before = shares(stack, recorded, followed=False)
    stack[1].feed_forward.output.weight.mul_(2)
    after = shares(stack, run_recorded(stack, x), followed=False)
    same(after[:3], before[:3])
    assert after[3, 4] > 2 * before[3, 4]
    assert (after[3:, :4].gt(0) == before[3:, :4].gt(0)).all()
    assert (after[3:, :4] < before[3:, :4]).all()


def test_the_same_seed_gives_the_same_numbers_and_another_gives_others():
    first, again, other = (
        dependency(layers=1, d_model=16, seed=seed, seeds=2).tensors["beta_squared"].data
        for seed in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not is_same(first, other)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"placement": "sideways"}, "placement is 'sideways'; it must be one of"),
        ({"stack": "tower"}, "stack is 'tower'; it must be one of"),
        ({"layers": 0}, "layers is 0; it must be between 1"),
        ({"layers": MAX_LAYERS + 1}, f"between 1 and {MAX_LAYERS}"),
        ({"d_model": 30}, "it must be a multiple of 4, the number of heads."),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(wrong, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        dependency(**wrong)
