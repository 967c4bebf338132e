"""A Markov chain of a few letters: a decoder so small that all its texts can be enumerated."""

from itertools import product

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.generation.beam_search import beam_search
from model.generation.decoding import Chooser, IncrementalDecoder, generate_tokens
from model.inputs.letters import LetterTokenizer
from model.trace import OFF, Trace

LETTERS, FRAME = "abcd", LetterTokenizer.frame


class Chain(IncrementalDecoder):
    """A Markov chain: the next letter depends only on the last one. `table` [state, letter] holds
    the probabilities at the start, and then after each letter.
    """

    def __init__(self, table: Float[Tensor, "state letter"]):
        n = table.shape[1]
        self.table, self.letters, self.n_read = table, LETTERS[:n], 0
        rows = [table[0]] * len(FRAME.special) + list(table[1:])
        self.logits = torch.cat(
            [
                torch.full((len(rows), len(FRAME.special)), -torch.inf, dtype=table.dtype),
                torch.stack(rows).log(),
            ],
            1,
        )

    def read(
        self, ids: Int[Tensor, "row new"], trace: Trace = OFF
    ) -> Float[Tensor, "row vocabulary"]:
        self.n_read += ids.shape[1]
        return self.logits[ids[:, -1]]

    def select(self, rows: Int[Tensor, " kept"]) -> None:
        """Does nothing: the state of a chain is its last letter, which `read` is given."""

    def text(self, ids: list[int]) -> str:
        return "".join(self.letters[id - len(FRAME.special)] for id in ids)

    def every_text(self, length: int) -> dict[str, float]:
        """The probability of each of the V^T texts of `length` letters, for an exhaustive
        search.
        """
        p = self.table[0]
        for _ in range(length - 1):
            p = p[..., None] * self.table[1:]
        return dict(
            zip(
                map("".join, product(self.letters, repeat=length)),
                p.flatten().tolist(),
                strict=True,
            )
        )

    def write_text(self, choose: Chooser, length: int) -> str:
        self.n_read = 0  # a new text begins
        steps = generate_tokens(self, [FRAME.start], choose, length, FRAME)
        return self.text([step.choice.id for step in steps])

    def searched(self, beams: int, length: int) -> list[list[str]]:
        """The texts that beam search keeps after each step, the most probable first."""
        self.n_read = 0  # a new search begins
        tree = beam_search(self, [FRAME.start], beams, length, FRAME)
        possible = [
            [node for node in map(tree.nodes.__getitem__, kept) if node.score > -torch.inf]
            for kept in tree.beams
        ]
        return [[self.text(tree.text(node)) for node in kept] for kept in possible]
