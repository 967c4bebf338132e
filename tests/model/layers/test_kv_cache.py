"""The KV cache: what is kept of a text that is read token by token, and that nothing is lost by
it.
"""

import pytest
import torch

from model.generation.decoding import IncrementalDecoder
from model.layers.kv_cache import KVCache
from model.layers.positional_encodings import POSITIONS
from model.layers.relative_positions import RELATIVE_POSITIONS
from model.trace import Recorder
from model.transformer import Transformer
from tests.model.support.small import SOURCE, continue_text, largest_difference, small, traced
from tests.rounding import same

HEADS, D_HEAD = 4, 4
SCHEMES = [("none", relative) for relative in RELATIVE_POSITIONS] + [
    (name, "none") for name in POSITIONS if name != "normalised"
]
"""Every scheme but the one whose positions are shares of the length, which grows token by token."""

GROUPED = pytest.mark.parametrize("n_kv_heads", [0, 2, 1])


def read_token_by_token(model: Transformer) -> tuple[IncrementalDecoder, torch.Tensor]:
    """A decoder that has read SOURCE, and the logits after each token."""
    decoder = IncrementalDecoder(model)
    return decoder, torch.cat([decoder.read(id[None, None]) for id in SOURCE])


def keys_and_values(decoder: IncrementalDecoder, layer: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The keys and values that are kept of a layer."""
    cache = decoder.cache[layer].attention
    assert isinstance(cache, KVCache)
    assert cache.past is not None
    return cache.past


@GROUPED
@pytest.mark.parametrize(("positions", "relative"), SCHEMES)
def test_with_a_cache_the_logits_are_those_of_the_whole_text(positions, relative, n_kv_heads):
    model = small("decoder-only", positions=positions, relative=relative, n_kv_heads=n_kv_heads)
    same(read_token_by_token(model)[1], continue_text(model), scale=1)


@GROUPED
@pytest.mark.parametrize("relative", RELATIVE_POSITIONS)
def test_one_key_and_one_value_are_kept_for_each_group_of_queries(relative, n_kv_heads):
    model = small("decoder-only", positions="none", relative=relative, n_kv_heads=n_kv_heads)
    decoder, trace = read_token_by_token(model)[0], traced(model)
    for layer in range(2):
        for part, name in zip(keys_and_values(decoder, layer), "kv", strict=True):
            assert part.shape == (1, n_kv_heads or HEADS, len(SOURCE), D_HEAD)
            in_the_trace = trace[f"decoder.{layer}.attention.{name}"]
            assert in_the_trace.shape == (HEADS, len(SOURCE), D_HEAD)
            of_each_group = in_the_trace[:: HEADS // (n_kv_heads or HEADS)]
            same(part[0], of_each_group, scale=1)


@GROUPED
def test_heads_wider_than_their_share_and_slower_turns_are_kept_alike(n_kv_heads):
    choices = {"positions": "none", "relative": "rope", "rope_factor": 3.0, "head_dim": 6}
    model = small("decoder-only", n_kv_heads=n_kv_heads, **choices)
    decoder, logits = read_token_by_token(model)
    same(logits, continue_text(model), scale=1)
    assert keys_and_values(decoder, 0)[0].shape == (1, n_kv_heads or HEADS, len(SOURCE), 6)


def test_each_key_is_rotated_once(monkeypatch):
    model = small("decoder-only", positions="none", relative="rope", n_kv_heads=2)
    relation, rotated = model.decoder[0].attention.relation, []
    rotate = relation.rotate

    def counting(x, start=0):
        rotated.append((x.shape[-3], x.shape[-2], start))
        return rotate(x, start)

    monkeypatch.setattr(relation, "rotate", counting)
    read_token_by_token(model)
    keys = [(length, start) for heads, length, start in rotated if heads == 2]
    queries = [(length, start) for heads, length, start in rotated if heads == HEADS]
    assert keys == queries == [(1, position) for position in range(len(SOURCE))]


def test_the_encoder_s_keys_and_values_are_computed_once_for_each_group():
    model = small(n_kv_heads=2)
    decoder = IncrementalDecoder(model, [SOURCE.tolist()])
    cache, found = decoder.cache[0].cross_attention, []
    for id in (1, 6, 8):
        decoder.read(torch.tensor([[id]]))
        found.append(cache.past)
    assert all(some is found[0] for some in found)
    assert all(part.shape == (1, 2, len(SOURCE), D_HEAD) for part in found[0])


def test_where_a_segment_begins_kept_keys_are_turned_back_to_the_first_positions():
    """They are then what a layer would compute from its remembered inputs."""
    model = small(
        "decoder-only", positions="none", relative="rope", n_kv_heads=2, segment=3, memory=2
    )
    decoder = IncrementalDecoder(model)
    decoder.read(SOURCE[None, :3])
    before = keys_and_values(decoder, 0)
    trace = Recorder()
    decoder.read(SOURCE[None, 3:4], trace)
    now = keys_and_values(decoder, 0)
    relation = model.decoder[0].attention.relation
    expected = relation.shift(before[0], -1)[..., 1:, :]
    assert now[0].shape[-2] == 3
    same(now[0][..., :2, :], expected, scale=1)
    assert torch.equal(now[1][..., :2, :], before[1][..., 1:, :])
    assert largest_difference(trace.values["decoder.0.attention.k"][:, ::2], now[0]) == 0
