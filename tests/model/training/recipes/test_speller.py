"""Misspelled words: each rule makes what it says and nothing else, and what is held out is never
shown.
"""

import re
import string
from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from model.errors import InvalidInput
from model.inputs.input import Input
from model.inputs.letters import word
from model.runs.run_model import run_model
from model.training.checkpoint import State
from model.training.data.misspellings import KEYS, NEIGHBOURS, RULES, SOUNDS, misspell
from model.training.finish import finish
from model.training.recipes.single_words import set_aside
from model.training.recipes.speller import (
    ERRORS,
    HELD_OUT,
    LETTERS_AN_ERROR,
    RECIPE,
    Spelling,
    by_errors,
    common_words,
    nearest_word,
)
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from model.zoo.models import load_model
from tests.rounding import RANDOM, near, same

TEXT = """receive relieve people friend because beautiful tomorrow believe weird
necessary separate beginning through thought enough phone water house
garden winter summer morning evening kitchen window bottle letter number answer question don't"""
WORDS = TEXT.split()


def draws(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    (folder / "pronunciations.txt").write_text(
        "\n".join(f"{entry} AH0" for entry in [*WORDS, "it", "friend's", "rare", "unused"])
    )
    (folder / "english-french.tsv").write_text(
        "\n".join(f"{entry.capitalize()} IT friend’s\tgarden rare" for entry in [*WORDS, "rare"])
    )
    (folder / "shakespeare.txt").write_text(
        "\n".join([*[TEXT.upper()] * 4, "friend rare rare rare"])
    )
    return folder


@pytest.fixture(scope="module")
def task(data):
    spelling = Spelling(data)
    spelling.tested = 30
    return spelling


def test_the_lexicon_is_the_dictionary_s_words_that_the_texts_use_five_times(task):
    assert sorted(task.words) == sorted(WORDS)
    assert {entry: n for entry, n in task.lexicon.items() if n != 5} == {"friend": 6}


@pytest.fixture(scope="module")
def held_out(task):
    return task.test()


@pytest.mark.parametrize("name", ["pronunciations.txt", "english-french.tsv", "shakespeare.txt"])
def test_a_missing_text_is_named(tmp_path, name):
    for other in {"pronunciations.txt", "english-french.tsv", "shakespeare.txt"} - {name}:
        (tmp_path / other).write_text("a AH0\n")
    with pytest.raises(InvalidInput, match=re.escape(f"{name} is not in")):
        common_words(tmp_path)


BY_HAND = {
    "neighbour": ("at", {k + "t" for k in "qwsz"} | {"a" + k for k in "rfgy"}),
    "dropped": ("cat", {"at", "ct", "ca"}),
    "doubled": ("it's", {"iit's", "itt's", "it'ss"}),
    "swapped": ("seed", {"esed", "sede"}),
    "inserted": (
        "a",
        {c + "a" for c in string.ascii_lowercase} | {"a" + c for c in string.ascii_lowercase},
    ),
    "vowel": ("not", {"nat", "net", "nit", "nut"}),
    "sound": ("phy", {"fy", "phi"}),
}


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_makes_just_what_it_says(rule):
    right, expected = BY_HAND[rule]
    assert set(RULES[rule](right)) == expected


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.text(string.ascii_lowercase + "'", min_size=3, max_size=12))
def test_no_misspelling_is_the_word_itself_and_none_is_empty(right):
    for rule in RULES.values():
        assert right not in rule(right)
        assert all(rule(right))


def test_keys_are_neighbours_of_each_other_or_not_at_all():
    assert sorted(KEYS) == list(string.ascii_lowercase)
    assert all(a in NEIGHBOURS[b] for a in KEYS for b in NEIGHBOURS[a])
    assert (set(NEIGHBOURS["g"]), set(NEIGHBOURS["q"]), set(NEIGHBOURS["m"])) == (
        set("ftyhvb"),
        set("wa"),
        set("njk"),
    )


def test_sounds_are_not_replaced_by_themselves():
    assert all(a != b for a, b in SOUNDS)
    assert len(set(SOUNDS)) == len(SOUNDS)


def test_every_rule_is_drawn_about_as_often_as_any_other():
    """`boatloads` gives every rule something to do; what only one rule can make counts for it."""
    right, n, generator = "boatloads", 3000, draws()
    makers = {name: set(rule(right)) for name, rule in RULES.items()}
    counts = Counter(misspell(right, generator) for _ in range(n))
    assert sum(counts.values()) == n
    for name in ("dropped", "swapped"):
        unique = makers[name].difference(*(other for key, other in makers.items() if key != name))
        share = sum(counts[wrong] for wrong in unique) / n
        expected = len(unique) / len(RULES[name](right)) / len(RULES)
        near(share, expected, RANDOM, abs=5 * (expected / n) ** 0.5)


def test_the_same_generator_makes_the_same_misspellings():
    assert [misspell("friend", draws(1)) for _ in range(2)] == [misspell("friend", draws(1))] * 2
    first, other = (
        [misspell("beautiful", generator) for _ in range(20)] for generator in (draws(1), draws(2))
    )
    assert first != other


def test_training_never_shows_a_misspelling_that_is_held_out(task, held_out):
    misspellings = {wrong for seed in range(60) for wrong, _ in task.lesson(draws(seed))}
    assert misspellings.isdisjoint(held_out)
    assert all(set_aside(wrong, HELD_OUT) for wrong in held_out)
    assert not any(set_aside(wrong, HELD_OUT) for wrong in misspellings - set(WORDS))


def test_a_right_word_is_never_a_misspelling(task, held_out):
    assert set(held_out).isdisjoint(task.lexicon)
    assert all(
        wrong == right
        for seed in range(20)
        for wrong, right in task.lesson(draws(seed))
        if wrong in task.lexicon
    )


def test_a_lesson_holds_every_word_once_and_some_as_they_are(task):
    lesson = list(task.lesson(draws()))
    assert sorted(right for _, right in lesson) == sorted(WORDS)
    share = sum(
        wrong == right for seed in range(40) for wrong, right in task.lesson(draws(seed))
    ) / (40 * len(WORDS))
    lowest = ERRORS.count(0) / len(ERRORS)
    assert lowest - 0.03 < share < lowest + 1.5 / HELD_OUT + 0.05


def test_words_of_the_test_have_the_errors_that_are_said(held_out):
    for wrong, (right, errors) in held_out.items():
        assert errors in (1, 2)
        assert errors == 1 or len(right) >= 2 * LETTERS_AN_ERROR
        once = {misspelling for rule in RULES.values() for misspelling in rule(right)}
        if errors == 1:
            assert wrong in once


def test_the_baseline_takes_the_nearest_word_and_of_several_the_most_frequent():
    """teh is one swap from the and one letter from ten."""
    nearest = nearest_word({"cart": 1, "care": 5, "ten": 2, "the": 9})
    assert [nearest(wrong) for wrong in ("cary", "cargt", "teh", "txe")] == [
        "care",
        "cart",
        "the",
        "the",
    ]
    assert nearest_word({"the": 1, "ten": 2})("teh") == "ten"


def test_shares_are_counted_by_the_number_of_errors():
    same(by_errors([True, False, True, True], [1, 1, 1, 2]), {1: 2 / 3, 2: 1.0})


def test_what_is_written_is_read_again_and_its_card_says_how_it_was_measured(task, tmp_path):
    model = initialise(Transformer(task.config), draws())
    finish(RECIPE, task, model, State(done=7, seconds=90.0), tmp_path, seed=0)
    read = load_model("speller", tmp_path)
    quality, baseline = read.card["quality"], nearest_word(task.lexicon)
    assert quality["exact_match"]["value"] == 0
    right = sum(baseline(wrong) == meant for wrong, (meant, _) in task.test().items())
    assert quality["exact_match"]["nearest_word"] == right / 30
    assert "30 misspellings" in quality["exact_match"]["how"]
    assert (read.card["training"]["minutes"], read.card["training"]["steps"]) == (1.5, 7)
    assert read.tokenizer.encode("don't") == task.tokenizer.encode("don't")
    assert "Carnegie Mellon University. All rights reserved." in read.card["data_notice"]
    for example in read.card["examples"]:
        assert run_model(read, Input(**example["input"])).tokens["source"]


def test_one_word_is_read_letter_by_letter_and_written_together():
    tokenizer = word()
    tokens = tokenizer.encode(" Don’t ", start=True, end=True)
    assert [token.text for token in tokens] == ["<s>", "d", "o", "n", "'", "t", "</s>"]
    assert [(token.start, token.end) for token in tokens[1:-1]] == [(i, i + 1) for i in range(1, 6)]
    assert tokenizer.decode([token.id for token in tokens]) == "don't"
    assert tokenizer.tokenizer_for("target") is tokenizer


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("two words", "This model takes one word; 2 were given."),
        ("café", "contains 'é'"),
        ("a1", "contains '1'"),
    ],
)
def test_what_is_not_one_word_of_letters_is_refused(text, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        word().encode(text)
