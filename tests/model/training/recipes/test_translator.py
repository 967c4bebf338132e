"""The translators are one recipe: what is not in the table of kinds is the same."""

import dataclasses
import hashlib

import pytest
import torch
from safetensors.torch import load_file

from model.training.checkpoint import save_weights
from model.training.recipes.translator import DATA, KINDS
from model.training.registry import RECIPES
from model.transformer import Transformer
from model.zoo.models import load_weights
from tests.model.support.small import small


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """2,000 sentences that differ in one word."""
    folder = tmp_path_factory.mktemp("data")
    lines = [f"I see {number}.\tJe vois {number}.\n" for number in range(2000)]
    (folder / DATA).write_text("".join(lines), encoding="utf-8")
    return folder


def test_all_read_the_same_pairs_by_the_same_encoding_and_differ_in_their_choices_alone(data):
    tasks = [kind.teacher.prepare(data) for kind in KINDS]
    first = tasks[0]
    for kind, task in zip(KINDS, tasks, strict=True):
        assert (task.split, task.codec.to_str(), task.digest) == (
            first.split,
            first.codec.to_str(),
            first.digest,
        )
        assert (
            dataclasses.replace(task.config, **KINDS[0].choices, **without(kind.choices))
            == first.config
        )
    assert dataclasses.replace(tasks[0].config, placement="pre") == tasks[1].config
    assert (tasks[2].config.family, tasks[2].config.stacks) == ("prefix", ("decoder",))


def without(choices: dict) -> dict:
    """What puts back what only the other kind has."""
    return {name: 0 for name in choices if name not in KINDS[0].choices}


def test_a_translator_reads_two_texts_at_once_and_a_prefix_model_their_sum(data):
    two, _, one = (kind.teacher.prepare(data) for kind in KINDS)
    sides = [[len(two.codec.encode(side)) for side in pair] for pair in two.split.train]
    assert two.longest == 2 + max(max(pair) for pair in sides)
    assert one.longest == 3 + max(sum(pair) for pair in sides)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id)
def test_each_is_trained_under_its_own_id_after_a_teacher_with_the_same_choices(kind):
    recipe = RECIPES[kind.id]
    assert (recipe.id, recipe.teacher.id) == (kind.id, f"{kind.id}-teacher")
    assert recipe.prepare.args == recipe.teacher.prepare.args == (kind.choices,)
    assert (recipe.steps, recipe.teacher.cycles, recipe.stored) == (
        kind.pupil,
        kind.cycles,
        torch.float16,
    )


def test_the_first_is_post_ln_and_trained_longest_the_second_pre_ln_the_third_one_stack():
    told = [
        (kind.id, kind.choices["placement"], kind.teacher.steps, kind.pupil, kind.beside)
        for kind in KINDS
    ]
    assert told == [
        ("translator", "post", 28_000, 2_500, None),
        ("translator-pre", "pre", 14_000, 2_500, "translator"),
        ("prefix-translator", "post", 7_000, 1_200, "translator"),
    ]


def test_what_is_stored_in_half_the_bytes_is_what_is_measured_and_loaded(tmp_path):
    model = small("prefix", dtype=torch.float32)
    whole, rounded = save_weights(model), model.to(torch.float16).float()
    half = save_weights(rounded)
    assert len(half) < 0.6 * len(whole)
    (tmp_path / "half.safetensors").write_bytes(half)
    assert {value.dtype for value in load_file(tmp_path / "half.safetensors").values()} == {
        torch.float16
    }
    again = load_weights(Transformer(model.config), half, hashlib.sha256(half).hexdigest())
    assert all(value.dtype == torch.float32 for value in again.parameters())
    assert all(
        torch.equal(a, b) for a, b in zip(again.parameters(), rounded.parameters(), strict=True)
    )
