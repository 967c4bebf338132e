"""Composition: how much a head reads from an earlier head's output, compared with unrelated heads
(Elhage et al. 2021, section "Two-layer attention-only transformers").

The score of a pair is |W R|_F / (|W|_F |R|_F), where W = W_OV of the earlier head and R is W_QK,
W_QK^T, or W_OV of the later one: Q-, K-, and V-composition. If the stream between the heads is
rotated randomly, the mean squared score is exactly 1 / d_model for any two heads. The spread
depends on their singular values, and is sampled.

Heads are low-rank products: W = (d_model, d_head) (d_head, d_model). The scores need only the inner
products of their columns and rows.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from model import progress
from model.interpretability.circuits.qk_ov import HeadMatrices
from model.transformer import Transformer

READS = ("q", "k", "v")
CIRCUIT = (0, 0, 1)
"""The circuit that each composition reads with: W_QK, its transpose, with the same singular values,
or W_OV.
"""
ATTENTIONS = ("attention", "cross_attention")
"""The attention layers of a block, in the order in which they add to the stream."""
ROWS = 32
"""How many rows of all heads' matrices are computed at once."""

Scores = Float[Tensor, "composition reader writer"]
Circuit = tuple[Float[Tensor, "head d_model d_head"], Float[Tensor, "head d_head d_model"]]


@dataclass(frozen=True)
class HeadSite:
    """A head: its stack, layer, attention layer, and index."""

    stack: str
    layer: int
    attention: str
    head: int

    def __str__(self) -> str:
        return f"{self.stack}.{self.layer}.{self.attention}.{self.head}"

    @property
    def order(self) -> tuple[int, int]:
        """Its place in the stack; heads of the same attention layer run in parallel."""
        return self.layer, ATTENTIONS.index(self.attention)

    def stream(self, read: str) -> str:
        """The stack whose stream its queries, keys, or values are computed from. Cross-attention
        computes keys and values from the encoder's output.
        """
        of_encoder = self.attention == "cross_attention" and read != "q"
        return "encoder" if of_encoder else self.stack

    def reads(self, writer: "HeadSite", read: str) -> bool:
        """Whether `writer` adds to the stream that is read before it is read."""
        if self.stream(read) != writer.stack:
            return False
        return self.stack != writer.stack or writer.order < self.order


def head_sites(transformer: Transformer) -> list[HeadSite]:
    """Every head of the model, in the order in which they add to the stream."""
    config = transformer.config
    return [
        HeadSite(stack, layer, attention, head)
        for stack in config.stacks
        for layer in range(config.layers(stack))
        for attention in ATTENTIONS
        if attention in config.sublayers(stack)
        for head in range(config.n_heads)
    ]


def readable(sites: list[HeadSite]) -> Bool[Tensor, "composition reader writer"]:
    """Which head can read which: [composition, reader, writer]."""
    return torch.tensor(
        [[[site.reads(other, read) for other in sites] for site in sites] for read in READS]
    )


def circuits_of(heads: HeadMatrices) -> dict[str, Circuit]:
    """Each circuit as the product of two thin matrices: the input of q, k, and v, and the
    output.
    """
    return {
        "q": (heads.query, heads.key.mT),
        "k": (heads.key, heads.query.mT),
        "v": (heads.value, heads.output),
    }


def compositions(heads: HeadMatrices) -> Scores:
    """The score of every pair of heads, whatever their order: |W R|^2 is the sum of the elementwise
    products of W^T W and R R^T. These are symmetric, so a block of rows is multiplied from its own
    column on.
    """
    parts = circuits_of(heads)
    left, right = parts["v"]
    writes = right.mT @ inner(left), right
    reads = {read: (parts[read][0] @ inner(parts[read][1].mT), parts[read][0].mT) for read in READS}
    n, d_model = heads.query.shape[:2]
    squares = torch.zeros(len(READS), n, n, dtype=left.dtype)
    for start in progress.steps(range(0, d_model, ROWS)):
        rows, twice = slice(start, start + ROWS), slice(ROWS, None)
        wrote = block(writes, rows)
        wrote[..., twice] *= 2
        for i, read in enumerate(READS):
            squares[i] += block(reads[read], rows).flatten(1) @ wrote.flatten(1).T
    lengths = squared_lengths(parts)
    norms = torch.stack([lengths[read] for read in READS])[:, :, None] * lengths["v"]
    return (squares.clamp(min=0) / norms).sqrt()


def inner(thin: Float[Tensor, "head d_model d_head"]) -> Float[Tensor, "head d_head d_head"]:
    """The inner products of each matrix's columns."""
    return thin.mT @ thin


def block(
    thin: tuple[Float[Tensor, "head d_model d_head"], Float[Tensor, "head d_head d_model"]],
    rows: slice,
) -> Float[Tensor, "head row column"]:
    """The `rows` of the products of both thin matrices, from the column of the first row on."""
    left, right = thin
    return left[:, rows] @ right[:, :, rows.start :]


def squared_lengths(parts: dict[str, Circuit]) -> dict[str, Float[Tensor, " head"]]:
    """|L R|^2 of each circuit, the sum of the elementwise products of L^T L and R R^T."""
    return {
        read: (inner(left) * inner(right.mT)).sum((1, 2)) for read, (left, right) in parts.items()
    }


@dataclass(frozen=True)
class Spectra:
    """The squared singular values, as fractions of their sum, of each head's output circuit
    (`writes`) and its input circuits (`reads`), W_QK and W_OV. Those of W_QK^T are the same as of
    W_QK.
    """

    writes: Float[Tensor, "head d_head"]
    reads: Float[Tensor, "circuit head d_head"]
    d_model: int


def spectra_of(heads: HeadMatrices) -> Spectra:
    parts = circuits_of(heads)
    scores, values = spectrum(parts["q"]), spectrum(parts["v"])
    return Spectra(values, torch.stack([scores, values]), heads.query.shape[1])


def rotated_compositions(
    spectra: Spectra, draws: torch.Generator, count: int
) -> Float[Tensor, "draw circuit reader writer"]:
    """The scores of all pairs with the stream between the heads rotated by `count` random
    rotations; CIRCUIT has the circuit of each composition.

    With W = U S V^T and R = U' S' V'^T, |W Q R|^2 = sum s_i^2 s'_j^2 (V^T Q U')_ij^2, and V^T Q U'
    is a d_head x d_head block of a random rotation for any V and U'. All pairs share the same
    blocks. A block is sampled as the upper rows of G R^-1, where G is normal and G^T G = R^T R.
    """
    d_head = spectra.writes.shape[1]
    normal = torch.randn(count, spectra.d_model, d_head, generator=draws, dtype=torch.float64)
    upper = torch.linalg.cholesky(normal.mT @ normal).mT
    block = torch.linalg.solve_triangular(upper, normal[:, :d_head], upper=True, left=False)
    squares = block.square().to(spectra.writes.dtype)
    rotated = torch.einsum("wi,nij->njw", spectra.writes, squares)
    return (spectra.reads @ rotated[:, None]).sqrt_()


def spectrum(circuit: Circuit) -> Float[Tensor, "head d_head"]:
    """The squared singular values as fractions of their sum. Those of L R are the eigenvalues of
    S^T (R R^T) S, where L^T L = S S^T.
    """
    left, right = circuit
    values, vectors = torch.linalg.eigh(inner(left))
    root = vectors * values.clamp(min=0).sqrt()[:, None]
    squares = torch.linalg.eigvalsh(root.mT @ inner(right.mT) @ root).clamp(min=0).flip(-1)
    return squares / squares.sum(-1, keepdim=True)
