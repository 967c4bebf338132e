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

from model.display_limits import SCANNED
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

    def scan(self) -> "RowMaxima":
        """The largest number of every row, or of SCANNED rows, and where it stands."""
        ids = self.ids()
        largest = [self.rows(some).max(-1) for some in ids.split(AT_ONCE)]
        return RowMaxima(
            ids,
            torch.cat([chunk.values for chunk in largest]),
            torch.cat([chunk.indices for chunk in largest]),
        )

    def ids(self) -> Int[Tensor, " row"]:
        """The tokens whose rows are looked through."""
        size = self.left.shape[0]
        return torch.arange(0, size, -(-size // SCANNED))


@dataclass(frozen=True)
class RowMaxima:
    """Of the rows of the tokens `ids` the largest number, and the token of its column."""

    ids: Int[Tensor, " row"]
    value: Float[Tensor, " row"]
    column: Int[Tensor, " row"]

    def self_share(self) -> float:
        """The share of rows whose largest number is that of the token itself."""
        return (self.column == self.ids).double().mean().item()


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


def copying(
    left: Float[Tensor, "head d_model d_head"],
    tokens: Float[Tensor, "d_model d_model"],
    right: Float[Tensor, "head d_head d_model"],
) -> Float[Tensor, " head"]:
    """sum of the eigenvalues / sum of their absolute values of each circuit E left right W, from -1
    to 1: 1 where every token raises itself, in the sense of its eigenvectors.

    The eigenvalues of E left right W are those of right W E left, which is small, and zeros. W E
    is `tokens`, the sum over the vocabulary, which is the same for every head. Numbers that
    overflow have none: NaN stands for them, and LAPACK, which they can end, is not asked.
    """
    products = (right @ tokens @ left).double()
    finite = products.isfinite().all(-1).all(-1)
    values = torch.linalg.eigvals(torch.where(finite[:, None, None], products, 0.0))
    shares = values.real.sum(-1) / values.abs().sum(-1)
    return torch.where(finite, shares, torch.nan).float()
