"""Tiles of an attention map, beside the whole map."""

import numpy as np
import pytest
import torch

from model.errors import InvalidInput
from model.inputs.input import Input
from model.interpretability.heads.attention_tiles import (
    LEVELS,
    Map,
    largest,
    next_peak,
    places_of,
    tile,
)
from model.layers import masks
from model.runs.long_text import LongText
from model.runs.run_model import run_model
from model.trace import Recorder
from tests.model.support.runs import small_model
from tests.model.support.small import small
from tests.rounding import SINGLE, same

LLAMA = {
    "placement": "pre",
    "norm": "rms",
    "relative": "rope",
    "positions": "none",
    "n_kv_heads": 2,
    "gated": True,
}
GPT = {"placement": "pre", "positions": "learned", "tied_unembedding": False}
POST = {"placement": "post", "positions": "sinusoidal"}
NEOX = {"placement": "pre", "parallel": True, "relative": "rope", "positions": "none"}


def whole(model, ids):
    """Everything that one pass with its maps records."""
    trace = Recorder()
    model.decode(ids, masks.causal(len(ids)), trace=trace)
    return trace.values


def ids_of(n: int) -> torch.Tensor:
    return torch.randint(3, 13, (n,), generator=torch.Generator().manual_seed(n))


@pytest.mark.parametrize(
    ("choices", "n"),
    [(LLAMA, 1024), (GPT, 512), (POST, 512), (NEOX, 512)],
    ids=["llama", "gpt", "post", "neox"],
)
def test_a_text_read_without_maps_has_the_numbers_of_one_read_with_them(choices, n):
    model = small("decoder-only", dtype=torch.float32, max_length=n, **choices)
    ids = ids_of(n)
    known, long = whole(model, ids), LongText(model, ids)
    assert set(long) <= set(known)
    for name in reversed(list(long)):  # the top first: it reads what is below
        same(long[name], known[name], scale=1, what=name)
    pattern = known["decoder.1.attention.pattern"][3]
    map = Map(
        model.stack("decoder")[1].attention,
        long["decoder.1.attention.q"],
        long["decoder.1.attention.k"],
        3,
    )
    for level, rows, columns in ((0, (n - 100, n), (8, 136)), (3, (0, n), (0, n))):
        found, size = tile(map, rows, columns, level), 2**level
        cells = pattern[slice(*rows), slice(*columns)].numpy()
        high, wide = (length // size for length in cells.shape)
        blocks = cells.reshape(high, size, wide, size)
        mean, maximum = blocks.mean((1, 3)), blocks.max((1, 3))
        same(found.mean, mean, scale=1)
        same(found.maximum, maximum, scale=1)


def test_blocks_at_the_end_of_a_text_have_the_cells_that_there_are():
    model = small("decoder-only", max_length=300, **LLAMA)
    ids = ids_of(291)
    long, pattern = LongText(model, ids), whole(model, ids)["decoder.0.attention.pattern"][0]
    map = Map(
        model.stack("decoder")[0].attention,
        long["decoder.0.attention.q"],
        long["decoder.0.attention.k"],
        0,
    )
    found = tile(map, (0, 291), (0, 291), 4)
    assert found.mean.shape == found.visible.shape == (19, 19)
    same(found.mean[-1, -1], pattern[288:, 288:].mean(), scale=1)
    same(found.mean[-1, 2], pattern[288:, 32:48].mean(), scale=1)
    assert found.visible.tolist() == np.tri(19, dtype=bool).tolist()
    assert not found.maximum[~found.visible].any()


@pytest.mark.parametrize("relative", ["alibi", "t5", "shaw"])
def test_tiles_of_a_head_whose_scores_have_a_bias_are_those_of_its_map(relative):
    model = small("decoder-only", max_length=64, relative=relative, positions="none")
    known = whole(model, ids_of(50))
    of = "decoder.1.attention."
    map = Map(model.stack("decoder")[1].attention, known[of + "q"], known[of + "k"], 2)
    found = tile(map, (20, 50), (0, 30), 0)
    same(found.mean, known[of + "pattern"][2, 20:50, :30], scale=1)
    assert torch.equal(found.mean, found.maximum)


def test_the_largest_weights_and_the_next_peak_of_a_row():
    row = torch.tensor([0.3, 0.05, 0.25, 0.25, 0.05, 0.02, 0.08])
    assert [weight.key for weight in largest(row, 3)] == [0, 2, 3]
    second = largest(row, 2)[1]
    assert second.key == 2
    same([second.weight, second.together], [0.25, 0.55], SINGLE)
    assert len(largest(row, 50)) == 7
    assert [next_peak(row, after) for after in (-1, 0, 2)] == [0, 2, None]
    assert places_of(["the", "·cat", "the", "cat"], "the") == [0, 2]
    assert places_of(["the", "·cat", "the", "cat"], "cat") == [1, 3]


@pytest.mark.parametrize(
    ("rows", "columns", "level", "message"),
    [
        ((0, 40), (0, 32), 0, "`rows` is 0:40; it must be an interval within 0 to"),
        ((0, 32), (9, 9), 0, "`columns` is 9:9; it must be an interval within 0 to"),
        ((4, 32), (0, 32), 3, "`rows` begins at 4; blocks of"),
        ((0, 32), (0, 32), LEVELS, "Level 9 does not exist"),
    ],
)
def test_a_tile_that_the_map_does_not_have_is_refused(rows, columns, level, message):
    model = small("decoder-only")
    q = torch.zeros(4, 32, 4, dtype=torch.float64)
    with pytest.raises(InvalidInput, match=message):
        tile(Map(model.stack("decoder")[0].attention, q, q, 0), rows, columns, level)


@pytest.mark.parametrize(
    ("family", "choices", "message"),
    [
        ("encoder-only", {"placement": "pre"}, "can’t take long text without attention maps: its"),
        ("decoder-only", {"relative": "alibi"}, "alibi adds a number to every score"),
        ("decoder-only", {"slots": 2}, "persistent slots"),
        ("decoder-only", {"weighing": "favor"}, "no softmax of scaled dot products"),
        (
            "decoder-only",
            {"segment": 4, "memory": 4, "positions": "none", "relative": "rope"},
            "in segments",
        ),
    ],
)
def test_a_model_that_reads_no_long_text_says_why(family, choices, message):
    with pytest.raises(InvalidInput, match=message):
        run_model(small_model(family, **choices), Input(text="the cat"), maps=False)
