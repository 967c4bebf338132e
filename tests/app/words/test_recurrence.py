"""What /recurrence says depends on what is shown, and its numbers are those of the answer."""

import re

import pytest

from app.words import recurrence as words
from model.answers.answer import Answer
from model.clinics.recurrence import recurrence


@pytest.fixture(scope="module")
def answer() -> Answer:
    return recurrence(text="abc", length=4, seeds=2)


def shown(*figures: str) -> dict:
    return {"figures": figures}


def numbers(sentence: str) -> list[int]:
    """The percentages in a sentence."""
    return [int(said) for said in re.findall(r"(\d+)\s%", sentence)]


@pytest.mark.parametrize("what", ["letters", "words"])
def test_the_shares_at_the_longest_trained_words_and_at_twice_their_length_are_read_off(
    answer, what: str
):
    shares = answer.tensors[what].data
    expected = [round(100 * share[n - 1].item()) for share in shares for n in (10, 20)]
    assert numbers(words.reading(answer, shown(what, "alignment"))) == expected


def test_the_letters_behind_each_cut_are_read_off(answer):
    said = words.reading(answer, shown("truncated", "alignment"))
    found = {f.name: f.mean for f in answer.fields["findings"]}
    assert numbers(said) == [round(100 * found[f"behind_cut.{steps}"]) for steps in words.CUTS]


def test_the_factors_of_both_networks_are_read_off(answer):
    found = {f.name: f.mean for f in answer.fields["findings"]}
    rnn, lstm = found["factor.rnn"], found["factor.rnn"] + found["factor.lstm"]
    said = words.reading(answer, shown("letters", "gradient.initial"))
    assert numbers(said) == [round(100 * rnn), round(100 * lstm)]


def test_the_readers_word_and_how_many_write_it_are_told(answer):
    said = words.reading(answer, shown("writings", "alignment"))
    right = sum(writing["right"] for writing in answer.fields["writings"])
    assert said.startswith(f"{right} of 5")
    assert "« abc »" in said


def test_each_figure_has_a_claim_about_what_it_shows(answer):
    claims = [
        words.claim(answer, shown("letters", right)).text
        for right in ("alignment", "gradient.trained", "gradient.initial")
    ]
    claims.append(words.claim(answer, shown("truncated", "alignment")).text)
    assert len(set(claims)) == 4


def test_both_figures_are_explained(answer):
    for left in ("letters", "writings", "truncated"):
        for right in words.RIGHT:
            said = words.look_for(answer, shown(left, right))
            assert words.LEFT[left] in said
            assert words.RIGHT[right] in said
