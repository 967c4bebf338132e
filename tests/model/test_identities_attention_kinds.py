"""Kinds of attention: relative positions, shared keys and values, persistent slots, FAVOR+ and
segment recurrence (rows 25, 26, 32, 37).
"""

from itertools import pairwise

import numpy as np
import pytest
import torch

from model.errors import InvalidInput
from model.generation.decoding import IncrementalDecoder
from model.generation.segment_recurrence import SegmentReader
from model.layers import masks
from model.layers.kv_cache import BlockCache, CrossAttentionCache, KVCache
from tests.model.support.small import (
    SOURCE,
    config_of,
    continue_text,
    largest_difference,
    small,
    traced,
)
from tests.rounding import same

RELATIVE = pytest.mark.parametrize("relative", ["rope", "alibi", "t5", "shaw"])


def positions_free(relative: str, **choices):
    return small("decoder-only", relative=relative, positions="none", **choices)


@RELATIVE
def test_a_score_depends_on_the_offset_alone(relative):
    """The same word everywhere: all that differs between two cells of one diagonal is where they
    stand.
    """
    model = positions_free(relative, n_decoder_layers=1)
    scores = traced(model, text=torch.full((9,), 5))["decoder.0.attention.scores"]
    diagonals = [scores.diagonal(offset, 1, 2) for offset in range(-8, 1)]
    assert max(largest_difference(d, d[:, :1].expand_as(d)) for d in diagonals) < 1e-9
    assert max(largest_difference(a[:, :1], b[:, :1]) for a, b in pairwise(diagonals)) > 1e-3


def test_a_rotary_query_keeps_its_length_and_a_score_is_that_of_the_query_turned_back():
    model = positions_free("rope", n_decoder_layers=1)
    trace, attention = traced(model), model.decoder[0].attention
    flat = attention.split_heads(attention.query(trace["decoder.0.residual.in"]))
    same(trace["decoder.0.attention.q"].norm(dim=-1), flat.norm(dim=-1), scale=1)
    d, (head, query, key) = model.config.d_head, (2, 5, 1)
    angles = (query - key) / 10000 ** (np.arange(0, d, 2) / d)
    q, k = (
        part[head].numpy()
        for part in (flat, attention.split_heads(attention.key(trace["decoder.0.residual.in"])))
    )
    complex_q, complex_k = (x[0::2] + 1j * x[1::2] for x in (q[query], k[key]))
    expected = (complex_q * np.exp(1j * angles) * complex_k.conj()).real.sum() / np.sqrt(d)
    same(trace["decoder.0.attention.scores"][head, query, key], expected, scale=1)


def test_alibi_takes_a_head_s_slope_times_the_distance_from_its_score():
    trace = traced(positions_free("alibi", n_heads=8, d_model=16), text=SOURCE)
    relative = trace["decoder.1.attention.relative"].numpy()
    n = len(SOURCE)
    distance = np.abs(np.arange(n)[:, None] - np.arange(n))
    np.testing.assert_array_equal(
        relative, -np.array([2.0**-i for i in range(1, 9)])[:, None, None] * distance
    )


@RELATIVE
@pytest.mark.parametrize("n_kv_heads", [0, 2])
def test_with_the_cache_the_logits_are_those_of_the_whole_text(relative, n_kv_heads):
    model = positions_free(relative, n_kv_heads=n_kv_heads)
    whole = continue_text(model)
    cache = [BlockCache(KVCache(), CrossAttentionCache()) for _ in range(2)]
    steps = []
    for i in range(len(SOURCE)):
        x = model.decode(
            SOURCE[i : i + 1], torch.ones(1, i + 1, dtype=torch.bool), start=i, cache=cache
        )
        steps.append(model.unembed(x))
    same(torch.cat(steps), whole, scale=1)


def test_one_key_for_all_heads_is_many_heads_with_equal_keys():
    shared = small("decoder-only", n_kv_heads=1)
    plain = small("decoder-only")
    weights = shared.state_dict()
    for name in weights:
        if ".key." in name or ".value." in name:
            weights[name] = torch.cat([weights[name]] * 4, dim=-1)
    plain.load_state_dict(weights)
    same(continue_text(shared), continue_text(plain), scale=1)
    grouped = small("decoder-only", n_kv_heads=2)
    assert [sum(p.numel() for p in m.parameters()) for m in (plain, grouped, shared)] == sorted(
        (sum(p.numel() for p in m.parameters()) for m in (plain, grouped, shared)), reverse=True
    )


def test_choices_that_do_not_go_together_are_refused():
    with pytest.raises(InvalidInput, match="4 heads can’t share 3 keys and values evenly"):
        config_of(
            family="decoder-only",
            vocabulary_size=9,
            d_model=16,
            n_heads=4,
            n_kv_heads=3,
            n_decoder_layers=1,
        )
    with pytest.raises(InvalidInput, match="Persistent slots have no position, but"):
        small("decoder-only", slots=2, relative="alibi")
    base = {"vocabulary_size": 9, "d_model": 16, "n_heads": 4}
    with pytest.raises(
        InvalidInput, match="Segment recurrence needs relative positions: a remembered"
    ):
        config_of(family="decoder-only", **base, n_decoder_layers=1, segment=4, memory=4)
    with pytest.raises(InvalidInput, match="encoder-only looks ahead"):
        config_of(
            family="encoder-only", **base, n_encoder_layers=1, segment=4, memory=4, positions="none"
        )
    for wrong in ({"memory": 4}, {"segment": -1}, {"segment": 4, "memory": -1}):
        with pytest.raises(InvalidInput, match="make no recurrence"):
            config_of(family="decoder-only", **base, n_decoder_layers=1, positions="none", **wrong)
    for choice in ({"relative": "t5"}, {"score": "cosine"}):
        with pytest.raises(
            InvalidInput, match="only works with plain scaled dot products: nothing can be"
        ):
            small("decoder-only", weighing="favor", **choice)


@pytest.mark.parametrize("relative", ["none", "rope"])
def test_slots_are_columns_of_the_same_softmax_open_to_every_query(relative):
    """[q k^T, q m_k^T], the tokens behind the mask and the slots not, by hand (Sukhbaatar et al.
    2019, equation 9).
    """
    model = small("decoder-only", slots=3, relative=relative, positions="none", n_decoder_layers=1)
    trace, slots, n = traced(model), model.decoder[0].attention.slots, len(SOURCE)
    q, k, v = (trace[f"decoder.0.attention.{name}"].numpy() for name in "qkv")
    np.testing.assert_array_equal(k[:, n:], slots.keys.numpy())
    np.testing.assert_array_equal(v[:, n:], slots.values.numpy())
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(model.config.d_head)
    scores[
        :, ~np.concatenate([np.tri(n, dtype=bool), np.ones((n, 3), dtype=bool)], axis=1)
    ] = -np.inf
    pattern = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    assert pattern.shape == (4, n, n + 3)
    same(trace["decoder.0.attention.pattern"].numpy(), pattern, scale=1)
    same(trace["decoder.0.attention.z"].numpy(), pattern @ v, scale=1)


def test_a_slot_says_the_same_at_every_place():
    model = small("decoder-only", slots=3, positions="none", n_decoder_layers=1)
    scores = traced(model, text=torch.full((9,), 4))["decoder.0.attention.scores"][:, :, 9:]
    same(scores, scores[:, :1].expand_as(scores), scale=1)


@pytest.mark.parametrize("features", ["positive", "trigonometric"])
def test_favor_s_rows_sum_to_1_and_come_near_the_softmax_as_features_grow(features):
    """Where queries and keys are short: the error grows exponentially with their norms, as
    /performer shows.
    """
    errors = []
    for m in (64, 4096):
        model = small(
            "decoder-only", weighing="favor", n_features=m, features=features, n_decoder_layers=1
        )
        for part in (model.decoder[0].attention.query, model.decoder[0].attention.key):
            part.weight.mul_(0.4)
            part.bias.mul_(0.4)
        exact = small("decoder-only", n_decoder_layers=1)
        exact.load_state_dict(
            {
                name: weight
                for name, weight in model.state_dict().items()
                if "projections" not in name
            }
        )
        estimate, pattern = (traced(each)["decoder.0.attention.pattern"] for each in (model, exact))
        same(estimate.sum(-1), torch.ones_like(estimate[..., 0]), scale=1)
        assert (estimate[:, ~masks.causal(len(SOURCE))] == 0).all()
        errors.append((estimate - pattern).abs().mean().item())
    assert errors[1] < errors[0] / 3
    assert errors[1] < 0.02


def test_the_projections_are_not_learned():
    model = small("decoder-only", weighing="favor")
    assert not model.decoder[0].attention.projections.requires_grad


def segments(model, text, size, memory):
    """The output of each segment, the layers remembering their `memory` last inputs."""
    reader = SegmentReader(model, memory)
    return torch.cat([reader.read(part) for part in text.split(size)])


def test_segments_that_remember_everything_are_the_whole_text():
    model = positions_free("rope", n_decoder_layers=3)
    text = torch.arange(12)
    whole = model.decode(text, masks.causal(12))
    same(segments(model, text, size=4, memory=12), whole, scale=1)
    assert largest_difference(segments(model, text, size=4, memory=4), whole) > 1e-3


@RELATIVE
@pytest.mark.parametrize("memory", [0, 2, 3, 7])
def test_what_is_read_in_segments_is_the_whole_text_under_the_mask_that_memory_makes(
    relative, memory
):
    """A query sees its segment up to itself and `memory` positions before the segment; nothing that
    was read is computed again.
    """
    model, text, size = positions_free(relative), torch.arange(11), 4
    first = torch.arange(11) // size * size
    allowed = masks.causal(11) & (torch.arange(11) >= first[:, None] - memory)
    whole = model.decode(text, allowed)
    same(segments(model, text, size, memory), whole, scale=1)


def test_rows_of_texts_are_read_in_segments_as_each_text_alone():
    model, texts = positions_free("rope"), torch.arange(24).reshape(2, 12) % 13
    together = SegmentReader(model, 3)
    rows = torch.cat([together.read(part) for part in texts.split(4, dim=1)], dim=1)
    same(rows, torch.stack([segments(model, text, 4, 3) for text in texts]), scale=1)


@RELATIVE
@pytest.mark.parametrize("cuts", [[11], [1] * 11, [3, 6, 2], [4, 4, 3]])
def test_who_writes_remembers_as_who_reads_in_segments_wherever_the_text_is_broken_off(
    relative, cuts
):
    """With the KV cache what a layer remembers is kept as keys and values, and is the same."""
    model, text = positions_free(relative, segment=4, memory=3), torch.arange(11)
    read = model.unembed(segments(model, text, size=4, memory=3))
    reader, ends = IncrementalDecoder(model), torch.tensor(cuts).cumsum(0) - 1
    logits = torch.cat([reader.read(part[None]) for part in text.split(cuts)])
    same(logits, read[ends], scale=1)


def test_what_a_segment_can_depend_on_grows_with_layers_times_memory():
    """A layer sees one memory further back than the layer below it (Dai et al. 2019, section
    3.2).
    """
    size, n = 2, 12
    for layers in (1, 2, 3):
        model = positions_free("alibi", n_decoder_layers=layers)
        text = torch.arange(n)
        last = segments(model, text, size, memory=size)[-1]
        moved = []
        for i in range(n):
            other = text.clone()
            other[i] = 12
            moved.append(
                bool((segments(model, other, size, memory=size)[-1] - last).abs().max() > 1e-9)
            )
        first = moved.index(True)
        assert first == n - size - layers * size
        assert all(moved[first:])


def test_the_gradient_stops_at_the_memory():
    model = positions_free("rope", n_decoder_layers=1).requires_grad_(True)
    reader = SegmentReader(model, 4)
    first, second = reader.read(torch.arange(4)), reader.read(torch.arange(4, 8))
    (gradient,) = torch.autograd.grad(
        second.square().sum(), model.embedding.token, retain_graph=True
    )
    assert (gradient[:4] == 0).all()
    assert (gradient[4:8] != 0).any(-1).all()
    (of_key,) = torch.autograd.grad(second.square().sum(), model.decoder[0].attention.key.weight)
    assert (of_key != 0).any()
    assert first.requires_grad


def test_a_gated_feed_forward_by_hand():
    model = small(
        "decoder-only", gated=True, activation="silu", n_decoder_layers=1, placement="pre"
    )
    trace, part = traced(model), model.decoder[0].feed_forward
    x = trace["decoder.0.norm2.out"].numpy()
    gate, pre = (x @ p.weight.numpy() + p.bias.numpy() for p in (part.gate, part.hidden))
    post = gate / (1 + np.exp(-gate)) * pre
    same(
        trace["decoder.0.feed_forward.out"].numpy(),
        post @ part.output.weight.numpy() + part.output.bias.numpy(),
    )
    same(trace["decoder.0.feed_forward.post"].numpy(), post)


def test_without_feed_forward_and_biases_there_is_nothing_but_attention():
    model = small(
        "decoder-only", d_ff=0, biases=False, placement="none", positions="none", relative="rope"
    )
    names = {name for name, _ in model.named_parameters() if ".norm" not in name}
    inside = {
        f"decoder.{layer}.attention.{part}.weight"
        for layer in (0, 1)
        for part in ("query", "key", "value", "output")
    }
    assert names == {"embedding.token"} | inside
