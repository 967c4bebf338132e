"""Reversal: reading a word and writing it backwards, the task of the networks in reversers.py.

The source is a word x_1 … x_n. The target is <s> x_n … x_1, and the expected output after each of
its tokens is x_n … x_1 </s>. All words in a batch have the same length, so there is no padding. A
network reads x_j at step j and must write it at step 2n + 1 - j, counting source and target
together: letter number t of the target is written 2t - 1 steps after it was read.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model.recurrent.reversers import TOKENIZER, Reverser

LETTERS, FRAME = 26, TOKENIZER.frame
Words = Int[Tensor, "word letter"]
Tokens = Int[Tensor, "word token"]


def random_words(count: int, length: int, draws: torch.Generator) -> Words:
    """`count` words of `length` letters, sampled uniformly and independently."""
    return torch.randint(LETTERS, (count, length), generator=draws) + len(FRAME.special)


def decoder_input(words: Words) -> Tokens:
    """The decoder's input with teacher forcing: <s> x_n … x_1."""
    return torch.cat([torch.full((len(words), 1), FRAME.start), words.flip(1)], dim=1)


def expected(words: Words) -> Tokens:
    """The expected output after each token of `decoder_input`: x_n … x_1 </s>."""
    return torch.cat([words.flip(1), torch.full((len(words), 1), FRAME.end)], dim=1)


def steps_between(length: int) -> list[int]:
    """The number of steps between reading and writing each letter of the target."""
    return [2 * t - 1 for t in range(1, length + 1)]


@torch.no_grad()
def write_words(network: Reverser, words: Words) -> tuple[Tokens, Float[Tensor, "word token"]]:
    """The network's greedy output for each word, and the probability of each letter. It is one
    token longer than the word, so that </s> fits.
    """
    target = torch.full((len(words), 1), FRAME.start)
    probabilities = []
    for _ in range(words.shape[1] + 1):
        best = network(words, target)[:, -1].softmax(-1).max(-1)
        target = torch.cat([target, best.indices[:, None]], dim=1)
        probabilities.append(best.values)
    return target[:, 1:], torch.stack(probabilities, dim=1)


def right(network: Reverser, words: Words) -> Bool[Tensor, "word token"]:
    """Which output tokens are correct at their positions. Anything after </s> counts as wrong."""
    tokens, _ = write_words(network, words)
    ended = FRAME.ended(tokens).int()
    before = ended.cumsum(1) - ended
    return (tokens == expected(words)) & (before == 0)


Measure = Callable[[Bool[Tensor, "word token"]], float]


def share_of_letters(right: Bool[Tensor, "word token"]) -> float:
    """The fraction of correct letters, without </s>."""
    return right[:, :-1].double().mean().item()


def share_of_words(right: Bool[Tensor, "word token"]) -> float:
    """The fraction of words that are correct from the first letter to </s>."""
    return right.all(1).double().mean().item()
