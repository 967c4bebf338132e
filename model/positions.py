"""Positional encodings: a vector [channel] for every position, a function of the position alone or of (position, length)."""

import torch
from jaxtyping import Float
from torch import Tensor

Encoding = Float[Tensor, "position channel"]


def sinusoidal(length: int, d_model: int, base: float = 10000.0, start: int = 0, dtype=torch.float32) -> Encoding:
    """PE(p, 2i) = sin(p / base^(2i/d)), PE(p, 2i+1) = cos(p / base^(2i/d)) (Vaswani et al. 2017, section 3.5).

    The wavelengths run from 2 pi to 2 pi base^((d-2)/d); computed in float64, then rounded once.
    """
    position = torch.arange(start, start + length, dtype=torch.float64)
    frequency = base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angle = torch.outer(position, frequency)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)[:, :d_model].to(dtype)


def none(length: int, d_model: int, start: int = 0) -> Encoding:
    """No positions at all: the order of the tokens is not told."""
    return torch.zeros(length, d_model)
