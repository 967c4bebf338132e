"""Normalisation of a token's vector, and where it stands: after the addition (Post-LN) or before the sub-layer (Pre-LN)."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.trace import OFF, Trace

Stream = Float[Tensor, "*batch position channel"]


class LayerNorm(nn.Module):
    """y = (x - mean) / scale * gain + bias, scale = sqrt(variance + epsilon), over the channels of one token (Ba et al. 2016)."""

    def __init__(self, d_model: int, epsilon: float):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.epsilon = epsilon

    def forward(self, x: Stream, trace: Trace = OFF) -> Stream:
        mean = trace("mean", x.mean(dim=-1))
        scale = trace("scale", (x.var(dim=-1, correction=0) + self.epsilon).sqrt())
        return trace("out", (x - mean[..., None]) / scale[..., None] * self.gain + self.bias)


SubLayer = Callable[[Stream], Stream]


def post(x: Stream, f: SubLayer, norm: SubLayer) -> Stream:
    """LN(x + f(x)) (Vaswani et al. 2017, section 3.1)."""
    return norm(x + f(x))


def pre(x: Stream, f: SubLayer, norm: SubLayer) -> Stream:
    """x + f(LN(x)) (Xiong et al. 2020, figure 1b)."""
    return x + f(norm(x))


PLACEMENTS = {"post": post, "pre": pre}
