"""Rotary positions: queries and keys are turned by their positions (Su et al. 2021)."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from model.config import RotarySizes
from model.errors import InvalidInput
from model.layers.positional_encodings import counted, frequencies
from model.layers.shared import Device, shared

Vectors = Float[Tensor, "*batch position d_head"]
Start = int | tuple[int, ...]
"""A number of positions for all rows of a batch, or one for each."""
UNSLOWED = RotarySizes()


def speeds(d_head: int, sizes: RotarySizes) -> Float[Tensor, "pair"]:
    """The speed w of each pair of channels in radians a position, slowed where `sizes` say so; its
    authors' code calls it `apply_scaling`.
    """
    w = frequencies(d_head, sizes.base)
    turns = sizes.trained * w / (2 * math.pi)
    unslowed = ((turns - sizes.low) / (sizes.high - sizes.low)).clamp(0, 1)
    return w * (unslowed + (1 - unslowed) / sizes.factor)


def rotary(x: Vectors, start: int = 0, sizes: RotarySizes = UNSLOWED) -> Vectors:
    """The pair of channels (2i, 2i + 1) of position p turned by p w_i (Su et al. 2021, equation
    34).

    Turned queries and keys keep their norms and meet by their offset alone: (R_m q) . (R_n k) = q .
    (R_(n-m) k). `start` is the position of the first row. Angles in float64, the result in the type
    of `x`; raises InvalidInput where a channel has no partner.
    """
    return rotated(x, *rotation(x.shape[-2], start, x.shape[-1], sizes, x.dtype, x.device))


def shifted(x: Vectors, by: Start, sizes: RotarySizes = UNSLOWED) -> Vectors:
    """`x` with every position turned by the same number of positions, `by`, or with those of each
    row of a batch [row, head, position, d_head] by a number of their own.
    """
    return rotated(x, *rotation(1, by, x.shape[-1], sizes, x.dtype, x.device))


@shared
def rotation(
    length: int,
    start: Start,
    d_head: int,
    sizes: RotarySizes,
    dtype: torch.dtype,
    device: Device,
) -> tuple[Float[Tensor, "*row position pair"], Float[Tensor, "*row position pair"]]:
    """The cosine and the sine of p w_i for the positions p from `start` on, [position, pair], or
    for each row [row, 1, position, pair].
    """
    if d_head % 2:
        raise InvalidInput("d-head-not-even", field="d_head", given=d_head)
    positions = (
        counted(length, start)
        if isinstance(start, int)
        else torch.stack([counted(length, first) for first in start])[:, None]
    )
    angle = positions[..., None] * speeds(d_head, sizes)
    return angle.cos().to(device, dtype), angle.sin().to(device, dtype)


def rotated(
    x: Vectors,
    cosine: Float[Tensor, "*row #position pair"],
    sine: Float[Tensor, "*row #position pair"],
) -> Vectors:
    """(a cos - b sin, a sin + b cos) for every pair of channels (a, b)."""
    even, odd = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], dim=-1).flatten(-2)
