"""Choices of a configuration that are others in disguise: scores, norms, placements and shortcuts
inside whole models (rows 8, 15).
"""

import math

import numpy as np
import pytest
import torch

from model.transformer import Transformer
from tests.model.support.small import SOURCE, continue_text, small, traced
from tests.rounding import same

FAMILIES = pytest.mark.parametrize("family", ["encoder-only", "decoder-only"])
D, D_HEAD = 16, 4


def with_weights_of(model: Transformer, other: Transformer) -> Transformer:
    """`model`, where both have a weight with the weight of the other."""
    model.load_state_dict(
        model.state_dict()
        | {name: value for name, value in other.state_dict().items() if name in model.state_dict()}
    )
    return model


def attentions(model: Transformer):
    stack = getattr(model, model.config.stacks[0])
    return [stack[layer].attention for layer in range(2)]


@FAMILIES
def test_general_with_the_identity_over_sqrt_d_head_is_scaled_dot(family):
    plain = small(family)
    general = with_weights_of(small(family, score="general"), plain)
    for attention in attentions(general):
        attention.score.w.copy_(torch.eye(D_HEAD) / math.sqrt(D_HEAD))
    same(continue_text(general), continue_text(plain), scale=1)


@FAMILIES
def test_dot_of_queries_divided_by_sqrt_d_head_is_scaled_dot(family):
    plain = small(family)
    dot = with_weights_of(small(family, score="dot"), plain)
    for attention in attentions(dot):
        attention.query.weight.div_(math.sqrt(D_HEAD))
        attention.query.bias.div_(math.sqrt(D_HEAD))
    same(continue_text(dot), continue_text(plain), scale=1)


def test_cosine_asks_for_the_direction_of_queries_and_keys_alone():
    model = small("decoder-only", score="cosine")
    before, scores = continue_text(model), traced(model)["decoder.0.attention.scores"]
    assert scores.abs().max() <= 1 + 1e-12
    for attention in attentions(model):
        for part in (attention.query, attention.key):
            part.weight.mul_(7)
            part.bias.mul_(7)
    same(continue_text(model), before, scale=1)


def test_location_never_looks_at_a_key():
    model = small("encoder-only", score="location")
    other = SOURCE.clone()
    other[2:] = 12
    here, there = (
        traced(model, text=text)["encoder.0.attention.scores"] for text in (SOURCE, other)
    )
    assert torch.equal(here[:, :2], there[:, :2])
    assert not torch.equal(here[:, 2:], there[:, 2:])


def test_additive_is_a_network_with_one_hidden_layer_by_hand():
    model = small("encoder-only", score="additive")
    trace, score = traced(model), attentions(model)[1].score
    q, k = (trace[f"encoder.1.attention.{name}"].numpy() for name in "qk")
    w_q, w_k, v = (weight.numpy() for weight in (score.w_q, score.w_k, score.v))
    by_hand = np.tanh((q @ w_q)[:, :, None] + (k @ w_k)[:, None]) @ v
    same(trace["encoder.1.attention.scores"].numpy(), by_hand, scale=1)


@FAMILIES
def test_scale_norm_is_rms_norm_with_one_gain_for_all_channels(family):
    """x / |x| = x / (sqrt(d) rms x), but for the epsilon."""
    rms, scale = (
        small(family, norm=norm, placement="pre", norm_epsilon=1e-14) for norm in ("rms", "scale")
    )
    weights = rms.state_dict()
    for name, gain in scale.state_dict().items():
        weights[name] = (
            torch.full((D,), gain.item() / math.sqrt(D)) if name.endswith("gain") else gain
        )
    rms.load_state_dict(weights)
    same(continue_text(rms), continue_text(scale), scale=1)


@FAMILIES
def test_admin_with_every_omega_1_is_post_ln_bit_for_bit(family):
    post = small(family, placement="post")
    admin = with_weights_of(small(family, placement="admin"), post)
    for name, omega in admin.named_parameters():
        if "shortcut" in name:
            omega.fill_(1.0)
    assert torch.equal(continue_text(admin), continue_text(post))


@FAMILIES
def test_admin_with_one_omega_everywhere_is_post_ln_with_that_shortcut(family):
    post = small(family, placement="post", shortcut=1.7)
    admin = with_weights_of(small(family, placement="admin"), post)
    for name, omega in admin.named_parameters():
        if "shortcut" in name:
            omega.fill_(1.7)
    same(continue_text(admin), continue_text(post), scale=1)


@FAMILIES
def test_b2t_of_a_block_with_one_sub_layer_is_post_ln_with_the_stream_twice(family):
    """Its bottom is what the sub-layer reads: LN(x + f(x) + x)."""
    b2t = small(family, placement="b2t", d_ff=0)
    post = with_weights_of(small(family, placement="post", d_ff=0, shortcut=2.0), b2t)
    same(continue_text(b2t), continue_text(post), scale=1)


@FAMILIES
def test_a_shortcut_of_0_leaves_what_was_written_last(family):
    model = small(family, placement="none", shortcut=0.0)
    trace, stack = traced(model), model.config.stacks[0]
    assert torch.equal(trace[f"{stack}.1.residual.out"], trace[f"{stack}.1.feed_forward.out"])
