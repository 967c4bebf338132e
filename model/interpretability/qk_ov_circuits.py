"""Circuits of attention without norms: what a head reads, what it moves, and the paths that a stack
of heads adds up (Elhage et al. 2021).

A head meets the stream in two products of its four matrices: W_QK says where it looks, W_OV what it
writes when it looks there. Rows are vectors, so x W_OV is what is written about x. Biases belong to
no path: they are taken to be zero.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from model.layers.attention import MultiHeadAttention

Circuits = Float[Tensor, "head d_model d_model"]
Stream = Float[Tensor, "*part position d_model"]


def qk(attention: MultiHeadAttention) -> Circuits:
    """W_QK = W_Q W_K^T of each head: the score of a query at x for a key at y is x W_QK y^T, up to
    the scale.
    """
    w_q, w_k = (
        linear.weight.unflatten(1, (attention.n_heads, -1))
        for linear in (attention.query, attention.key)
    )
    return torch.einsum("mhd,nhd->hmn", w_q, w_k)


def ov(attention: MultiHeadAttention) -> Circuits:
    """W_OV = W_V W_O of each head."""
    w_v = attention.value.weight.unflatten(1, (attention.n_heads, -1))
    w_o = attention.output.weight.unflatten(0, (attention.n_heads, -1))
    return torch.einsum("mhd,hdn->hmn", w_v, w_o)


def expand(
    x: Stream, pattern: Float[Tensor, "head position position"], w_ov: Circuits
) -> Float[Tensor, "way *part position d_model"]:
    """The ways past one layer: no head, which leaves x as it is, then A x W_OV through each head.
    Their sum is the layer's output.

    Applied twice, (1 + A_2 W_OV2)(1 + A_1 W_OV1) multiplied out: [way past layer 2, way past layer
    1, position, d_model].
    """
    through = torch.einsum("hqk,...km,hmn->h...qn", pattern, x, w_ov)
    return torch.cat([x.unsqueeze(0), through])


def composition(
    write: Float[Tensor, "*#pair d_model d_model"], read: Float[Tensor, "*#pair d_model d_model"]
) -> Float[Tensor, "*pair"]:
    """|W R| / (|W| |R|) in Frobenius norms, from 0 to 1: how much of what W writes R reads. R is
    W_QK, W_QK^T or W_OV of a later head.
    """
    return frobenius(write @ read) / (frobenius(write) * frobenius(read))


def frobenius(matrix: Float[Tensor, "*pair d_model d_model"]) -> Float[Tensor, "*pair"]:
    return matrix.norm(dim=(-2, -1))
