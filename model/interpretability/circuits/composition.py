"""Composition: how much a head reads of what an earlier head writes, beside what it would read if
the two did not know of each other (Elhage et al. 2021, section "Two-layer attention-only
transformers").

The score of a pair is |W R|_F / (|W|_F |R|_F), where W = W_OV of the earlier head and R is W_QK,
W_QK^T or W_OV of the later one: Q-, K- and V-composition. If the stream between both heads is
turned by a random rotation, the mean of the squared score is exactly 1 / d_model, whatever the two
heads are. The spread around it depends on their singular values, and is drawn.

Products of heads are thin: W = (d_model, d_head) (d_head, d_model). The score needs the inner
products alone, so that no matrix of the size of the stream is multiplied.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from model.interpretability.circuits.qk_ov import HeadMatrices
from model.transformer import Transformer

READS = ("q", "k", "v")
ATTENTIONS = ("attention", "cross_attention")
"""The attentions of a block, in the order in which they write to the stream."""

Scores = Float[Tensor, "composition reader writer"]
Circuit = tuple[Float[Tensor, "head d_model d_head"], Float[Tensor, "head d_head d_model"]]


@dataclass(frozen=True)
class HeadSite:
    """A head: its stack, its layer, its attention and its number there."""

    stack: str
    layer: int
    attention: str
    head: int

    def __str__(self) -> str:
        return f"{self.stack}.{self.layer}.{self.attention}.{self.head}"

    @property
    def order(self) -> tuple[int, int]:
        """Its place in the stack: heads of one attention write at once."""
        return self.layer, ATTENTIONS.index(self.attention)

    def stream(self, read: str) -> str:
        """The stack whose stream its queries, keys or values are read from. Those of
        cross-attention read keys and values from the output of the encoder.
        """
        of_encoder = self.attention == "cross_attention" and read != "q"
        return "encoder" if of_encoder else self.stack

    def reads(self, writer: "HeadSite", read: str) -> bool:
        """Whether `writer` has written to the stream that is read, before it is read."""
        if self.stream(read) != writer.stack:
            return False
        return self.stack != writer.stack or writer.order < self.order


def head_sites(transformer: Transformer) -> list[HeadSite]:
    """Every head of the model, in the order in which they write."""
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
        [[[one.reads(other, read) for other in sites] for one in sites] for read in READS]
    )


def circuits_of(heads: HeadMatrices) -> dict[str, Circuit]:
    """Each circuit as the product of two thin matrices: what reads q, k and v, and what writes."""
    return {
        "q": (heads.query, heads.key.mT),
        "k": (heads.key, heads.query.mT),
        "v": (heads.value, heads.output),
    }


def written_side(circuit: Circuit) -> Float[Tensor, "head d_head d_model"]:
    """A small matrix B with |W X| = |B X| for every X, where W = left right."""
    left, right = circuit
    return torch.linalg.qr(left).R @ right


def read_side(circuit: Circuit) -> Float[Tensor, "head d_model d_head"]:
    """A small matrix C with |X R| = |X C| for every X, where R = left right."""
    left, right = circuit
    return left @ torch.linalg.qr(right.mT).R.mT


def compositions(heads: HeadMatrices) -> Scores:
    """The score of every pair of heads, whether or not the one stands before the other."""
    parts = circuits_of(heads)
    writes = unit(written_side(parts["v"]))
    reads = torch.stack([unit(read_side(parts[read])) for read in READS])
    return torch.einsum("wid,crdj->crwij", writes, reads).norm(dim=(-2, -1))


def turned_compositions(
    heads: HeadMatrices, draws: torch.Generator, count: int
) -> Float[Tensor, "draw composition reader writer"]:
    """The scores of the same pairs, with the stream between both heads turned by `count` random
    rotations.

    With W = U S V^T and R = U' S' V'^T, |W Q R|^2 = sum s_i^2 s'_j^2 (V^T Q U')_ij^2, and V^T Q U'
    is a d_head x d_head block of a random rotation, whatever V and U' are. The same blocks serve
    all pairs. A block is drawn as the upper rows of G R^-1, where G is normal and G^T G = R^T R.
    """
    parts = circuits_of(heads)
    writes = spectrum(written_side(parts["v"]))
    reads = torch.stack([spectrum(read_side(parts[read])) for read in READS])
    d_model, d_head = heads.query.shape[1:]
    normal = torch.randn(count, d_model, d_head, generator=draws, dtype=torch.float64)
    upper = torch.linalg.cholesky(normal.mT @ normal).mT
    block = torch.linalg.solve_triangular(upper, normal[:, :d_head], upper=True, left=False)
    squares = block.square().to(writes.dtype)
    turned = torch.einsum("wi,nij->nwj", writes, squares)
    return torch.einsum("nwj,crj->ncrw", turned, reads).sqrt()


def unit(matrix: Float[Tensor, "*batch row column"]) -> Float[Tensor, "*batch row column"]:
    """The matrix divided by its Frobenius norm."""
    return matrix / matrix.norm(dim=(-2, -1), keepdim=True)


def spectrum(matrix: Float[Tensor, "head row column"]) -> Float[Tensor, "head d_head"]:
    """The squares of the singular values, as shares of their sum."""
    squares = torch.linalg.svdvals(matrix).square()
    return squares / squares.sum(-1, keepdim=True)
