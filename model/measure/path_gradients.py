"""Gradients along a path: the Jacobians of an RNN through time, of an LSTM's cell through its
gates, and of attention, and their size.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from model.layers import masks
from model.layers.attention import MultiHeadAttention
from model.recurrent.cells import LSTMCell


@torch.no_grad()
def through_time(
    w: Float[Tensor, "*batch d d"], x: Float[Tensor, "time *batch d"], directions: int | None = None
) -> Float[Tensor, "distance *batch"]:
    """The size of dh_t / dh_0 = diag(1 - h_t^2) W ... diag(1 - h_1^2) W at each distance t, for the
    recurrence h_t = tanh(W h_{t-1} + x_t) with h_0 = 0. If `directions` is given, only for the
    first so many channels of h_0.
    """
    h, sizes = torch.zeros_like(x[0]), []
    jacobian = torch.eye(w.shape[-1], dtype=w.dtype)[:, :directions]
    for new in x:
        h = ((w @ h[..., None])[..., 0] + new).tanh()
        jacobian = (1 - h.square())[..., None] * (w @ jacobian)
        sizes.append(size(jacobian))
    return torch.stack(sizes)


@torch.no_grad()
def through_gates(cell: LSTMCell, x: Float[Tensor, "time d"]) -> Float[Tensor, " distance"]:
    """The size of dc_t / dc_0 at each distance t for an LSTM that starts with h = c = 0: along the
    cell itself and through h.
    """
    d = x.shape[-1]
    h, c = cell.initial()
    dh, dc = torch.zeros(d, d, dtype=x.dtype), torch.eye(d, dtype=x.dtype)  # a row per channel
    sizes = []
    for new in x:
        i, f, g, o = (cell.input(new) + cell.recurrent(h)).chunk(4, dim=-1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        di, df, dg, do = cell.recurrent(dh).chunk(4, dim=-1)
        dc = f * dc + c * f * (1 - f) * df + g * i * (1 - i) * di + i * (1 - g.square()) * dg
        c = f * c + i * g
        dh = o * (1 - c.tanh().square()) * dc + c.tanh() * o * (1 - o) * do
        h = o * c.tanh()
        sizes.append(size(dc))
    return torch.stack(sizes)


def by_position(
    attention: MultiHeadAttention, x: Float[Tensor, "sequence position d"]
) -> Float[Tensor, "sequence distance d d"]:
    """dy_last / dx_{last - distance} for one self-attention layer without a mask, from distance 0
    on.
    """
    mask = masks.full(x.shape[1])[-1:]
    jacobian = torch.func.jacrev(lambda x: attention.attend(x[:, -1:], x, mask).sum((0, 1)))(
        x
    )  # [d, sequence, position, d]: sequences are independent
    return jacobian.permute(1, 2, 0, 3).flip(1)


def size(jacobian: Float[Tensor, "*batch out d"]) -> Float[Tensor, "*batch"]:
    """|J| = ||J||_F / sqrt(d): the root mean square growth of a small change in a random direction.
    It is at most the largest singular value.
    """
    return torch.linalg.matrix_norm(jacobian) / math.sqrt(jacobian.shape[-1])
