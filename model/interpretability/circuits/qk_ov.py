"""Attention circuits without norms: W_QK and W_OV of each head, and the paths that sum to a stack's
output (Elhage et al. 2021).

A head reads from and writes to the stream through two products of its four matrices: W_QK
determines the scores, and W_OV the output for each key. Vectors are rows, so x W_OV is a head's
output for the key x. Biases belong to no path and are assumed to be zero.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model.layers.attention import MultiHeadAttention

Circuits = Float[Tensor, "head d_model d_model"]
Stream = Float[Tensor, "*part position d_model"]


@dataclass(frozen=True)
class HeadMatrices:
    """The four matrices of each head. In grouped-query attention, heads share keys and values."""

    query: Float[Tensor, "head d_model d_head"]
    key: Float[Tensor, "head d_model d_head"]
    value: Float[Tensor, "head d_model d_head"]
    output: Float[Tensor, "head d_head d_model"]


def matrices(attention: MultiHeadAttention) -> HeadMatrices:
    """W_Q, W_K, W_V, and W_O of each head, sliced from the attention layer's weights."""
    q, k, v = (
        linear.weight.unflatten(1, (-1, attention.d_head)).movedim(1, 0)
        for linear in (attention.query, attention.key, attention.value)
    )
    k, v = (shared.repeat_interleave(attention.group_size, dim=0) for shared in (k, v))
    return HeadMatrices(q, k, v, attention.output.weight.unflatten(0, (-1, attention.d_head)))


def qk(attention: MultiHeadAttention) -> Circuits:
    """W_QK = W_Q W_K^T of each head: the score of a query at x for a key at y is x W_QK y^T, up to
    the scale.
    """
    head = matrices(attention)
    return head.query @ head.key.mT


def ov(attention: MultiHeadAttention) -> Circuits:
    """W_OV = W_V W_O of each head."""
    head = matrices(attention)
    return head.value @ head.output


def expand(
    x: Stream, pattern: Float[Tensor, "head position position"], w_ov: Circuits
) -> Float[Tensor, "way *part position d_model"]:
    """The paths through one layer: the residual path, which leaves x unchanged, and A x W_OV
    through each head. They sum to the layer's output.

    Applied twice, the function expands (1 + A_2 W_OV2)(1 + A_1 W_OV1): [path through layer 2, path
    through layer 1, position, d_model].
    """
    through = torch.einsum("hqk,...km,hmn->h...qn", pattern, x, w_ov)
    return torch.cat([x.unsqueeze(0), through])


def composition(
    write: Float[Tensor, "*#pair d_model d_model"], read: Float[Tensor, "*#pair d_model d_model"]
) -> Float[Tensor, "*pair"]:
    """|W R| / (|W| |R|) in Frobenius norms, from 0 to 1: the composition of W = W_OV of a head with
    R = W_QK, W_QK^T, or W_OV of a later head.
    """
    return frobenius(write @ read) / (frobenius(write) * frobenius(read))


def frobenius(matrix: Float[Tensor, "*pair d_model d_model"]) -> Float[Tensor, "*pair"]:
    return matrix.norm(dim=(-2, -1))
