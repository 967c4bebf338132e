"""Positional encodings: a vector [channel] for every position, a function of the position alone or of (position, length)."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

Encoding = Float[Tensor, "position channel"]
Blocks = Float[Tensor, "pair 2 2"]

BASE = 10000.0


def sinusoidal(length: int, d_model: int, base: float = BASE, start: int = 0, dtype=torch.float32) -> Encoding:
    """PE(p, 2i) = sin(p / base^(2i/d)), PE(p, 2i+1) = cos(p / base^(2i/d)) (Vaswani et al. 2017, section 3.5).

    The wavelengths run from 2 pi to 2 pi base^((d-2)/d); computed in float64, then rounded once.
    """
    position = torch.arange(start, start + length, dtype=torch.float64)
    angle = torch.outer(position, frequencies(d_model, base))
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)[:, :d_model].to(dtype)


def frequencies(d_model: int, base: float = BASE) -> Float[Tensor, "pair"]:
    """w_i = base^(-2i/d), in radians a position: one for each pair of channels, sine and cosine."""
    return base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)


def rotation(offset: int, d_model: int, base: float = BASE) -> Blocks:
    """The 2x2 blocks of the orthogonal map M_k with PE(p + k) = M_k PE(p): pair i turns by k w_i, whatever p is."""
    angle = offset * frequencies(d_model, base)
    rows = [torch.stack([angle.cos(), angle.sin()], dim=-1), torch.stack([-angle.sin(), angle.cos()], dim=-1)]
    return torch.stack(rows, dim=-2)


def rotate(blocks: Blocks, encoding: Encoding) -> Encoding:
    """M_k applied to every position."""
    sine, cosine = encoding.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack([blocks[:, row, 0] * sine + blocks[:, row, 1] * cosine for row in (0, 1)], dim=-1).flatten(1)


def none(length: int, d_model: int, start: int = 0, dtype=torch.float32) -> Encoding:
    """No positions at all: the order of the tokens is not told."""
    return torch.zeros(length, d_model, dtype=dtype)


@dataclass(frozen=True)
class Scheme:
    """One way to tell positions. `shift` makes the blocks of M_k where one map moves every position by the same offset."""

    encode: Callable[..., Encoding]
    formula: str
    parameters: tuple[str, ...] = ()
    shift: Callable[..., Blocks] | None = None


SCHEMES = {
    "sinusoidal": Scheme(sinusoidal, "sin(p / base^(2i/d)) in channel 2i, cos(p / base^(2i/d)) in channel 2i + 1", ("base",), rotation),
    "none": Scheme(none, "0"),
}


def longest_wavelength(d_model: int, base: float = BASE) -> float:
    """2 pi base^((d-2)/d), in positions: what the last pair of channels needs to come round once."""
    return 2 * math.pi * base ** ((d_model - 2) / d_model)
