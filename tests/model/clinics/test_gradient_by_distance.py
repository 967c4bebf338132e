"""The gradient by distance against finite differences of the embeddings."""

import pytest
import torch

from model.measure.gradient_by_distance import gradient_by_distance
from model.recurrent.reversal import decoder_input, random_words
from model.recurrent.reversers import NETWORKS, fresh_reverser
from model.trace import Trace
from tests.rounding import SINGLE, same

LENGTH, WIDTH = 3, 32


def slopes_at(network, words, place: int, step: float = 1e-5) -> torch.Tensor:
    """The central difference of the logit of the last letter by each number of one embedding: a
    batch of the same word, in which each row has one number changed.
    """
    moves = step * torch.cat([torch.eye(WIDTH), -torch.eye(WIDTH)]).double()

    def change(name, value):
        stack, at = ("encoder", place) if place < LENGTH else ("decoder", place - LENGTH)
        if name != f"{stack}.embedding.token":
            return value
        value = value.clone()
        value[:, at] += moves
        return value

    batch = words.expand(len(moves), LENGTH)
    logits = network(batch, decoder_input(batch)[:, :-1], Trace(change))
    ahead, behind = logits[:, -1, words[0, 0]].chunk(2)
    return (ahead - behind) / (2 * step)


@pytest.mark.parametrize("name", NETWORKS)
def test_it_is_the_slope_of_the_logit_at_every_embedding_the_nearest_first(name):
    network = fresh_reverser(name, torch.Generator().manual_seed(0)).double()
    words = random_words(1, LENGTH, torch.Generator().manual_seed(1))
    found = gradient_by_distance(network, words)
    assert len(found) == 2 * LENGTH
    with torch.no_grad():
        for place in (0, LENGTH - 1, LENGTH, 2 * LENGTH - 1):
            distance = 2 * LENGTH - 1 - place
            same(found[distance].item(), slopes_at(network, words, place).norm().item(), SINGLE)


def test_a_gradient_of_several_words_is_the_mean_of_theirs():
    network = fresh_reverser("lstm", torch.Generator().manual_seed(0))
    words = random_words(4, LENGTH, torch.Generator().manual_seed(1))
    each = torch.stack([gradient_by_distance(network, word[None]) for word in words])
    same(gradient_by_distance(network, words), each.mean(0))


def test_a_truncated_gradient_ends_at_the_cut_and_is_whole_before_it():
    network = fresh_reverser("lstm", torch.Generator().manual_seed(0))
    words = random_words(4, LENGTH, torch.Generator().manual_seed(1))
    whole, cut = gradient_by_distance(network, words), gradient_by_distance(network, words, 4)
    same(cut[:2], whole[:2])  # of 6 steps the last cut is before the fifth
    assert cut[2:].tolist() == [0] * 4
