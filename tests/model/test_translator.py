"""The two translators are one recipe: what is not in the table of kinds is the same."""

import dataclasses

import pytest

from model.training.recipes import RECIPES
from model.training.translator import DATA, KINDS

TWO = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """2,000 sentences that differ in one word."""
    folder = tmp_path_factory.mktemp("data")
    lines = [f"I see {number}.\tJe vois {number}.\n" for number in range(2000)]
    (folder / DATA).write_text("".join(lines), encoding="utf-8")
    return folder


def test_both_read_the_same_pairs_by_the_same_encoding_and_differ_in_placement_alone(data):
    post, pre = (kind.teacher.prepare(data) for kind in KINDS)
    assert post.split == pre.split
    assert post.codec.to_str() == pre.codec.to_str()
    assert post.digest == pre.digest
    assert dataclasses.replace(post.config, placement="pre") == pre.config


@TWO
def test_both_are_trained_under_their_own_id_and_end_with_the_same_2500_steps(kind):
    recipe = RECIPES[kind.id]
    assert (recipe.id, recipe.teacher.id) == (kind.id, f"{kind.id}-teacher")
    assert recipe.cycles == KINDS[0].recipe.cycles
    assert recipe.steps == 2_500
    assert recipe.teacher.cycles == kind.cycles


def test_the_first_is_post_ln_and_its_teacher_goes_on_for_28000_steps_the_second_is_pre_ln_and_half_as_long():
    assert [(kind.id, kind.placement, kind.teacher.steps) for kind in KINDS] == [
        ("translator", "post", 28_000),
        ("translator-pre", "pre", 14_000),
    ]
