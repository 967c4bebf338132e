"""The baselines of translators on three tiny sentences: Model 1 in NumPy, and counts by hand."""

import numpy as np
import pytest

from model.inputs.text import fit
from model.training.metrics.translation_baselines import WordTranslations, bigram_accuracy
from tests.rounding import same

PAIRS = [("The house", "La maison"), ("The table", "La table"), ("A table", "Une table")]
ENGLISH, FRENCH = ["NULL", "the", "house", "table", "a"], ["la", "maison", "table", "une"]


@pytest.fixture(scope="module")
def tokenizer():
    return fit([side for pair in PAIRS * 2 for side in pair], 600)


def model_1(iterations: int) -> np.ndarray:
    """t(f | e) as [French, English], from a uniform start (Brown et al. 1993, section 4.1)."""
    t = np.full((len(FRENCH), len(ENGLISH)), 1 / len(FRENCH))
    for _ in range(iterations):
        count = np.zeros_like(t)
        for source, target in PAIRS:
            words = [0, *(ENGLISH.index(word) for word in source.lower().split())]
            for word in target.lower().split():
                row = t[FRENCH.index(word), words]
                count[FRENCH.index(word), words] += row / row.sum()
        t = count / count.sum(0)
    return t


def test_each_word_becomes_its_likeliest_one_in_its_place_and_an_unknown_one_stays(tokenizer):
    words, t = WordTranslations(tokenizer, PAIRS), model_1(10)
    likeliest = {e: FRENCH[t[:, i].argmax()] for i, e in enumerate(ENGLISH)}
    assert words.translation == {e: likeliest[e] for e in ENGLISH[1:]}
    assert words.translation == {"the": "la", "house": "maison", "table": "table", "a": "une"}
    assert words.translate("House a THE tom!") == "maison une la tom !"
    row = t[FRENCH.index("la"), [0, 1, 2]]
    (found,) = words.posterior(["the", "house"], ["la"])
    same(found, row / row.sum())


def test_of_words_that_are_equally_likely_the_first_one_that_was_met_is_said(tokenizer):
    words = WordTranslations(tokenizer, [("a", "une"), ("a", "la")])
    assert words.translate("a") == "une"


def test_a_bigram_says_the_most_frequent_next_piece_and_after_an_unknown_one_the_most_frequent(
    tokenizer,
):
    """Of <s>: la, la, une. Of la: maison, table, of which maison was met first. The most frequent
    piece is </s>, which is said after the unknown "a".
    """
    held_out = {
        "La maison": 3 / 3,
        "La table": 2 / 3,
        "Une table": 2 / 3,
        "A": 1 / 2,
        "Maison la": 0 / 3,
    }
    for target, share in held_out.items():
        same(bigram_accuracy(tokenizer, PAIRS, [("", target)]), share)
    together = bigram_accuracy(tokenizer, PAIRS, [("", target) for target in held_out])
    same(together, 8 / 14)
