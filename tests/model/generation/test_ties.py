"""Ties: whatever order rounding would give two tokens, the lower id comes first."""

import pytest
import torch

from model.generation.beam_search import beam_search
from model.generation.decoding import greedy, greedy_decode
from model.generation.sampling_filters import at_temperature
from model.generation.ties import UNITS, best, first, width
from model.inputs.text import TextTokenizer

ULP = torch.finfo(torch.float32).eps
FRAME = TextTokenizer.frame


class Tied:
    """A decoder of one row or of several that always gives these logits, or moves them by what
    another processor would round otherwise.
    """

    def __init__(self, logits: torch.Tensor):
        self.logits, self.n_read = logits, 0

    def read(self, ids, trace=None):
        self.n_read += ids.shape[1]
        sign = torch.arange(len(self.logits)) % 2 * 2 - 1 if self.n_read % 2 else 0
        moved = self.logits + sign * 3 * ULP * self.logits.abs().max()
        return moved.expand(len(ids), -1)

    def select(self, rows):
        pass


@pytest.mark.parametrize("apart", [0.0, 1.0, -1.0, 6.0, -6.0])
@pytest.mark.parametrize("size", [1e-3, 1.0, 30.0])
def test_of_tied_tokens_the_lowest_id_is_taken_by_every_way_of_decoding(apart, size):
    logits = torch.full((12,), -size)
    logits[[5, 8]] = size
    logits[8] += apart * ULP * size
    assert int(best(logits)) == greedy(logits).id == int(at_temperature(logits, 0.0).argmax()) == 5
    assert best(logits.expand(3, -1)).tolist() == [5] * 3
    texts = greedy_decode(Tied(logits), torch.ones(2, 1, dtype=torch.long), 4, FRAME)
    assert texts == [[5] * 4] * 2
    tree = beam_search(Tied(logits), [1], 2, 4, FRAME)
    assert tree.text(tree.best) == [5] * 4
    assert [tree.nodes[number].token for number in tree.beams[0]] == [5, 8]


def test_what_is_further_apart_than_rounding_is_no_tie():
    logits = torch.tensor([0.0, 20.0, 20.0])
    logits[2] += 2 * UNITS * ULP * 20
    assert int(best(logits)) == 2
    assert first(logits, width(logits), 3).tolist() == [2, 1, 0]


def test_a_forbidden_token_is_no_tie_and_comes_last():
    logits = torch.tensor([-torch.inf, 1.0, -torch.inf, 1.0])
    assert int(best(logits)) == 1
    assert first(logits, width(logits), 9).tolist() == [1, 3, 0, 2]
