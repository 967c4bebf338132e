"""The plays: split at a speech, cut into windows that lose and repeat nothing, and measured as a
text is.
"""

import dataclasses
import math

import pytest
import torch

from model.errors import InvalidInput
from model.inputs.input import Input
from model.layers import masks
from model.runs.run_model import run_model
from model.training.checkpoint import State
from model.training.finish import finish
from model.training.loop import train
from model.training.metrics.kneser_ney import KneserNey
from model.training.recipes import shakespeare
from model.training.recipes.shakespeare import (
    CONTEXT,
    RECIPE,
    Plays,
    bits,
    form,
    nats,
    sampled,
    speakers,
    split_at_speech,
)
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from model.zoo.models import load_model
from tests.model.support.plays import TEXT, check_resumed, write_plays
from tests.rounding import SINGLE, same

START = 1


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_plays(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def task(data) -> Plays:
    return Plays(data)


@pytest.fixture(scope="module")
def model(task) -> Transformer:
    return initialise(
        Transformer(dataclasses.replace(task.config, n_decoder_layers=1)),
        torch.Generator().manual_seed(0),
    )


def test_the_last_tenth_is_held_out_from_the_beginning_of_a_speech_on(task):
    assert task.train + task.test == TEXT
    assert task.train.endswith("\n\n")
    assert 0.09 < len(task.test) / len(TEXT) <= 0.1
    assert split_at_speech("ab\n\ncd\n\nef", 0.5) == ("ab\n\ncd\n\n", "ef")


def test_the_encoding_is_not_fitted_on_what_is_held_out(data, task, tmp_path):
    other = TEXT[: len(task.train)] + "ZOUNDS! " * (len(task.test) // 8)
    (tmp_path / "shakespeare.txt").write_text(other, encoding="utf-8")
    assert Plays(tmp_path).tokenizer.backend.to_str() == task.tokenizer.backend.to_str()


def test_without_the_text_a_sentence_says_so(tmp_path):
    with pytest.raises(InvalidInput, match=r"shakespeare\.txt is not in"):
        Plays(tmp_path)


def test_a_pass_holds_every_token_once_but_the_rests(task):
    windows = torch.cat(list(task.epoch(torch.Generator().manual_seed(3)))).tolist()
    text = task.ids.tolist()
    cuts = [
        [text[i : i + CONTEXT] for i in range(shift, len(text) - CONTEXT + 1, CONTEXT)]
        for shift in range(CONTEXT)
    ]
    assert sorted(windows) in [sorted(cut) for cut in cuts]
    assert windows not in cuts
    assert windows != torch.cat(list(task.epoch(torch.Generator().manual_seed(4)))).tolist()


def test_a_window_is_read_after_the_start_and_every_token_of_it_is_asked_for(task, model):
    window = task.ids[:12]
    x = model.decode(torch.tensor([START, *window[:-1].tolist()]), masks.causal(12))
    expected = -model.unembed(x).log_softmax(-1)[torch.arange(12), window]
    same(nats(model, window[None])[0], expected)


def test_bits_are_the_sum_over_a_text_that_fits_one_window(task, model):
    ids = task.ids[:20]
    same(bits(model, ids, 40), nats(model, ids[None]).double().sum() / math.log(2))


def test_bits_count_every_token_once_each_with_half_a_window_before_it(task, model):
    ids = task.ids[:50]
    by_hand = sum(
        float(nats(model, ids[max(0, i - i % 8 - 8) : i + 1][None])[0, -1].detach())
        for i in range(50)
    ) / math.log(2)
    same(bits(model, ids, 16), by_hand, SINGLE)


def test_a_model_that_knows_nothing_needs_log2_of_the_vocabulary(task):
    empty = Transformer(task.config)
    same(bits(empty, task.ids[:100], 32), 100 * math.log2(task.tokenizer.size), SINGLE)


def test_speakers_and_the_form_of_speeches_are_counted():
    assert speakers(TEXT) == {"First Citizen", "All", *(f"KING {c}" for c in "ABCDEFGHIJ")}
    texts = ["ROMEO:\nAy me.\nO!\n\nAll:\nSpeak.\n\nNobody:\nNay.\n\nno heading\nat all"]
    found = form(texts, {"All", "ROMEO"})
    assert found == {"speeches": 3, "named": 1 / 3, "line": (6 + 2 + 6 + 4 + 10) / 5}
    assert form([""], set()) == {"speeches": 0, "named": 0, "line": 0}


def test_it_goes_on_with_a_prompt_and_the_same_seed_writes_the_same(task, model, monkeypatch):
    monkeypatch.setattr(shakespeare, "SAMPLED", 20)
    monkeypatch.setattr(
        shakespeare, "TEMPERATURE", 9.0
    )  # an untrained model repeats what it has read
    first, again, other = (sampled(model, task.tokenizer, "All:\n", seed) for seed in (1, 1, 2))
    assert first.startswith("All:\n")
    assert first == again != other


def test_what_is_written_is_read_again_and_its_card_says_how_it_was_measured(
    task, model, tmp_path, monkeypatch
):
    monkeypatch.setattr(shakespeare, "SAMPLES", 3)
    monkeypatch.setattr(shakespeare, "SAMPLED", 5)
    finish(RECIPE, task, model, State(done=7, seconds=90.0), tmp_path, seed=0)
    read = load_model("shakespeare", tmp_path)
    found, characters = read.card["quality"]["bits_per_character"], len(task.test)
    ids = torch.tensor([token.id for token in read.tokenizer.encode(task.test)])
    same(found["value"], bits(model, ids, CONTEXT) / characters)
    same(found["kneser_ney_5"], KneserNey(task.train, 5).bits(task.test) / characters)
    assert (read.card["training"]["minutes"], read.card["training"]["steps"]) == (1.5, 7)
    assert read.card["limits"] == {"tokens": 256, "trained_tokens": 128}
    for example in read.card["examples"]:
        answer = run_model(read, Input(**example["input"]))
        assert "".join(token.text for token in answer.tokens["text"][1:]) == example["input"][
            "text"
        ].replace(" ", "·").replace("\n", "⏎")


def test_the_size_is_within_5_mb_and_positions_are_told_by_rotation_alone(task):
    config = dataclasses.replace(task.config, vocabulary_size=2000)
    assert sum(value.numel() for value in Transformer(config).parameters()) * 4 < 5e6
    assert (config.positions.relative, config.positions.absolute, config.placement) == (
        "rope",
        "none",
        "pre",
    )


def test_it_learns_and_goes_on_where_it_stopped(task, tmp_path):
    class Short(Plays):
        config = dataclasses.replace(task.config, d_model=16, d_ff=16, n_decoder_layers=1)

        def __init__(self):
            self.ids, self.digest = task.ids[: CONTEXT * 40], task.digest
            self.tokenizer = task.tokenizer

    recipe = dataclasses.replace(RECIPE, checkpoint_every=2)
    check_resumed(lambda folder, stop: train(recipe, Short(), folder, stop_after=stop), tmp_path)
