"""Heads: cut, looked up, put together again (rows 13 and 14 of the science)."""

import math

import pytest
import torch

from model.config import Config
from model.errors import InvalidInput
from model.transformer import Transformer
from tests.model.support.small import small, traced
from tests.rounding import same

ATTENTIONS = ["encoder.0.attention", "decoder.1.attention", "decoder.1.cross_attention"]


@pytest.fixture(scope="module")
def model():
    return small()


@pytest.fixture(scope="module")
def trace(model):
    return traced(model)


@pytest.mark.parametrize("name", ATTENTIONS)
def test_heads_concatenated_and_projected_are_the_sum_of_what_each_head_writes(model, trace, name):
    output = model.get_submodule(name).output
    concatenated = torch.cat(list(trace[f"{name}.z"]), dim=-1)
    same(concatenated @ output.weight + output.bias, trace[f"{name}.out"], scale=1)
    same(trace[f"{name}.head_out"].sum(0) + output.bias, trace[f"{name}.out"], scale=1)


@pytest.mark.parametrize("name", ATTENTIONS)
def test_a_head_is_a_slice_of_columns_and_its_score_a_scaled_product(model, trace, name):
    """Head by head and cell by cell, as the equation is read: no reshaping anywhere."""
    part, d_head = model.get_submodule(name), 4
    stack, layer, _ = name.split(".")
    cross = "cross" in name
    x = trace[f"{stack}.{layer}.residual.{'after_attention' if cross else 'in'}"]
    memory = trace["encoder.1.residual.out"] if cross else x
    for head in range(4):
        columns = slice(head * d_head, (head + 1) * d_head)
        q, k, v = (
            r @ p.weight[:, columns] + p.bias[columns]
            for p, r in ((part.query, x), (part.key, memory), (part.value, memory))
        )
        for letter, value in {"q": q, "k": k, "v": v}.items():
            same(trace[f"{name}.{letter}"][head], value, scale=1)
        scores = torch.stack(
            [torch.stack([(q_i * k_j).sum() / math.sqrt(d_head) for k_j in k]) for q_i in q]
        )
        same(trace[f"{name}.scores"][head], scores, scale=1)
        mixed = [
            sum(p * v_j for p, v_j in zip(row, v, strict=True))
            for row in trace[f"{name}.pattern"][head]
        ]
        same(trace[f"{name}.z"][head], torch.stack(mixed), scale=1)


def test_a_head_writes_into_at_most_d_head_directions(trace):
    for head in trace["encoder.0.attention.head_out"]:
        assert torch.linalg.matrix_rank(head) <= 4


def test_queries_of_cross_attention_come_from_the_decoder_and_keys_from_the_encoders_output(
    model, trace
):
    other = traced(model, target=torch.tensor([1, 12, 3, 8, 8]))
    for letter in ("k", "v"):
        assert torch.equal(
            trace[f"decoder.1.cross_attention.{letter}"],
            other[f"decoder.1.cross_attention.{letter}"],
        )
    assert not torch.equal(
        trace["decoder.1.cross_attention.q"], other["decoder.1.cross_attention.q"]
    )


def test_the_causal_mask_does_not_apply_to_cross_attention(trace):
    assert (trace["decoder.0.cross_attention.pattern"] > 0).all()
    assert (trace["decoder.0.attention.pattern"].triu(1) == 0).all()


def test_a_sharper_lookup_returns_the_value_of_the_best_key():
    """Scores times a growing factor: the softmax tends to the arg-max (row 12)."""
    model = small("encoder-only")
    model.encoder[0].attention.query.weight *= 1e5
    model.encoder[0].attention.query.bias *= 1e5
    trace = traced(model)
    v, best = trace["encoder.0.attention.v"], trace["encoder.0.attention.scores"].argmax(-1)
    for head in range(4):
        same(trace["encoder.0.attention.z"][head], v[head][best[head]], scale=1)


@pytest.mark.parametrize("family", ["encoder-only", "decoder-only", "encoder-decoder"])
@pytest.mark.parametrize("placement", ["post", "pre"])
def test_the_number_of_parameters_is_that_of_the_formula_whatever_the_number_of_heads(
    family, placement
):
    d, f, v, n = 16, 24, 13, 2
    attention, feed_forward, norm = 4 * (d * d + d), d * f + f + f * d + d, 2 * d
    encoder = n * (attention + feed_forward + 2 * norm) + norm * (placement == "pre")
    decoder = encoder + n * (attention + norm) * (family == "encoder-decoder")
    expected = v * d + encoder * ("encoder" in family) + decoder * ("decoder" in family)
    for heads in (1, 2, 4, 8, 16):
        assert (
            sum(p.numel() for p in small(family, placement=placement, n_heads=heads).parameters())
            == expected
        )


def test_a_width_that_does_not_divide_among_the_heads_is_refused():
    with pytest.raises(InvalidInput, match="can’t be split into 3 heads: use a multiple of 3, or"):
        Transformer(
            Config(
                family="encoder-only", vocabulary_size=5, d_model=16, n_heads=3, n_encoder_layers=1
            )
        )
