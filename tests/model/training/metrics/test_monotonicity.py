"""Whether attention goes through its source in order, against counting by hand."""

from itertools import combinations, pairwise

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from model.inputs.text import TextTokenizer
from model.trace import Recorder
from model.training.metrics.monotonicity import in_order, monotone, steps_back
from model.training.metrics.translation import forward
from tests.model.support.small import small
from tests.rounding import same

START, END = 1, 2

ROWS = [[0, 1, 2, 3], [3, 2, 1, 0], [2, 2, 2, 2], [0, 2, 1, 1]]


def test_looks_in_order_count_1_each_in_reverse_minus_1_and_at_one_place_nothing():
    assert in_order(torch.tensor(ROWS)).tolist() == [6, -6, 0, 1]
    assert steps_back(torch.tensor(ROWS)).tolist() == [0, 3, 0, 1]
    assert (int(in_order(torch.tensor([5]))), int(steps_back(torch.tensor([5])))) == (0, 0)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_order_is_counted_pair_by_pair(looked_at):
    assert int(in_order(torch.tensor(looked_at))) == sum(
        (b > a) - (b < a) for a, b in combinations(looked_at, 2)
    )
    assert int(steps_back(torch.tensor(looked_at))) == sum(b < a for a, b in pairwise(looked_at))


def test_each_map_is_read_from_the_rows_that_predict_and_never_at_the_frame():
    model = small(dtype=torch.float32)
    pairs = [([5, 6, 7, 8], [9, 5, 6]), ([7, 5], [8, 9, 9, 6])]
    found = monotone(model, pairs, TextTokenizer.frame)
    n_layers, n_heads = model.config.n_decoder_layers, model.config.n_heads
    assert list(found) == [
        "diagonal",
        *(f"{layer}.{head}" for layer in range(n_layers) for head in [*range(n_heads), "mean"]),
    ]
    for layer in range(n_layers):
        for head in [*range(n_heads), "mean"]:
            ordered = gone_back = 0
            for source, target in pairs:
                trace = Recorder()
                forward(model, [START, *source, END], [START, *target], trace)
                maps = trace.values[f"decoder.{layer}.cross_attention.pattern"].numpy()
                map = maps.mean(0) if head == "mean" else maps[head]
                at = [int(np.argmax(map[row, 1 : 1 + len(source)])) for row in range(len(target))]
                ordered += sum(np.sign(b - a) for a, b in combinations(at, 2))
                gone_back += sum(b < a for a, b in pairwise(at))
            expected = {"value": ordered / (3 + 6), "back": gone_back / (2 + 3)}
            same(found[f"{layer}.{head}"], expected)


def test_the_diagonal_never_goes_back_and_rests_where_there_are_fewer_letters():
    """Four letters, three sounds: 0 1 2; two letters, four sounds: 0 0 1 1, where 4 of 6 pairs are
    in order.
    """
    found = monotone(
        small(dtype=torch.float32),
        [([5, 6, 7, 8], [9, 5, 6]), ([7, 5], [8, 9, 9, 6])],
        TextTokenizer.frame,
    )
    same(found["diagonal"], {"value": (3 + 4) / (3 + 6), "back": 0})
