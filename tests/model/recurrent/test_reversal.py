"""Writing words backwards: what is expected, how far each letter is from where it was read, and
what counts as right.
"""

import torch
from torch import Tensor

from model.recurrent.reversal import (
    decoder_input,
    expected,
    random_words,
    right,
    share_of_letters,
    share_of_words,
    steps_between,
    write_words,
)
from model.recurrent.reversers import TransformerReverser

START, END = 1, 2

A, B, C = 3, 4, 5
WORDS = torch.tensor([[A, B, C], [B, B, A]])


class Scripted(TransformerReverser):
    """A network that writes what it was told to write, whatever it reads."""

    def __init__(self, lines: list[list[int]]):
        torch.nn.Module.__init__(self)
        self.lines = torch.tensor(lines)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        ids = self.lines[:, : target.shape[1]]
        return torch.nn.functional.one_hot(ids, 29).float() * 50


def test_a_word_is_expected_backwards_and_then_the_end():
    assert decoder_input(WORDS).tolist() == [[START, C, B, A], [START, A, B, B]]
    assert expected(WORDS).tolist() == [[C, B, A, END], [A, B, B, END]]


def test_each_letter_is_written_as_many_steps_after_it_was_read_as_the_order_of_reading_says():
    n = 5
    read = [f"x{j}" for j in range(1, n + 1)]
    order = [*read, "<s>", *reversed(read)]  # a letter is written where the one before it is read
    wrote = {letter: n + t for t, letter in enumerate(reversed(read))}
    assert steps_between(n) == [wrote[letter] - order.index(letter) for letter in reversed(read)]


def test_what_a_network_writes_is_right_letter_by_letter_and_to_the_end():
    found = right(Scripted([[C, B, A, END], [A, A, B, B]]), WORDS)
    assert found.tolist() == [[True] * 4, [True, False, True, False]]
    assert share_of_letters(found) == 5 / 6
    assert share_of_words(found) == 1 / 2


def test_what_stands_behind_the_end_is_wrong_even_where_the_letter_is_right():
    found = right(Scripted([[C, END, A, END], [END, B, B, END]]), WORDS)
    assert found.tolist() == [[True, False, False, False], [False] * 4]


def test_a_network_reads_what_it_has_written_itself():
    read = []

    class Listening(Scripted):
        def forward(self, source: Tensor, target: Tensor) -> Tensor:
            read.append(target[0].tolist())
            return super().forward(source, target)

    tokens, probabilities = write_words(Listening([[B, A, END, A], [A, A, A, A]]), WORDS)
    assert read == [[START], [START, B], [START, B, A], [START, B, A, END]]
    assert tokens[0].tolist() == [B, A, END, A]
    assert probabilities.min() > 0.99


def test_random_words_use_every_letter_evenly_and_nothing_else():
    words = random_words(20_000, 2, torch.Generator().manual_seed(0))
    counts = torch.bincount(words.flatten() - 3, minlength=26)
    assert len(counts) == 26
    expected_count = words.numel() / 26
    assert (counts - expected_count).abs().max() < 5 * expected_count**0.5
