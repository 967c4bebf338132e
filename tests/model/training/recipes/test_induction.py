"""Random letters that repeat: what is drawn, what an induction head should look at, and the weights
kept along the way.
"""

import dataclasses
import string

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file

from model.errors import InvalidInput
from model.inputs.letters import letters
from model.training.finish import finish
from model.training.loop import train
from model.training.recipes import induction
from model.training.recipes.induction import (
    LETTERS,
    PERIODS,
    RECIPES,
    ROLES,
    Repeats,
    measured,
    repeats,
)
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from model.zoo.training_checkpoints import load_checkpoints
from tests.rounding import RANDOM, near

START = 1
N_SIGNS = 3


def draws(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_a_text_repeats_after_its_period_and_its_period_is_drawn_anew():
    texts, period = repeats(2000, draws())
    assert (texts[:, 0] == START).all()
    for text, p in zip(texts[:, 1:].tolist(), period.tolist(), strict=True):
        assert text[p:] == text[:-p]
    counts = np.bincount(period.numpy(), minlength=PERIODS[1] + 1)
    n_periods = PERIODS[1] - PERIODS[0] + 1
    assert counts[: PERIODS[0]].sum() == 0
    assert np.abs(counts[PERIODS[0] :] - 2000 / n_periods).max() < 5 * np.sqrt(2000 / n_periods)


def test_every_letter_is_as_likely_as_any_other():
    texts, _ = repeats(2000, draws())
    first = texts[:, 1 : 1 + PERIODS[0]]
    counts = np.bincount(first.flatten().numpy() - N_SIGNS, minlength=LETTERS)
    assert np.abs(counts - first.numel() / LETTERS).max() < 5 * np.sqrt(first.numel() / LETTERS)


def test_before_training_a_model_knows_nothing_and_looks_about_evenly():
    model = initialise(Transformer(Repeats(2).config), draws())
    found = measured(model)
    assert found["repeat_accuracy"] < 0.1
    assert found["first_loss"] > np.log(LETTERS)
    for role in ROLES:
        for scores in found[role]:
            near(scores, [found["by_chance"][role]] * 4, RANDOM, abs=0.02)


def test_the_recipes_differ_in_the_number_of_layers_only():
    shallow, deep = (recipe.prepare(None).config for recipe in RECIPES)
    assert (shallow.n_decoder_layers, deep.n_decoder_layers) == (1, 2)
    assert dataclasses.replace(shallow, n_decoder_layers=2) == deep
    assert [(recipe.id, recipe.cycles) for recipe in RECIPES] == [
        ("induction-1", RECIPES[0].cycles),
        ("induction-2", RECIPES[0].cycles),
    ]


def test_the_weights_on_the_way_are_kept_and_are_those_of_a_training_that_ends_there(tmp_path):
    recipe = dataclasses.replace(RECIPES[0], saved_steps=(0, 2, 4))
    task = recipe.prepare(None)
    train(recipe, task, tmp_path / "a", stop_after=4)
    names = sorted(path.name for path in (tmp_path / "a/kept").iterdir())
    assert names == ["000000.safetensors", "000002.safetensors", "000004.safetensors"]
    model, _ = train(recipe, task, tmp_path / "b", stop_after=2)
    for name, weight in load_file(tmp_path / "a/kept/000002.safetensors").items():
        assert torch.equal(weight, model.state_dict()[name])


def test_what_is_shipped_is_the_model_its_steps_and_what_it_was_at_each(tmp_path, monkeypatch):
    monkeypatch.setattr(induction, "HELD_OUT", 8)
    recipe = dataclasses.replace(RECIPES[1], saved_steps=(0, 2))
    task = recipe.prepare(None)
    model, state = train(recipe, task, tmp_path / "work", stop_after=2)
    model = model.to(recipe.stored).float()
    card = finish(
        recipe, task, model, state, tmp_path / "weights", 0, checkpoints=tmp_path / "work/kept"
    )
    assert card["kept"]["steps"] == [0, 2]
    found = measured(model)
    assert card["quality"]["repeat_loss"]["value"] == found["repeat_loss"]
    shipped = load_checkpoints("induction-2", tmp_path / "weights")
    for name in ("repeat_loss", "first_loss", "repeat_accuracy", *ROLES):
        assert torch.equal(shipped.held_out[name][1], torch.tensor(found[name]))
    assert list(shipped.models) == [0, 2]
    for name, weight in model.state_dict().items():
        assert torch.equal(shipped.models[2].transformer.state_dict()[name], weight)


def test_every_letter_is_a_token_and_capitals_and_spaces_make_no_difference():
    tokenizer = letters()
    assert tokenizer.size == N_SIGNS + 26
    tokens = tokenizer.encode("aB z", start=True, end=True)
    assert [token.text for token in tokens] == ["<s>", "a", "b", "z", "</s>"]
    assert [(token.start, token.end) for token in tokens[1:-1]] == [(0, 1), (1, 2), (3, 4)]
    assert [token.word for token in tokens] == [None, 0, 1, 2, None]
    assert tokenizer.decode([token.id for token in tokens]) == "abz"


@given(st.text() | st.text(string.ascii_letters + string.whitespace + "\x1c\u00a0\u212a"))
def test_a_text_is_read_letter_by_letter_or_refused_with_what_is_none(text: str):
    read = text.lower().translate(dict.fromkeys(map(ord, string.whitespace)))
    if set(read) <= set(string.ascii_lowercase):
        assert "".join(token.text for token in letters().encode(text)) == read
    else:
        with pytest.raises(InvalidInput, match="this model only knows the letters a to z"):
            letters().encode(text)
