"""W_QK and W_OV of a head in the basis of tokens: E W_QK E^T says which tokens a token looks for,
and E W_OV W_U which words it raises where it is looked at (Elhage et al. 2021).

Both are matrices of the vocabulary by itself, and both are products of two thin ones, [vocabulary,
d_head] [d_head, vocabulary]. The thin ones are kept, and the rows of the product are made a few at
a time. Norms and biases are left out.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.interpretability.circuits.qk_ov import HeadMatrices

AT_ONCE = 512
"""How many rows of the product are made at a time: 12 MB of 6,000 tokens."""


@dataclass(frozen=True)
class TokenCircuit:
    """left right [vocabulary, vocabulary], of which only some rows are ever made."""

    left: Float[Tensor, "vocabulary d_head"]
    right: Float[Tensor, "d_head vocabulary"]

    def rows(self, ids: Int[Tensor, " row"]) -> Float[Tensor, "row vocabulary"]:
        return self.left[ids] @ self.right

    def copying(self) -> float:
        """sum of the eigenvalues / sum of their absolute values, from -1 to 1: 1 where every token
        raises itself, in the sense of its eigenvectors. The eigenvalues of left right are those of
        right left, which is small, and zeros.
        """
        values = torch.linalg.eigvals((self.right @ self.left).double())
        return (values.real.sum() / values.abs().sum()).item()

    def scan(self) -> "RowMaxima":
        """The largest number of every row, and where it stands."""
        largest = [self.rows(ids).max(-1) for ids in self.ids().split(AT_ONCE)]
        return RowMaxima(
            torch.cat([one.values for one in largest]),
            torch.cat([one.indices for one in largest]),
        )

    def ids(self) -> Int[Tensor, " vocabulary"]:
        return torch.arange(self.left.shape[0])


@dataclass(frozen=True)
class RowMaxima:
    value: Float[Tensor, " vocabulary"]
    column: Int[Tensor, " vocabulary"]

    def own(self) -> float:
        """The share of rows whose largest number is that of the token itself."""
        return (self.column == torch.arange(len(self.column))).double().mean().item()


def ov_circuit(
    heads: HeadMatrices,
    head: int,
    embedding: Float[Tensor, "vocabulary d_model"],
    unembedding: Float[Tensor, "d_model vocabulary"],
) -> TokenCircuit:
    """E W_V W_O W_U: row by row, what a token that is looked at adds to the logit of each word."""
    return TokenCircuit(embedding @ heads.value[head], heads.output[head] @ unembedding)


def qk_circuit(
    heads: HeadMatrices, head: int, embedding: Float[Tensor, "vocabulary d_model"]
) -> TokenCircuit:
    """E W_Q W_K^T E^T / sqrt(d_head): row by row, the score of a token as the query for each token
    as the key. Relative positions are left out, as if both stood at the same place.
    """
    keys = embedding @ heads.key[head]
    return TokenCircuit(embedding @ heads.query[head], keys.mT / keys.shape[-1] ** 0.5)
