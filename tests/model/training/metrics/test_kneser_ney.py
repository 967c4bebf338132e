"""Counting models against counts made by hand, and probabilities that sum to 1."""

import math

from hypothesis import given
from hypothesis import strategies as st

from model.training.metrics.kneser_ney import END, START, Bigrams, KneserNey
from tests.rounding import SINGLE, same

UNKNOWN = "☃"


def test_kneser_ney_is_what_a_hand_computes():
    """abracadabra: a is followed by b, c, d, b, so c(ab) = 2 of 4; after a, three kinds; ten
    bigrams of seven kinds.

    Bigrams once: ac ca ad da (4), twice: ab br ra (3): D = 4 / 10. Singles by kinds of what comes
    before: a 3 (r, c, d), b 1, r 1, c 1, d 1, in all 7; once: 4, twice: 0, so D = 1. Below: 1 / (5
    + 1).
    """
    model = KneserNey("abracadabra", order=2)
    shorter = (0 + 1 * 5 * (1 / 6)) / 7
    same(model.probability("", "b"), shorter)
    same(model.probability("a", "b"), (2 - 0.4 + 0.4 * 3 * shorter) / 4)
    a = (3 - 1 + 5 / 6) / 7
    same(model.probability("r", "a"), (2 - 0.4 + 0.4 * 1 * a) / 2)
    same(model.probability("r", "b"), 0.4 * 1 * shorter / 2)


def test_a_history_never_met_says_as_much_as_a_shorter_one():
    model = KneserNey("abracadabra", order=3)
    assert model.probability("zr", "a") == model.probability("r", "a")
    assert model.probability("zz", "a") == model.probability("", "a")
    assert model.probability("xyabr", "a") == model.probability("br", "a")


@given(
    text=st.text("abc\n", min_size=1, max_size=60),
    history=st.text("abcx", max_size=5),
    order=st.integers(1, 5),
)
def test_the_probabilities_of_all_characters_and_of_an_unknown_one_sum_to_1(text, history, order):
    model = KneserNey(text, order)
    chances = [model.probability(history, character) for character in [*model.alphabet, UNKNOWN]]
    assert min(chances) > 0
    same(sum(chances), 1, SINGLE)


@given(text=st.text("ab", min_size=3, max_size=40), length=st.integers(1, 3))
def test_the_probabilities_of_all_texts_of_a_length_sum_to_1(text, length):
    model = KneserNey(text, order=3)
    texts = [""]
    for _ in range(length):
        texts = [before + character for before in texts for character in [*model.alphabet, UNKNOWN]]
    same(sum(2 ** -model.bits(string) for string in texts), 1, SINGLE)


def test_an_unknown_character_costs_bits_and_a_repeated_text_few():
    model = KneserNey("to be or not to be, " * 20, order=5)
    assert math.isfinite(model.bits("☃☃"))
    assert model.bits("or not to be") < 0.3 * model.bits("eb ot ton ro")
    assert model.bits("") == 0


SENTENCES = [["i", "see", "you"], ["i", "see", "tom"], ["you", "know", "tom"]]


def test_a_word_between_two_others_is_what_a_hand_computes():
    """Nine words and three ends: P(see) = 2/12. i see occurs twice of the two i; see tom once of
    the two see.
    """
    model = Bigrams(SENTENCES, mass=1.0)
    scores = dict(zip(model.words, model.between("i", "tom"), strict=True))
    same(scores["see"], (2 + 2 / 12) / (2 + 1) * (1 + 2 / 12) / (2 + 1))
    same(scores["know"], (0 + 1 / 12) / (2 + 1) * (1 + 2 / 12) / (1 + 1))
    same(scores["you"], (0 + 2 / 12) / (2 + 1) * (0 + 2 / 12) / (2 + 1))
    assert model.best("i", "tom", 2) == ["see", "know"]


def test_the_ends_of_a_sentence_are_neighbours_and_never_a_guess():
    model = Bigrams(SENTENCES, mass=1.0)
    assert model.best(START, "see", 1) == ["i"]
    assert model.best("see", END, 2) == ["tom", "you"]
    assert {START, END}.isdisjoint(model.best(START, END, 99))
    scores = dict(zip(model.words, model.between("see", END), strict=True))
    same(scores["tom"], (1 + 2 / 12) / (2 + 1) * (2 + 3 / 12) / (2 + 1))


def test_what_follows_a_word_sums_to_1_with_the_end():
    model = Bigrams(SENTENCES, mass=0.7)

    def after(left: str, right: str) -> float:
        return (model.after.get(left, {}).get(right, 0) + model.mass * model.probability(right)) / (
            sum(model.after.get(left, {}).values()) + model.mass
        )

    for left in [*model.words, START, "never"]:
        same(sum(after(left, right) for right in [*model.words, END]), 1, SINGLE)


def test_words_never_met_leave_a_guess_to_the_other_side():
    model = Bigrams(SENTENCES, mass=1.0)
    assert model.best("never", "tom", 2)[0] in ("know", "see")
    assert len(model.best("never", "ever", 3)) == 3
