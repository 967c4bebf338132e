"""Rotary positions: queries and keys are rotated by their positions (Su et al. 2021)."""

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
"""A number of positions for all rows of a batch, or one for each row."""
UNSLOWED = RotarySizes()


def speeds(d_head: int, sizes: RotarySizes) -> Float[Tensor, "pair"]:
    """The frequency w of each pair of channels, in radians per position, reduced if `sizes` says so
    (`apply_scaling` in the authors' code).
    """
    w = frequencies(d_head, sizes.base)
    turns = sizes.trained * w / (2 * math.pi)
    unslowed = ((turns - sizes.low) / (sizes.high - sizes.low)).clamp(0, 1)
    return w * (unslowed + (1 - unslowed) / sizes.factor)


def rotary(x: Vectors, start: int = 0, sizes: RotarySizes = UNSLOWED) -> Vectors:
    """The pair of channels (2i, 2i + 1) at position p, rotated by p w_i (Su et al. 2021, equation
    34).

    Rotation keeps the norms of queries and keys, and their product depends only on the offset: (R_m
    q) . (R_n k) = q . (R_(n-m) k). `start` is the position of the first row. Angles are computed in
    float64 and the result has the dtype of `x`. Raises InvalidInput for an odd number of channels.
    """
    return rotated(x, *rotation(x.shape[-2], start, x.shape[-1], sizes, x.dtype, x.device))


def shifted(x: Vectors, by: Start, sizes: RotarySizes = UNSLOWED) -> Vectors:
    """`x` with all positions shifted by `by`, which may differ by row of a batch [row, head,
    position, d_head].
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
    """The cosine and sine of p w_i for the positions p from `start` on, [position, pair], or for
    each row [row, 1, position, pair].
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
