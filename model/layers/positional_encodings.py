"""Positional encodings: a vector [channel] for every position, as a function of the position alone
or of (position, length).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from model.activations.derivation import Cell, Rule, Step, copy, number, rule, typeset
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
    """`sinusoidal` with the channels reordered: first all sines, then all cosines, as in
    Tensor2Tensor (the first Transformer's code) and in Marian.
    """
    angle = torch.outer(counted(length, start), frequencies(d_model, base))
    return torch.cat([angle.sin(), angle.cos()], dim=-1)[:, :d_model].to(dtype)


def frequencies(d_model: int, base: float = BASE) -> Float[Tensor, "pair"]:
    """w_i = base^(-2i/d), in radians per position: one for each pair of channels."""
    return base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)


def counted(length: int, start: int) -> Float[Tensor, " position"]:
    """start, start + 1 …, in float64: every scheme is computed in float64 and rounded once."""
    return torch.arange(start, start + length, dtype=torch.float64)


def none(length: int, d_model: int, start: int = 0, dtype=torch.float32) -> Encoding:
    """No position encoding: the model gets no information about the order of the tokens."""
    return torch.zeros(length, d_model, dtype=dtype)


def integer(length: int, d_model: int, start: int = 0, dtype=torch.float32) -> Encoding:
    """p in every channel; unbounded."""
    return every_channel(counted(length, start), d_model, dtype)


def normalised(length: int, d_model: int, start: int = 0, dtype=torch.float32) -> Encoding:
    """p / (T - 1) in every channel, from 0 to 1 over the T = start + length positions of the
    sequence. The vector of a position therefore changes with T.
    """
    return every_channel(counted(length, start) / max(start + length - 1, 1), d_model, dtype)


def sigmoid(length: int, d_model: int, start: int = 0, dtype=torch.float32) -> Encoding:
    """1 / (1 + e^-p) in every channel: bounded, but float32 rounds it to 1 for every p >= 18, so
    all these positions have the same vector.
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
    """A position encoding: the function, its formula, and the names of its parameters."""

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


@typeset("{value}")
@rule
def zero(cell: Cell) -> list[Step]:
    """0."""
    return [Step("value", "0", number(0.0))]


@rule
def integer_steps(cell: Cell) -> list[Step]:
    """p."""
    return [Step("value", "p", number(float(cell.at["position"])))]


@rule
def normalised_steps(cell: Cell) -> list[Step]:
    """p / (T - 1)."""
    last = number(float(max(cell.length - 1, 1)))
    return [Step("last", "T - 1", last), Step("value", "p / last", cell.at["position"] / last)]


@rule
def sigmoid_steps(cell: Cell) -> list[Step]:
    """1 / (1 + e^-p)."""
    return [Step("value", "1 / (1 + e^-p)", number(float(cell.at["position"])).sigmoid())]


@rule
def sine_steps(cell: Cell) -> list[Step]:
    """sin(2 pi p / period)."""
    angle = number(2 * math.pi * cell.at["position"] / PERIOD)
    return [Step("angle", f"2 pi p / {PERIOD:g}", angle), Step("value", "sin(angle)", angle.sin())]


@rule
def sinusoid(cell: Cell) -> list[Step]:
    """sin(p / base^(2i/d_model)) in channel 2i, and the cosine of the same angle in channel
    2i + 1.
    """
    pair = cell.at["channel"] // 2
    angle = number(cell.at["position"] / BASE ** (2 * pair / cell.config.d_model))
    wave = ("sin", angle.sin()) if cell.at["channel"] % 2 == 0 else ("cos", angle.cos())
    return [
        Step("angle", f"p / {BASE:g}^({2 * pair}/d_model)", angle),
        Step("value", f"{wave[0]}(angle)", wave[1]),
    ]


@rule
def sinusoid_of_half(cell: Cell) -> list[Step]:
    """The sinusoids with all sines first: with n pairs, the sine of pair i is in channel i and its
    cosine in channel i + n.
    """
    channel, pairs = cell.at["channel"], (cell.config.d_model + 1) // 2
    cosine, pair = divmod(channel, pairs)
    angle = number(cell.at["position"] / BASE ** (2 * pair / cell.config.d_model))
    wave = ("cos", angle.cos()) if cosine else ("sin", angle.sin())
    return [
        Step("angle", f"p / {BASE:g}^({2 * pair}/d_model)", angle),
        Step("value", f"{wave[0]}(angle)", wave[1]),
    ]


@dataclass(frozen=True)
class PositionalEncoding:
    """What an embedding adds to a token. `vectors` returns it from (embedding, length, start) as
    [position, channel], in float64 if nothing is learned. Also its formula, a description, its
    rule, and the operands of one entry, in which {} stands for the name of the embedding.
    """

    vectors: Callable[[Any, int, int], Encoding]
    formula: str
    sentence: str
    rule: Rule
    operands: tuple[str, ...] = ()


def fixed(encode: Callable[..., Encoding]) -> Callable[[Any, int, int], Encoding]:
    """The vectors of an encoding without learned parameters, in the form an embedding expects."""
    return lambda embedding, length, start: encode(
        length, embedding.d_model, start=start, dtype=torch.float64
    )


POSITIONS = {
    "none": PositionalEncoding(fixed(none), "0", "No position is told.", zero),
    "integer": PositionalEncoding(
        fixed(integer), "p", "The position itself, in every channel.", integer_steps
    ),
    "normalised": PositionalEncoding(
        fixed(normalised),
        "p / (T - 1)",
        "How much of the text lies before, in every channel.",
        normalised_steps,
    ),
    "sigmoid": PositionalEncoding(
        fixed(sigmoid),
        "1 / (1 + e^-p)",
        "The position pressed below 1, in every channel.",
        sigmoid_steps,
    ),
    "sine": PositionalEncoding(
        fixed(sine), "sin(2 pi p / period)", "One wave, in every channel.", sine_steps
    ),
    "sinusoidal": PositionalEncoding(
        fixed(sinusoidal),
        "sin or cos(p / 10000^(2i/d_model))",
        "The position's vector.",
        sinusoid,
    ),
    "sinusoidal_halves": PositionalEncoding(
        fixed(sinusoidal_halves),
        "sin, then cos(p / 10000^(2i/d_model))",
        "The position's vector.",
        sinusoid_of_half,
    ),
    "learned": PositionalEncoding(
        lambda embedding, length, start: embedding.learned[start : start + length],
        "W_P[p]",
        "The position's learned vector.",
        copy,
        ("{}.learned[position channel]",),
    ),
}
