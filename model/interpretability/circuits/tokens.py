"""W_QK and W_OV of a head in the token basis: E W_QK E^T shows which tokens a token attends to, and
E W_OV W_U which words it promotes when attended to (Elhage et al. 2021).

Both are [vocabulary, vocabulary] products of two thin matrices, [vocabulary, d_head] [d_head,
vocabulary]. The thin ones are stored, and rows of the product are computed a few at a time. Norms
and biases are omitted.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.display_limits import SCANNED
from model.interpretability.circuits.qk_ov import HeadMatrices

AT_ONCE = 512
"""How many rows of the product are computed at a time: 12 MB for 6,000 tokens."""


@dataclass(frozen=True)
class TokenCircuit:
    """left right [vocabulary, vocabulary], of which only some rows are ever computed."""

    left: Float[Tensor, "vocabulary d_head"]
    right: Float[Tensor, "d_head vocabulary"]

    def rows(self, ids: Int[Tensor, " row"]) -> Float[Tensor, "row vocabulary"]:
        return self.left[ids] @ self.right

    def scan(self) -> "RowMaxima":
        """The largest entry of every row, or of SCANNED rows, and its column."""
        ids = self.ids()
        largest = [self.rows(some).max(-1) for some in ids.split(AT_ONCE)]
        return RowMaxima(
            ids,
            torch.cat([chunk.values for chunk in largest]),
            torch.cat([chunk.indices for chunk in largest]),
        )

    def ids(self) -> Int[Tensor, " row"]:
        """The tokens whose rows are examined."""
        size = self.left.shape[0]
        return torch.arange(0, size, -(-size // SCANNED))


@dataclass(frozen=True)
class RowMaxima:
    """The largest entry in the rows of the tokens `ids`, and the token of its column."""

    ids: Int[Tensor, " row"]
    value: Float[Tensor, " row"]
    column: Int[Tensor, " row"]

    def self_share(self) -> float:
        """The fraction of rows whose largest entry is on the diagonal."""
        return (self.column == self.ids).double().mean().item()


def ov_circuit(
    heads: HeadMatrices,
    head: int,
    embedding: Float[Tensor, "vocabulary d_model"],
    unembedding: Float[Tensor, "d_model vocabulary"],
) -> TokenCircuit:
    """E W_V W_O W_U: for each attended token, its contribution to the logit of each word."""
    return TokenCircuit(embedding @ heads.value[head], heads.output[head] @ unembedding)


def qk_circuit(
    heads: HeadMatrices, head: int, embedding: Float[Tensor, "vocabulary d_model"]
) -> TokenCircuit:
    """E W_Q W_K^T E^T / sqrt(d_head): for each query token, its score for every key token. Relative
    positions are omitted, as if the offset were 0.
    """
    keys = embedding @ heads.key[head]
    return TokenCircuit(embedding @ heads.query[head], keys.mT / keys.shape[-1] ** 0.5)


def copying(
    left: Float[Tensor, "head d_model d_head"],
    tokens: Float[Tensor, "d_model d_model"],
    right: Float[Tensor, "head d_head d_model"],
) -> Float[Tensor, " head"]:
    """sum of the eigenvalues / sum of their absolute values of each circuit E left right W, from -1
    to 1: 1 if every token promotes itself, in the eigenvector basis.

    The eigenvalues of E left right W are those of right W E left, which is small, and zeros. W E is
    `tokens`, a sum over the vocabulary that all heads share. Overflowing matrices give NaN without
    calling LAPACK, which they could crash.
    """
    products = (right @ tokens @ left).double()
    finite = products.isfinite().all(-1).all(-1)
    values = torch.linalg.eigvals(torch.where(finite[:, None, None], products, 0.0))
    shares = values.real.sum(-1) / values.abs().sum(-1)
    return torch.where(finite, shares, torch.nan).float()
