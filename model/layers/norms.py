"""Normalisation of a token's vector, and where it stands: after the addition (Post-LN), before the
sub-layer (Pre-LN) or elsewhere.
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.config import Config
from model.trace import OFF, Trace

Stream = Float[Tensor, "*batch position channel"]


class LayerNorm(nn.Module):
    """y = (x - mean) / scale * gain + bias, scale = sqrt(variance + epsilon), over the channels of
    one token (Ba et al. 2016).
    """

    def __init__(self, d_model: int, epsilon: float):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.epsilon = epsilon

    def forward(self, x: Stream, trace: Trace = OFF) -> Stream:
        mean = trace("mean", x.mean(dim=-1))
        centred = x - mean[..., None]
        scale = trace("scale", (centred.square().mean(dim=-1) + self.epsilon).sqrt())
        return trace("out", centred / scale[..., None] * self.gain + self.bias)


class RMSNorm(nn.Module):
    """y = x / scale * gain, scale = sqrt(mean of squares + epsilon): no mean is taken away (Zhang
    and Sennrich 2019; T5).
    """

    def __init__(self, d_model: int, epsilon: float):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d_model))
        self.epsilon = epsilon

    def forward(self, x: Stream, trace: Trace = OFF) -> Stream:
        scale = trace("scale", (x.square().mean(dim=-1) + self.epsilon).sqrt())
        return trace("out", x / scale[..., None] * self.gain)


class ScaleNorm(nn.Module):
    """y = gain x / |x|, one gain for all channels, at first sqrt(d_model) (Nguyen and Salazar
    2019).
    """

    def __init__(self, d_model: int, epsilon: float):
        super().__init__()
        self.gain = nn.Parameter(torch.tensor(math.sqrt(d_model)))
        self.epsilon = epsilon

    def forward(self, x: Stream, trace: Trace = OFF) -> Stream:
        scale = trace("scale", x.norm(dim=-1).clamp_min(self.epsilon))
        return trace("out", self.gain * x / scale[..., None])


class NoNorm:
    """y = x, called like a norm where a model has none. It records nothing, and it is no module, so
    that the list of a model's parts does not name it.
    """

    def __call__(self, x: Stream, trace: Trace = OFF) -> Stream:
        return x


AnyNorm = LayerNorm | RMSNorm | ScaleNorm
NORMS = {"layer": LayerNorm, "rms": RMSNorm, "scale": ScaleNorm}


def make_norm(config: Config) -> AnyNorm:
    return NORMS[config.norm](config.d_model, config.norm_epsilon)


def has_final_norm(config: Config) -> bool:
    """Whether a stack ends in a norm of its own: in a Pre-LN model the last block leaves a bare
    sum.
    """
    return config.placement == "pre"


def make_final_norm(config: Config) -> AnyNorm | NoNorm:
    return make_norm(config) if has_final_norm(config) else NoNorm()


SubLayer = Callable[[Stream], Stream]
Shortcut = Float[Tensor, "... channel"] | float
"""What the stream is multiplied by on its way past a sub-layer: 1, one number lambda, or Admin's
omega for each channel.
"""
Bottom = Stream | float
"""What the block was given, where the sub-layer is the block's last; 0 elsewhere."""


def post(
    x: Stream, f: SubLayer, norm: SubLayer, shortcut: Shortcut, bottom: Bottom = 0.0
) -> Stream:
    """LN(x + f(x)) (Vaswani et al. 2017, section 3.1); with omega as the shortcut it is Admin (Liu
    et al. 2020, section 4.2).
    """
    return norm(shortcut * x + f(x))


def b2t(x: Stream, f: SubLayer, norm: SubLayer, shortcut: Shortcut, bottom: Bottom = 0.0) -> Stream:
    """LN(x + f(x) + bottom): Post-LN, and a way from the bottom of a block to its top past all
    norms but the last (Takase et al. 2022).
    """
    return norm(shortcut * x + f(x) + bottom)


def pre(x: Stream, f: SubLayer, norm: SubLayer, shortcut: Shortcut, bottom: Bottom = 0.0) -> Stream:
    """x + f(LN(x)) (Xiong et al. 2020, figure 1b)."""
    return shortcut * x + f(norm(x))


def branch(
    x: Stream, f: SubLayer, norm: SubLayer, shortcut: Shortcut, bottom: Bottom = 0.0
) -> Stream:
    """x + LN(f(x)): neither Post-LN nor Pre-LN, though one survey prints it for both."""
    return shortcut * x + norm(f(x))


def none(
    x: Stream, f: SubLayer, norm: SubLayer, shortcut: Shortcut, bottom: Bottom = 0.0
) -> Stream:
    """x + f(x)."""
    return shortcut * x + f(x)


PLACEMENTS = {"post": post, "pre": pre, "admin": post, "b2t": b2t, "branch": branch, "none": none}
