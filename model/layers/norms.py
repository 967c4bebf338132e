"""Normalisation of a token's vector: three norms, each over the channels of one token."""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.config import Config
from model.layers.placement_names import WITH_FINAL_NORM
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
    """y = gain x / max(|x|, epsilon), with one gain for all channels, initially sqrt(d_model)
    (Nguyen and Salazar 2019).
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
    """Whether a norm follows the last block of a stack."""
    return config.placement in WITH_FINAL_NORM


def make_final_norm(config: Config) -> AnyNorm | NoNorm:
    return make_norm(config) if has_final_norm(config) else NoNorm()
