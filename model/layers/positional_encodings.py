"""Positional encodings: a vector [channel] for every position, a function of the position alone or
of (position, length).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from model.errors import InvalidInput
from model.layers.position_parameters import BASE, PERIOD

Encoding = Float[Tensor, "position channel"]
Blocks = Float[Tensor, "pair 2 2"]


def none(length: int, d_model: int, start: int = 0, dtype=torch.float32) -> Encoding:
    """No positions at all: the order of the tokens is not told."""
    return torch.zeros(length, d_model, dtype=dtype)


def integer(length: int, d_model: int, start: int = 0, dtype=torch.float32) -> Encoding:
    """p in every channel: without a bound."""
    return every_channel(counted(length, start), d_model, dtype)


def normalised(length: int, d_model: int, start: int = 0, dtype=torch.float32) -> Encoding:
    """p / (T - 1) in every channel, from 0 to 1 over the T = start + length positions of the text:
    T is part of every vector.
    """
    return every_channel(counted(length, start) / max(start + length - 1, 1), d_model, dtype)


def sigmoid(length: int, d_model: int, start: int = 0, dtype=torch.float32) -> Encoding:
    """1 / (1 + e^-p) in every channel: bounded, but from p = 18 on float32 has no other number for
    it than 1.
    """
    return every_channel(counted(length, start).sigmoid(), d_model, dtype)


def sine(
    length: int, d_model: int, period: float = PERIOD, start: int = 0, dtype=torch.float32
) -> Encoding:
    """sin(2 pi p / period) in every channel: one wave meets every height again."""
    return every_channel(
        (2 * math.pi * (counted(length, start) % period) / period).sin(), d_model, dtype
    )


def sinusoidal(
    length: int, d_model: int, base: float = BASE, start: int = 0, dtype=torch.float32
) -> Encoding:
    """PE(p, 2i) = sin(p / base^(2i/d)), PE(p, 2i+1) = cos(p / base^(2i/d)) (Vaswani et al. 2017,
    section 3.5).

    The wavelengths run from 2 pi to 2 pi base^((d-2)/d); computed in float64, then rounded once.
    """
    angle = torch.outer(counted(length, start), frequencies(d_model, base))
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)[:, :d_model].to(dtype)


def counted(length: int, start: int) -> Float[Tensor, " position"]:
    """start, start + 1 …, in float64: every scheme is computed in it and rounded once."""
    return torch.arange(start, start + length, dtype=torch.float64)


def every_channel(values: Float[Tensor, " position"], d_model: int, dtype) -> Encoding:
    return values.to(dtype)[:, None].repeat(1, d_model)


def frequencies(d_model: int, base: float = BASE) -> Float[Tensor, "pair"]:
    """w_i = base^(-2i/d), in radians a position: one for each pair of channels, sine and cosine."""
    return base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)


def rotation(offset: int, d_model: int, base: float = BASE) -> Blocks:
    """The 2x2 blocks of the orthogonal map M_k with PE(p + k) = M_k PE(p): pair i turns by k w_i,
    whatever p is.
    """
    angle = offset * frequencies(d_model, base)
    rows = [
        torch.stack([angle.cos(), angle.sin()], dim=-1),
        torch.stack([-angle.sin(), angle.cos()], dim=-1),
    ]
    return torch.stack(rows, dim=-2)


def rotate(blocks: Blocks, encoding: Encoding) -> Encoding:
    """M_k applied to every position."""
    sine, cosine = encoding.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack(
        [blocks[:, row, 0] * sine + blocks[:, row, 1] * cosine for row in (0, 1)], dim=-1
    ).flatten(1)


def rotary(
    x: Float[Tensor, "*batch position d_head"], start: int = 0, base: float = BASE
) -> Float[Tensor, "*batch position d_head"]:
    """The pair of channels (2i, 2i + 1) of position p turned by p w_i (Su et al. 2021, equation
    34).

    Turned queries and keys keep their norms and meet by their offset alone: (R_m q) . (R_n k) = q .
    (R_(n-m) k). `start` is the position of the first row. Angles in float64, the result in the type
    of `x`; raises InvalidInput where a channel has no partner.
    """
    length, d_head = x.shape[-2:]
    if d_head % 2:
        raise InvalidInput(
            f"d_head is {d_head}; it has to be even: channels turn in pairs.",
            field="d_head",
            given=d_head,
        )
    angle = torch.outer(counted(length, start), frequencies(d_head, base)).to(x.device)
    cosine, sine = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    even, odd = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], dim=-1).flatten(-2)


@dataclass(frozen=True)
class Scheme:
    """One way to tell positions. `shift` makes the blocks of M_k where one map moves every position
    by the same offset.
    """

    encode: Callable[..., Encoding]
    formula: str
    parameters: tuple[str, ...] = ()
    shift: Callable[..., Blocks] | None = None


SCHEMES = {
    "none": Scheme(none, "0"),
    "integer": Scheme(integer, "p in every channel"),
    "normalised": Scheme(normalised, "p / (length - 1) in every channel"),
    "sigmoid": Scheme(sigmoid, "1 / (1 + e^-p) in every channel"),
    "sine": Scheme(sine, "sin(2 pi p / period) in every channel", ("period",)),
    "sinusoidal": Scheme(
        sinusoidal,
        "sin(p / base^(2i/d)) in channel 2i, cos(p / base^(2i/d)) in channel 2i + 1",
        ("base",),
        rotation,
    ),
}


def longest_wavelength(d_model: int, base: float = BASE) -> float:
    """2 pi base^((d-2)/d), in positions: what the last pair of channels needs to come round
    once.
    """
    return 2 * math.pi * base ** ((d_model - 2) / d_model)


def interpolate(table: Encoding, length: int) -> Float[Tensor, "new channel"]:
    """The table drawn out or pressed together to `length` positions, linearly between neighbours;
    at its own length itself.
    """
    if length < 1:
        raise InvalidInput(
            f"length is {length}; a table has at least 1 position.",
            field="length",
            limit=1,
            given=length,
        )
    return functional.interpolate(table.mT[None], length, mode="linear", align_corners=False)[0].mT


def interpolate_grid(
    table: Encoding, grid: tuple[int, int], new: tuple[int, int]
) -> Float[Tensor, "new channel"]:
    """The same for patches that lie row after row on a grid (rows, columns), bilinearly
    (Dosovitskiy et al. 2021, section 3.2).

    A class token is no patch: take its row off before. Raises InvalidInput where the table does not
    fill the grid.
    """
    rows, columns = grid
    if rows * columns != len(table):
        raise InvalidInput(
            f"A grid of {rows} x {columns} has {rows * columns} patches; the table has {len(table)}"
            " positions.",
            field="grid",
        )
    if min(new) < 1:
        raise InvalidInput(
            f"A grid of {new[0]} x {new[1]} has no patches.", field="grid", limit=1, given=min(new)
        )
    image = table.mT.unflatten(-1, grid)[None]
    return functional.interpolate(image, new, mode="bilinear", align_corners=False)[0].flatten(1).mT
