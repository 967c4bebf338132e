"""The translators are one recipe: what is not in the table of kinds is the same."""

import dataclasses
import hashlib

import pytest
import torch
from safetensors.torch import load_file

from model.training.checkpoint import save_weights
from model.training.recipes.translator import DATA, VARIANTS
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
    tasks = [variant.teacher.prepare(data) for variant in VARIANTS]
    first = tasks[0]
    for variant, task in zip(VARIANTS, tasks, strict=True):
        assert (task.split, task.tokenizer.to_str(), task.digest) == (
            first.split,
            first.tokenizer.to_str(),
            first.digest,
        )
        assert (
            dataclasses.replace(task.config, **VARIANTS[0].choices, **without(variant.choices))
            == first.config
        )
    assert dataclasses.replace(tasks[0].config, placement="pre") == tasks[1].config
    assert (tasks[2].config.family, tasks[2].config.stacks) == ("prefix", ("decoder",))


def without(choices: dict) -> dict:
    """What puts back what only the other variant has."""
    return {name: 0 for name in choices if name not in VARIANTS[0].choices}


def test_a_translator_reads_two_texts_at_once_and_a_prefix_model_their_sum(data):
    seq2seq, _, prefix = (variant.teacher.prepare(data) for variant in VARIANTS)
    sides = [[len(seq2seq.tokenizer.encode(side)) for side in pair] for pair in seq2seq.split.train]
    assert seq2seq.longest == 2 + max(max(pair) for pair in sides)
    assert prefix.longest == 3 + max(sum(pair) for pair in sides)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.id)
def test_each_is_trained_under_its_own_id_after_a_teacher_with_the_same_choices(variant):
    recipe = RECIPES[variant.id]
    assert (recipe.id, recipe.teacher.id) == (variant.id, f"{variant.id}-teacher")
    assert recipe.prepare.args == recipe.teacher.prepare.args == (variant.choices,)
    assert (recipe.steps, recipe.teacher.cycles, recipe.stored) == (
        variant.student_steps,
        variant.cycles,
        torch.float16,
    )


def test_the_first_is_post_ln_and_trained_longest_the_second_pre_ln_the_third_one_stack():
    rows = [
        (
            variant.id,
            variant.choices["placement"],
            variant.teacher.steps,
            variant.student_steps,
            variant.compared_with,
        )
        for variant in VARIANTS
    ]
    assert rows == [
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
