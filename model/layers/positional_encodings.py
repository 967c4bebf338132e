"""Positional encodings: a vector [channel] for every position, a function of the position alone or
of (position, length).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model.layers.position_parameters import BASE, PERIOD

Encoding = Float[Tensor, "position channel"]


def sinusoidal(
    length: int, d_model: int, base: float = BASE, start: int = 0, dtype=torch.float32
) -> Encoding:
    """PE(p, 2i) = sin(p / base^(2i/d)), PE(p, 2i+1) = cos(p / base^(2i/d)) (Vaswani et al. 2017,
    section 3.5), where d is d_model. The wavelengths run from 2 pi to 2 pi base^((d-2)/d)
    positions.
    """
    angle = torch.outer(counted(length, start), frequencies(d_model, base))
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)[:, :d_model].to(dtype)


def sinusoidal_halves(
    length: int, d_model: int, base: float = BASE, start: int = 0, dtype=torch.float32
) -> Encoding:
    """The numbers of `sinusoidal` in another order: first all sines, then all cosines, as in the
    code of the first Transformer (Tensor2Tensor) and in Marian.
    """
    angle = torch.outer(counted(length, start), frequencies(d_model, base))
    return torch.cat([angle.sin(), angle.cos()], dim=-1)[:, :d_model].to(dtype)


def frequencies(d_model: int, base: float = BASE) -> Float[Tensor, "pair"]:
    """w_i = base^(-2i/d), in radians a position: one for each pair of channels, sine and cosine."""
    return base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)


def counted(length: int, start: int) -> Float[Tensor, " position"]:
    """start, start + 1 …, in float64: every scheme is computed in it and rounded once."""
    return torch.arange(start, start + length, dtype=torch.float64)


def none(length: int, d_model: int, start: int = 0, dtype=torch.float32) -> Encoding:
    """No positions at all: the order of the tokens is not told."""
    return torch.zeros(length, d_model, dtype=dtype)


def integer(length: int, d_model: int, start: int = 0, dtype=torch.float32) -> Encoding:
    """p in every channel: without a bound."""
    return every_channel(counted(length, start), d_model, dtype)


def normalised(length: int, d_model: int, start: int = 0, dtype=torch.float32) -> Encoding:
    """p / (T - 1) in every channel, from 0 to 1 over the T = start + length positions of the text.
    The vector of a position therefore changes with T.
    """
    return every_channel(counted(length, start) / max(start + length - 1, 1), d_model, dtype)


def sigmoid(length: int, d_model: int, start: int = 0, dtype=torch.float32) -> Encoding:
    """1 / (1 + e^-p) in every channel: bounded, but float32 rounds it to 1 for every p >= 18, so
    that these positions have the same vector.
    """
    return every_channel(counted(length, start).sigmoid(), d_model, dtype)


def sine(
    length: int, d_model: int, period: float = PERIOD, start: int = 0, dtype=torch.float32
) -> Encoding:
    """sin(2 pi p / period) in every channel: positions p and p + period have the same vector."""
    angle = 2 * math.pi * (counted(length, start) % period) / period
    return every_channel(angle.sin(), d_model, dtype)


def every_channel(values: Float[Tensor, " position"], d_model: int, dtype) -> Encoding:
    return values.to(dtype)[:, None].repeat(1, d_model)


@dataclass(frozen=True)
class Scheme:
    """One way to tell positions: the function, its formula, and the names of its parameters."""

    encode: Callable[..., Encoding]
    formula: str
    parameters: tuple[str, ...] = ()


SINUSOIDS = "sin(p / base^(2i/d)) in channel 2i, cos(p / base^(2i/d)) in channel 2i + 1"
SCHEMES = {
    "none": Scheme(none, "0"),
    "integer": Scheme(integer, "p in every channel"),
    "normalised": Scheme(normalised, "p / (length - 1) in every channel"),
    "sigmoid": Scheme(sigmoid, "1 / (1 + e^-p) in every channel"),
    "sine": Scheme(sine, "sin(2 pi p / period) in every channel", ("period",)),
    "sinusoidal": Scheme(sinusoidal, SINUSOIDS, ("base",)),
}
