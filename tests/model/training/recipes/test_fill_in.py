"""Masked words: what is chosen, what is put in its place, what is held out, and how a rank is
counted.
"""

import dataclasses

import pytest
import torch

from model.errors import InvalidInput
from model.inputs.input import Input
from model.inputs.masked_text import MaskedTextTokenizer, fit
from model.layers import masks
from model.runs.run_model import run_model
from model.trace import OFF
from model.training.checkpoint import State
from model.training.finish import finish
from model.training.recipes import fill_in
from model.training.recipes.fill_in import (
    RECIPE,
    Batch,
    FillIn,
    disguised,
    fraction_within,
    measured,
    ranks,
    split,
    whole_words,
)
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from model.zoo.models import load_model
from tests.model.support.runs import SENTENCES
from tests.model.support.tiny_training import SUBJECTS, THINGS, VERBS
from tests.rounding import RANDOM, near, same

PAD, START, END = 0, 1, 2
N_SIGNS = 3


def draws(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.fixture(scope="module")
def tokenizer() -> MaskedTextTokenizer:
    return fit(SENTENCES * 3, 600)


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    rows = [
        (f"{i.capitalize()} {see} {cat}.", "x") for i in SUBJECTS for see in VERBS for cat in THINGS
    ]
    rows += [
        (f"{i} {see} {cat.upper()}!", "y") for i in SUBJECTS for see in VERBS for cat in THINGS
    ]
    (folder / fill_in.DATA).write_text("".join(f"{a}\t{b}\n" for a, b in rows), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fill_in, "HELD_OUT", 40)
        patch.setattr(fill_in, "VOCABULARY", 620)
        return FillIn(folder)


@pytest.fixture(scope="module")
def model(task) -> Transformer:
    config = dataclasses.replace(
        task.config, d_model=16, d_ff=16, n_encoder_layers=1, max_length=40
    )
    return initialise(Transformer(config), draws())


def many(mask: int = 999) -> tuple[torch.Tensor, Batch]:
    ids = torch.randint(N_SIGNS, mask, (4000, 10), generator=draws(1))
    ids[:, 0], ids[:, 8], ids[:, 9] = START, END, PAD
    return ids, disguised(ids, mask, draws())


def test_15_percent_are_chosen_of_them_80_masked_10_replaced_and_10_kept():
    ids, batch = many()
    tokens = int((ids >= N_SIGNS).sum())
    near(len(batch.expected) / tokens, 0.15, RANDOM, abs=0.01)
    read = batch.read[batch.chosen]
    masked, unchanged = read == 999, read == batch.expected
    near(masked.float().mean().item(), 0.8, RANDOM, abs=0.01)
    near(unchanged.float().mean().item(), 0.1, RANDOM, abs=0.01)
    near((~masked & ~unchanged).float().mean().item(), 0.1, RANDOM, abs=0.01)


def test_only_chosen_tokens_change_and_frame_and_padding_are_never_chosen():
    ids, batch = many()
    chosen = (torch.rand(ids.shape, generator=draws()) < 0.15) & (
        ids >= N_SIGNS
    )  # the same draw once more
    originals = ids[chosen.any(dim=1)]
    assert torch.equal(batch.read[~batch.chosen], originals[~batch.chosen])
    assert torch.equal(batch.expected, originals[batch.chosen])
    assert (batch.expected >= N_SIGNS).all()
    assert (batch.read[batch.chosen] >= N_SIGNS).all()


def test_a_token_put_in_at_random_may_be_any_but_a_special_one():
    ids = torch.full((60_000, 1), 5)
    batch = disguised(ids, 13, draws())
    counts = torch.bincount(batch.read.flatten(), minlength=14).tolist()
    assert sum(counts[:3]) == 0
    put_in = [counts[id] for id in (3, 4, *range(6, 13))]
    assert min(put_in) > 0.75 * 0.1 * len(batch.read) / 10
    assert max(put_in) < 1.25 * 0.1 * len(batch.read) / 10


def test_the_same_draws_choose_the_same():
    (_, batch), (_, other) = many(), many()
    assert all(
        torch.equal(getattr(batch, field.name), getattr(other, field.name))
        for field in dataclasses.fields(Batch)
    )


def test_sentences_that_differ_in_capitals_and_marks_alone_are_on_one_side(monkeypatch):
    monkeypatch.setattr(fill_in, "HELD_OUT", 2)
    sentences = ["Go.", "Go!", "go", "I'm cold.", "I'm  COLD", "See Tom.", "Who is it?"]
    train, test = split(sentences)
    assert len(test) == 2
    assert sorted(train + test) == ["Go.", "I'm cold.", "See Tom.", "Who is it?"]
    assert split(sentences[::-1])[1] != []
    assert {s.lower().strip(".!? ") for s in split(sentences[::-1])[1]} == {
        s.lower().strip(".!? ") for s in test
    }


def test_without_the_text_a_sentence_says_so(tmp_path):
    with pytest.raises(InvalidInput, match=r"english-french\.tsv is not in"):
        FillIn(tmp_path)


def test_a_pass_holds_every_sentence_at_most_once_and_those_with_a_chosen_token(task):
    batches = list(task.epoch(draws()))
    rows = 0
    for batch in batches:
        restored = batch.read.clone()
        restored[batch.chosen] = batch.expected
        assert batch.chosen.any(dim=1).all()
        rows += len(restored)
        (stop,) = task.tokenizer.encode(".")
        known = {tuple(ids) for ids in task.ids} | {
            tuple(ids[:-1]) for ids in task.ids if ids[-1] == stop.id
        }
        assert {tuple(id for id in row if id >= N_SIGNS) for row in restored.tolist()} <= known
    mean = sum(1 - 0.85 ** len(ids) for ids in task.ids)
    near(rows, mean, RANDOM, rel=0.15)


def test_no_sentence_held_out_is_trained_on(task):
    assert len(task.test) == 40
    assert {s.lower().strip(".!") for s in task.train}.isdisjoint(
        s.lower().strip(".!") for s in task.test
    )


def test_words_of_letters_that_are_one_token_are_asked_for(tokenizer):
    text = "The cat-dog don't xylophone 42 !"
    tokens = tokenizer.encode(text, start=True, end=True)
    places, words = whole_words(text, tokens)
    assert [tokens[place].text for place in places] == ["the", "cat", "dog", "don"]
    assert words == 5


def test_a_rank_counts_the_tokens_that_are_likelier(task, model):
    tokens = task.tokenizer.encode("I see the cat.", start=True, end=True)
    found = ranks(model, task.tokenizer, tokens, [1, 3])
    for place, rank in zip([1, 3], found.tolist(), strict=True):
        ids = [token.id for token in tokens]
        target, ids[place] = ids[place], task.tokenizer.mask
        logits = model.unembed(model.encode(torch.tensor(ids), masks.full(len(ids))))[
            place
        ].tolist()
        assert rank == 1 + sum(logit > logits[target] for logit in logits)


def test_a_share_counts_ranks_up_to_the_most():
    assert fraction_within([1, 5, 6, 2], 5) == 0.75
    assert fraction_within([1, 5, 6, 2], 1) == 0.25


def test_padding_changes_no_loss(task, model):
    batch = next(iter(task.epoch(draws())))
    wider = Batch(
        *(torch.nn.functional.pad(x, (0, 2)) for x in (batch.read, batch.chosen)), batch.expected
    )
    config = dataclasses.replace(model.config, max_length=batch.read.shape[1] + 2)
    larger = Transformer(config)
    table = torch.randn(config.max_length, config.d_model, generator=draws())
    larger.load_state_dict({**model.state_dict(), "embedding.learned": table})
    same(task.loss(larger, batch, OFF), task.loss(larger, wider, OFF))


def test_the_baseline_finds_what_always_stands_between_two_words(task, model):
    found = measured(task, model)
    assert found["bigram_top"] > 0.6 > found["top"]
    assert found["bigram_first"] <= found["bigram_top"]
    assert found["words"] > 100
    assert 0 < found["whole"] <= 1


def test_what_is_written_is_read_again_and_its_card_says_how_it_was_measured(task, model, tmp_path):
    finish(RECIPE, task, model, State(done=7, seconds=90.0), tmp_path, seed=0)
    read, found = load_model("fill-in", tmp_path), measured(task, model)
    quality = read.card["quality"]
    assert (quality["top_5"]["value"], quality["top_5"]["bigram"]) == (
        found["top"],
        found["bigram_top"],
    )
    assert (quality["top_1"]["value"], quality["top_1"]["bigram"]) == (
        found["first"],
        found["bigram_first"],
    )
    assert f"{found['words']} words in 40 held-out sentences" in quality["top_5"]["how"]
    assert (read.card["training"]["minutes"], read.card["training"]["steps"]) == (1.5, 7)
    assert "tatoeba.org" in read.card["data_notice"]
    for example in read.card["examples"]:
        answer = run_model(read, Input(**example["input"]))
        assert "<mask>" in [token.text for token in answer.tokens["text"]]
        assert answer.trace["logits"].shape[-1] == read.tokenizer.size


def test_the_size_is_within_5_mb_and_no_position_is_beyond_the_longest_sentence(task):
    config = dataclasses.replace(task.config, vocabulary_size=5000, max_length=17)
    assert sum(value.numel() for value in Transformer(config).parameters()) * 4 < 5e6
    assert (
        task.config.max_length
        == task.longest
        == max(len(task.tokenizer.encode(s, start=True, end=True)) for s in task.train)
    )
