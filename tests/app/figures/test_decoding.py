"""The figures of /decoding. In the tree what begins with a prefix is the sum of its texts, and
stands in their middle; beside the likeliest tokens all others stand together.
"""

from itertools import product

import numpy as np
import pytest

from app.experiments.decoding import heights, prefixes
from tests.rounding import PRINTED, SINGLE, near, same

TEXTS = ["".join(letters) for letters in product("abc", repeat=3)]


def test_a_prefix_is_as_probable_as_all_its_texts():
    start = np.array([0.5, 0.4, 0.1])
    after = np.array([[0.4, 0.3, 0.3], [0.05, 0.05, 0.9], [0.3, 0.3, 0.4]])
    texts = start[:, None, None] * after[:, :, None] * after[None]
    sums = prefixes(TEXTS, texts.ravel())
    same(sums[""], 1, SINGLE)
    for i, first in enumerate("abc"):
        same(sums[first], start[i], SINGLE)
        for j, second in enumerate("abc"):
            same(sums[first + second], start[i] * after[i, j], SINGLE)


def test_a_prefix_stands_in_the_middle_of_its_texts():
    levels = heights(TEXTS)
    for prefix, level in levels.items():
        rows = [row for row, text in enumerate(TEXTS) if text.startswith(prefix)]
        assert level == np.mean(rows)
    assert [levels[text] for text in TEXTS] == list(range(len(TEXTS)))


SMALL = {"length": 2, "seeds": 2}


def shares(figure: dict) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities after and before, as they are drawn."""
    return tuple(
        np.array(next(one["y"] for one in figure["data"] if one["name"] == name))
        for name in ("after temperature and filter", "before")
    )


@pytest.mark.parametrize("temperature", [0.2, 1, 3])
def test_all_others_are_what_the_likeliest_tokens_leave(ask, temperature):
    figure = ask("decoding/figures/filter", temperature=temperature, **SMALL)
    answer = ask("decoding", temperature=temperature, **SMALL)
    assert figure["layout"]["xaxis"]["ticktext"][-1] == "all others"
    for drawn, name in zip(shares(figure), ("after", "before"), strict=True):
        same(drawn[:-1], answer["tensors"][name]["data"], SINGLE)
        same(drawn.sum(), 1, SINGLE)


def test_a_high_temperature_gives_the_probability_to_the_others_and_a_filter_takes_it_all(ask):
    hot, cold = shares(ask("decoding/figures/filter", temperature=3, **SMALL))
    assert hot[-1] > 0.9
    assert cold[-1] < 0.5
    filtered, _ = shares(ask("decoding/figures/filter", temperature=3, top_k=3, **SMALL))
    same(filtered[-1], 0, SINGLE, scale=1)
    assert (filtered[3:] == 0).sum() >= 13


def test_the_number_over_each_bar_is_its_own(ask):
    figure = ask("decoding/figures/filter", **SMALL)
    after, _ = shares(figure)
    notes = figure["layout"]["annotations"]
    assert len(notes) == len(after)
    for note, share in zip(notes, after, strict=True):
        near(float(note["text"]), share, PRINTED, abs=max(5e-05, 0.05 * share))


def test_a_crowded_column_names_the_letters_of_the_greedy_and_the_best_text_alone(ask):
    asked = {"chain": "drawn", "vocabulary": 4, "length": 4, "seeds": 1}
    answer, figure = ask("decoding", **asked), ask("decoding/figures/tree", **asked)
    kept = {answer["greedy"][:3], answer["best"][:3]}
    layout = figure["layout"]
    notes = zip(layout["annotations"], layout["meta"]["notes"], strict=True)
    named = [note for note, look in notes if look["kind"] == "fit"]
    columns = sorted({note["x"] for note in named})
    assert [sum(note["x"] == x for note in named) for x in columns] == [4, 16, len(kept)]
