"""Norms and placements against torch's own and against the formulas written out."""

import numpy as np
import pytest
import torch
from torch import nn

from model.config import Config
from model.layers.choice_names import PLACEMENT_NAMES
from model.layers.context import Context
from model.layers.norms import NORMS, NoNorm, RMSNorm, ScaleNorm, make_norm
from model.layers.stack import Stack
from model.trace import Recorder, Trace
from model.zoo.initialisation import initialise
from tests.rounding import SINGLE, same

D = 24


@pytest.fixture
def x():
    return (
        torch.randn(3, 5, D, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) * 3
        + 1
    )


def randomise(part: nn.Module, seed: int = 1) -> nn.Module:
    draws = torch.Generator().manual_seed(seed)
    for parameter in part.parameters():
        nn.init.normal_(parameter, generator=draws)
    return part.double()


def test_rms_norm_is_that_of_torch(x):
    ours, theirs = randomise(RMSNorm(D, 1e-5)), nn.RMSNorm(D, eps=1e-5).double()
    theirs.load_state_dict({"weight": ours.gain})
    same(ours(x), theirs(x), scale=1)


def test_scale_norm_puts_every_token_on_one_sphere(x):
    norm = ScaleNorm(D, 1e-5).double()
    same(norm(x).norm(dim=-1), D**0.5, SINGLE, scale=1)  # its gain begins as a float32 square root
    expected = norm.gain.item() * x.numpy() / np.linalg.norm(x.numpy(), axis=-1, keepdims=True)
    same(norm(x).detach().numpy(), expected, scale=1)


def test_a_token_of_zeros_stays_finite_under_every_norm():
    for norm in NORMS.values():
        assert norm.module(D, 1e-5)(torch.zeros(2, D)).isfinite().all()


FORMULAS = {
    "post": lambda x, f, norm, w, bottom: norm(w * x + f(x)),
    "admin": lambda x, f, norm, w, bottom: norm(w * x + f(x)),
    "b2t": lambda x, f, norm, w, bottom: norm(w * x + f(x) + bottom),
    "pre": lambda x, f, norm, w, bottom: w * x + f(norm(x)),
    "branch": lambda x, f, norm, w, bottom: w * x + norm(f(x)),
    "none": lambda x, f, norm, w, bottom: w * x + f(x),
}


def config(**choices) -> Config:
    sizes = {"d_model": D, "n_heads": 4, "d_ff": 32, "n_encoder_layers": 2}
    return Config.from_dict({"family": "encoder-only", "vocabulary_size": 1, **sizes, **choices})


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("placement", PLACEMENT_NAMES)
def test_a_stack_follows_the_formula_of_its_placement_sub_layer_by_sub_layer(x, placement, norm):
    """What the trace says each sub-layer wrote is put together again by the formula."""
    stack = randomise(Stack(config(placement=placement, norm=norm, shortcut=0.7), "encoder"))
    values = {}
    everywhere = Context(torch.ones(1, 5, 5, dtype=torch.bool))
    stack(x, everywhere, Trace(lambda name, value: values.setdefault(name, value)))
    for layer in range(2):
        block = stack[layer]
        came = block_input = values[f"{layer}.residual.in"]
        for number, sublayer, after in (
            (1, "attention", "after_attention"),
            (2, "feed_forward", "out"),
        ):
            w = block.residual_scale(number)
            assert placement == "admin" or w == 0.7
            wrote = values[f"{layer}.{sublayer}.out"]
            bottom = block_input if after == "out" else 0
            expected = FORMULAS[placement](
                came, lambda _, wrote=wrote: wrote, getattr(block, f"norm{number}"), w, bottom
            )
            if (
                placement == "pre"
            ):  # the sub-layer read the normed stream; what it wrote stands in the trace
                expected = w * came + wrote
                assert torch.equal(
                    values[f"{layer}.norm{number}.out"], getattr(block, f"norm{number}")(came)
                )
            came = values[f"{layer}.residual.{after}"]
            same(came, expected, scale=1)


def test_the_shortcut_of_admin_is_learned_and_begins_as_post():
    admin, post = (Stack(config(placement=p), "encoder") for p in ("admin", "post"))
    initialise(admin, torch.Generator().manual_seed(0))
    initialise(post, torch.Generator().manual_seed(0))
    x = torch.randn(1, 5, D, generator=torch.Generator().manual_seed(1))
    everywhere = Context(torch.ones(1, 5, 5, dtype=torch.bool))
    assert torch.equal(admin(x, everywhere), post(x, everywhere))
    learned = {name for name, _ in admin.named_parameters()} - {
        name for name, _ in post.named_parameters()
    }
    assert learned == {f"{layer}.shortcut{number}" for layer in (0, 1) for number in (1, 2)}


def test_only_pre_ends_with_a_norm():
    stacks = {p: Stack(config(placement=p), "encoder") for p in PLACEMENT_NAMES}
    assert [p for p, stack in stacks.items() if not isinstance(stack.norm, NoNorm)] == ["pre"]


def test_a_stack_without_a_final_norm_ends_with_the_output_of_its_last_block(x):
    stack, trace = randomise(Stack(config(placement="post"), "encoder")), Recorder()
    out = stack(x, Context(torch.ones(1, 5, 5, dtype=torch.bool)), trace=trace)
    assert torch.equal(out, trace.values["1.residual.out"])
    assert "norm.out" not in trace.values


def test_the_final_norm_records_what_every_norm_records(x):
    stack, trace = randomise(Stack(config(placement="pre"), "encoder")), Recorder()
    out = stack(x, Context(torch.ones(1, 5, 5, dtype=torch.bool)), trace=trace)
    stream = trace.values["1.residual.out"]
    assert list(trace.values)[-3:] == ["norm.mean", "norm.scale", "norm.out"]
    assert torch.equal(out, trace.values["norm.out"])
    same(trace.values["norm.mean"], stream.mean(-1))
    spread = (stream.var(-1, correction=0) + 1e-5).sqrt()
    same(trace.values["norm.scale"], spread)


def test_a_norm_is_made_as_the_config_says():
    assert all(type(make_norm(config(norm=name))) is norm.module for name, norm in NORMS.items())
