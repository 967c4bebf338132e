"""Edit distance against its definition, and error rates by hand."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.training.metrics.edit_distance import EditDistance


def by_definition(a: str, b: str, swaps: bool) -> int:
    @cache
    def left(i: int, j: int) -> int:
        """From the first i letters of a to the first j of b."""
        if i == 0 or j == 0:
            return i + j
        ways = [left(i - 1, j) + 1, left(i, j - 1) + 1, left(i - 1, j - 1) + (a[i - 1] != b[j - 1])]
        if swaps and i > 1 and j > 1 and a[i - 2 : i] == b[j - 2 : j][::-1]:
            ways.append(left(i - 2, j - 2) + 1)
        return min(ways)

    return left(len(a), len(b))


words = st.text("abcd", max_size=6)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(word=words, others=st.lists(words, min_size=1, max_size=5), swaps=st.booleans())
def test_every_distance_is_that_of_the_definition(word, others, swaps):
    assert EditDistance(others, swaps)(word).tolist() == [
        by_definition(word, other, swaps) for other in others
    ]


def test_the_textbook_distances():
    assert EditDistance(["sitting", "kitten", ""])("kitten").tolist() == [3, 0, 6]
    assert EditDistance(["receive"])("recieve").tolist() == [2]
    assert EditDistance(["receive"], swaps=True)("recieve").tolist() == [1]


@pytest.mark.parametrize("letter", ["x", "é", "AH0"])
def test_a_letter_that_none_of_the_words_has_is_an_edit(letter):
    assert EditDistance([["a", "b"]])(["a", letter]).tolist() == [1]
    assert EditDistance([["a"]])([letter, letter, letter]).tolist() == [3]


def test_from_nothing_and_to_nothing():
    assert EditDistance(["", "abc"])("").tolist() == [0, 3]
    assert np.array_equal(EditDistance([""], swaps=True)("ab"), [2])


def test_the_nearest_word_is_the_first_of_several():
    assert EditDistance(["dog", "cot", "cat", "hat"]).nearest("bat") == "cat"
    assert EditDistance(["dog", "hat", "cat"]).nearest("bat") == "hat"
