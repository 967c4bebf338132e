"""The tree of /decoding: what begins with a prefix is the sum of its texts, and stands in their
middle.
"""

from itertools import product

import numpy as np
import pytest

from app.figures.decoding import heights, prefixes

TEXTS = ["".join(letters) for letters in product("abc", repeat=3)]


def test_a_prefix_is_as_probable_as_all_its_texts():
    start = np.array([0.5, 0.4, 0.1])
    after = np.array([[0.4, 0.3, 0.3], [0.05, 0.05, 0.9], [0.3, 0.3, 0.4]])
    texts = start[:, None, None] * after[:, :, None] * after[None]
    sums = prefixes(TEXTS, texts.ravel())
    assert sums[""] == pytest.approx(1)
    for i, first in enumerate("abc"):
        assert sums[first] == pytest.approx(start[i])
        for j, second in enumerate("abc"):
            assert sums[first + second] == pytest.approx(start[i] * after[i, j])


def test_a_prefix_stands_in_the_middle_of_its_texts():
    levels = heights(TEXTS)
    for prefix, level in levels.items():
        rows = [row for row, text in enumerate(TEXTS) if text.startswith(prefix)]
        assert level == np.mean(rows)
    assert [levels[text] for text in TEXTS] == list(range(len(TEXTS)))
