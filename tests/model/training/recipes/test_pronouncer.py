"""Letters to phonemes: what is read of the dictionary, what is held out, how errors are counted,
and two alphabets in one model.
"""

import dataclasses
import re

import numpy as np
import pytest
import torch

from model.errors import InvalidInput
from model.inputs.input import Input
from model.inputs.phonemes import CONSONANTS, PHONEMES, VOWELS, pronunciation
from model.runs.run_model import run_model
from model.trace import OFF
from model.training.checkpoint import State
from model.training.finish import finish
from model.training.loop import train
from model.training.recipes.pronouncer import (
    RECIPE,
    WORD,
    Pronunciation,
    errors,
    errors_without_stress,
    read_pronunciations,
    stem,
)
from model.training.recipes.single_words import encoded, set_aside
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from model.zoo.models import Model, load_model
from tests.rounding import same

START, END = 1, 2
N_SIGNS = 3

LINES = """'bout B AW1 T
a AH0
a(2) EY1
a. EY1
aalborg AO1 L B AO0 R G # place, danish
aalborg(2) AA1 L B AO0 R G
able-bodied EY1 B AH0 L B AA2 D IY0 D
hello HH AH0 L OW1
hello(2) HH EH0 L OW1
3d TH R IY1 D IY2
''' K W OW1 T
"""


@pytest.fixture
def dictionary(tmp_path):
    (tmp_path / "pronunciations.txt").write_text(LINES, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    """Six hundred made-up words of consonants and vowels, some with a possessive and a second
    pronunciation.
    """
    folder = tmp_path_factory.mktemp("data")
    rows = []
    for a in "bdfgklmnprstvz":
        for vowel, sound in zip("aeiou", ["AE1", "EH1", "IH1", "AA1", "AH1"], strict=True):
            for b in "bdgklmnp":
                word, phonemes = a + vowel + b, f"{a.upper()} {sound} {b.upper()}"
                rows += [
                    f"{word} {phonemes}",
                    f"{word}(2) {phonemes.replace('1', '0')}",
                    f"{word}'s {phonemes} Z",
                ]
    (folder / "pronunciations.txt").write_text("\n".join(rows), encoding="utf-8")
    return Pronunciation(folder)


def test_a_word_has_all_its_pronunciations_and_other_characters_are_left_out_and_counted(
    dictionary,
):
    words, left_out = read_pronunciations(dictionary / "pronunciations.txt")
    assert words == {
        "'bout": ["B AW1 T"],
        "a": ["AH0", "EY1"],
        "aalborg": ["AO1 L B AO0 R G", "AA1 L B AO0 R G"],
        "hello": ["HH AH0 L OW1", "HH EH0 L OW1"],
    }
    assert left_out == 4


def test_without_the_dictionary_a_sentence_says_which_file_is_missing(tmp_path):
    with pytest.raises(InvalidInput, match=r"pronunciations\.txt is not in"):
        Pronunciation(tmp_path)


def test_no_word_no_variant_and_no_possessive_stands_on_both_sides(task):
    assert task.train.keys().isdisjoint(task.held_out)
    assert {stem(word) for word in task.train}.isdisjoint(stem(word) for word in task.held_out)
    assert len(task.train) + len(task.held_out) == 2 * 14 * 5 * 8
    assert all(len(several) == 2 for word, several in task.held_out.items() if "'" not in word)
    assert {stem("dog"), stem("dog's"), stem("dogs'")} == {"dog", "dogs"}


def test_one_word_in_fifty_is_held_out_and_its_spelling_alone_decides():
    words = [
        f"{a}{b}{c}"
        for a in "abcdefghijklmnopqrstuvwxyz"
        for b in "aeiouwy"
        for c in "abcdefghijklmnopqrstuvwxyz"
    ]
    n = sum(set_aside(word, 50) for word in words)
    p = 1 / 50
    assert abs(n - len(words) * p) < 5 * np.sqrt(len(words) * p * (1 - p))
    assert [set_aside(word, 50) for word in words] == [set_aside(word, 50) for word in words]


def test_an_epoch_holds_every_pronunciation_to_learn_once(task):
    pairs = sorted((word, sounds) for word, several in task.train.items() for sounds in several)
    ids = task.tokenizer.backend.id_to_token
    lessons = []
    for batch in task.epoch(torch.Generator().manual_seed(0)):
        for source, expected in zip(batch.source.tolist(), batch.expected.tolist(), strict=True):
            letters, sounds = (
                [ids(id) for id in row if id >= N_SIGNS] for row in (source, expected)
            )
            lessons.append(("".join(letters), " ".join(sounds)))
    assert sorted(lessons) == pairs


def test_the_ids_learned_are_those_of_the_text_as_it_is_typed():
    tokenizer = pronunciation()
    ((source, target),) = encoded(tokenizer, [("it's", ["IH1", "T", "S"])])
    assert source == [token.id for token in tokenizer.encode("It’s")]
    assert target == [token.id for token in tokenizer.tokenizer_for("target").encode("ih1 t s")]


def test_errors_are_edits_to_the_nearest_reference_over_its_phonemes():
    """hello: one replaced of 4; cat: right by its second reference of 3; the: one inserted and none
    of 2 right; 1 + 0 + 2 of 9.
    """
    outputs = ["HH AH0 L OW2", "K AE1 T", "D D AH0"]
    references = [["HH AH0 L OW1", "HH EH0 L OW1"], ["K AA1 T S", "K AE1 T"], ["DH AH0"]]
    same(errors(outputs, references), (3 / 9, 2 / 3))
    same(errors_without_stress(outputs, references), (2 / 9, 1 / 3))
    same(errors(["", "AH0"], [["AH0 B"], ["AH0"]]), (2 / 3, 0.5))


def test_phonemes_are_those_of_arpabet():
    assert (len(VOWELS), len(CONSONANTS), len(PHONEMES)) == (15, 24, 15 * 3 + 24)
    assert len(set(PHONEMES)) == len(PHONEMES)
    assert pronunciation().size == N_SIGNS + 27 + 69


def test_letters_are_read_and_phonemes_written_and_the_two_never_meet():
    tokenizer = pronunciation()
    letters, sounds = (
        tokenizer.encode("T", start=True, end=True),
        tokenizer.tokenizer_for("target").encode("t", start=True),
    )
    assert [token.text for token in letters] == ["<s>", "t", "</s>"]
    assert [token.text for token in sounds] == ["<s>", "T"]
    assert letters[1].id != sounds[1].id
    assert tokenizer.tokenizer_for("source") is tokenizer


def test_phonemes_are_read_in_any_case_and_stand_where_they_say():
    text = " hh AH0\tl  Ow1 "
    tokens = pronunciation().tokenizer_for("target").encode(text, start=True, end=True)
    assert [token.text for token in tokens] == ["<s>", "HH", "AH0", "L", "OW1", "</s>"]
    assert [text[token.start : token.end] for token in tokens[1:-1]] == ["hh", "AH0", "l", "Ow1"]
    assert [token.word for token in tokens] == [None, 0, 1, 2, 3, None]
    assert (tokens[0].id, tokens[-1].id) == (START, END)


def test_what_is_written_is_read_aloud_with_spaces_and_without_the_frame():
    tokenizer = pronunciation()
    tokens = tokenizer.tokenizer_for("target").encode("HH AH0 L OW1", start=True, end=True)
    assert tokenizer.decode([token.id for token in tokens]) == "HH AH0 L OW1"
    assert [tokenizer.token(token.id).text for token in tokens] == [token.text for token in tokens]


@pytest.mark.parametrize("strange", ["AH", "AH3", "X", "HH,", "</s>", "<s>", "ß", "x" * 1000])
def test_what_is_no_phoneme_is_refused_with_it_in_the_sentence(strange):
    with pytest.raises(InvalidInput, match="is not a phoneme") as refused:
        pronunciation().tokenizer_for("target").encode(f"HH {strange}")
    assert strange[:20] in str(refused.value)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("naïve", "The text contains 'ï'; this model only knows"),
        ("well-known", "contains '-'"),
        ("4", "contains '4'"),
    ],
)
def test_a_source_with_another_character_is_refused(text, sentence):
    with pytest.raises(InvalidInput, match=re.escape(sentence)):
        pronunciation().encode(text)


def test_several_words_are_refused_with_how_many_they_are():
    with pytest.raises(InvalidInput, match="This model takes one word; 2 were given") as refused:
        pronunciation().encode(" hello world ")
    assert (refused.value.limit, refused.value.given) == (1, 2)


@pytest.fixture(scope="module")
def model(task):
    transformer = (
        initialise(Transformer(task.config), torch.Generator().manual_seed(0))
        .eval()
        .requires_grad_(False)
    )
    return Model(
        "pronouncer",
        task.config,
        transformer,
        task.tokenizer,
        {"limits": {"trained_tokens": 30}},
        "random initialization",
    )


def test_a_run_reads_letters_on_one_side_and_phonemes_on_the_other(model):
    ran = run_model(model, Input(source="Box", target="b aa1 k s"))
    assert ran.axes["source"].labels == ["<s>", "b", "o", "x", "</s>"]
    assert ran.axes["target"].labels == ["<s>", "B", "AA1", "K", "S"]
    assert ran.expected == ["B", "AA1", "K", "S", "</s>"]


@pytest.mark.parametrize(
    ("field", "text"),
    [("source", "box 1"), ("source", "é"), ("target", "K S AH"), ("source", "a" * 70)],
)
def test_the_refusal_points_at_the_side_that_is_wrong(model, field, text):
    with pytest.raises(InvalidInput) as refused:
        run_model(model, Input(**{"source": "box", field: text}))
    assert refused.value.field == field


def test_the_weights_take_no_more_room_than_they_may(task):
    assert sum(4 * value.numel() for value in Transformer(task.config).parameters()) < 2.5e6


def test_what_is_written_is_read_again_and_its_card_says_how_it_was_measured(task, model, tmp_path):
    finish(RECIPE, task, model.transformer, State(done=7, seconds=90.0), tmp_path, seed=0)
    read = load_model("pronouncer", tmp_path)
    assert read.card["quality"]["phoneme_error_rate"]["value"] > 0.5
    assert 0 < read.card["quality"]["phoneme_error_rate"]["nearest_word"] < 0.7
    assert (
        f"{len(task.held_out)} held-out words" in read.card["quality"]["phoneme_error_rate"]["how"]
    )
    assert (
        -1
        <= read.card["quality"]["monotone"]["value"]
        <= read.card["quality"]["monotone"]["diagonal"]
        == 1
    )
    assert read.card["limits"] == {"tokens": 64, "trained_tokens": 2 + len("bag's")}
    assert (
        "Copyright (C) 1993-2015 Carnegie Mellon University. All rights reserved."
        in read.card["data_notice"]
    )
    target = read.tokenizer.tokenizer_for("target")
    assert target.encode("ah0 b") == task.tokenizer.tokenizer_for("target").encode("AH0 B")
    assert read.tokenizer.decode([token.id for token in target.encode("ah0 b")]) == "AH0 B"
    for example in read.card["examples"]:
        assert run_model(read, Input(**example["input"])).tokens["source"]


def test_it_learns(task, tmp_path):
    soon = dataclasses.replace(RECIPE.cycles[0], warmup=4)  # as 6 steps are no 400
    recipe = dataclasses.replace(RECIPE, cycles=(soon,), checkpoint_every=10)
    model, _ = train(recipe, task, tmp_path, stop_after=6)
    fresh = initialise(Transformer(task.config), torch.Generator().manual_seed(0))
    batch = next(task.epoch(torch.Generator().manual_seed(1)))
    assert task.loss(model, batch, OFF) < task.loss(fresh, batch, OFF) - 0.5


def test_words_have_a_letter():
    assert [
        bool(WORD.fullmatch(text)) for text in ("a", "'em", "don't", "'", "''", "é", "a-b", "A", "")
    ] == [True] * 3 + [False] * 6
