"""The plays in segments: every token asked for once, with the memory that the recipe says, and
measured at several lengths of it.
"""

import dataclasses
import math

import pytest
import torch

from model.generation.segment_recurrence import negative_log_likelihood
from model.inputs.sizes import SegmentSizes
from model.layers import masks
from model.trace import OFF
from model.training.checkpoint import State
from model.training.finish import finish
from model.training.loop import train
from model.training.recipes import shakespeare
from model.training.recipes.shakespeare_xl import (
    MEMORIES,
    MEMORY,
    RECIPE,
    SEGMENT,
    Segments,
    bits,
)
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from model.zoo.models import load_model
from tests.model.support.plays import check_resumed, write_plays
from tests.rounding import SINGLE, same

START = 1


@pytest.fixture(scope="module")
def task(tmp_path_factory) -> Segments:
    return Segments(write_plays(tmp_path_factory.mktemp("data")))


@pytest.fixture(scope="module")
def model(task) -> Transformer:
    return initialise(
        Transformer(dataclasses.replace(task.config, n_decoder_layers=2)),
        torch.Generator().manual_seed(0),
    )


def under_one_mask(model, ids, memory):
    """-ln p of every token, read at once under the mask that segments with a memory make."""
    place = torch.arange(len(ids))
    allowed = masks.causal(len(ids)) & (place >= (place // SEGMENT * SEGMENT)[:, None] - memory)
    x = model.decode(torch.tensor([START, *ids[:-1].tolist()]), allowed)
    return -model.unembed(x).log_softmax(-1)[place, ids]


@pytest.mark.parametrize("memory", [0, 20, MEMORY, 500])
def test_every_token_is_asked_for_once_with_the_memory_that_its_segment_has(task, model, memory):
    windows = task.ids[: 2 * 150].view(2, 150)
    expected = torch.stack([under_one_mask(model, window, memory) for window in windows])
    same(negative_log_likelihood(model, windows, memory, START), expected)


def test_the_loss_is_the_mean_over_windows_of_eight_segments(task, model):
    batch = next(task.epoch(torch.Generator().manual_seed(0)))
    assert batch.shape == (16, 8 * SEGMENT)
    batch = batch[:4]
    same(task.loss(model, batch, OFF), negative_log_likelihood(model, batch, MEMORY, START).mean())


def test_with_a_memory_of_everything_the_bits_are_those_of_the_whole_text(task, model):
    ids = task.ids[:200]
    x = model.decode(torch.tensor([START, *ids[:-1].tolist()]), masks.causal(200))
    whole = -model.unembed(x).log_softmax(-1)[
        torch.arange(200), ids
    ].double().sum().item() / math.log(2)
    same(bits(model, ids, 200), whole, SINGLE)


def test_but_for_its_memory_it_is_shakespeare(task):
    plain = shakespeare.Plays.config.func(task)
    assert dataclasses.replace(task.config, segments=None, max_length=plain.max_length) == plain
    assert task.config.segments == SegmentSizes(32, 96)


def test_its_card_says_what_it_needs_at_every_length_of_memory_and_what_memory_saves(
    task, model, tmp_path, monkeypatch
):
    monkeypatch.setattr(shakespeare, "SAMPLES", 2)
    monkeypatch.setattr(shakespeare, "SAMPLED", 40)
    short = Segments.__new__(Segments)
    short.train, short.test, short.tokenizer, short.ids, short.digest = (
        task.train,
        task.test[:450],
        task.tokenizer,
        task.ids,
        task.digest,
    )
    finish(RECIPE, short, model, State(done=7, seconds=90.0), tmp_path, seed=0)
    read = load_model("shakespeare-xl", tmp_path)
    found = read.card["quality"]["memory"]
    ids = torch.tensor([token.id for token in read.tokenizer.encode(short.test)])
    assert found["lengths"] == list(MEMORIES)
    same(found["bits_per_character"], [bits(model, ids, memory) / 450 for memory in MEMORIES])
    assert (
        found["value"]
        == found["bits_per_character"][0] - read.card["quality"]["bits_per_character"]["value"]
    )
    assert read.card["limits"] == {"tokens": 512, "trained_tokens": 256}


def test_it_learns_and_goes_on_where_it_stopped(task, tmp_path):
    class Short(Segments):
        config = dataclasses.replace(task.config, d_model=16, d_ff=16, n_decoder_layers=1)

        def __init__(self):
            self.ids, self.digest, self.tokenizer = task.ids, task.digest, task.tokenizer

    recipe = dataclasses.replace(RECIPE, checkpoint_every=2)
    check_resumed(lambda folder, stop: train(recipe, Short(), folder, stop_after=stop), tmp_path)
