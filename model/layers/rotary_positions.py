"""Rotary positions: queries and keys are turned by their positions (Su et al. 2021)."""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from model.config import Config
from model.errors import InvalidInput
from model.layers.positional_encodings import BASE, counted, frequencies
from model.layers.shared import Device, shared

Vectors = Float[Tensor, "*batch position d_head"]
Start = int | tuple[int, ...]
"""A number of positions for all rows of a batch, or one for each."""


class Slowing(NamedTuple):
    """How a model that was trained on `trained` tokens turns its slow pairs of channels `factor`
    times slower, so that it reads longer texts (Llama 3.1; its authors' code, `apply_scaling`). A
    pair is slow that turns at most `low` times in these tokens, and one that turns `high` times is
    not; between them the speed is interpolated. With `trained` = 0 all pairs are slow (position
    interpolation, Chen et al. 2023).
    """

    factor: float = 1.0
    trained: int = 0
    low: float = 1.0
    high: float = 4.0

    @classmethod
    def from_config(cls, config: Config) -> "Slowing":
        return cls(config.rope_factor, config.rope_trained, config.rope_low, config.rope_high)

    def slowed(self, w: Float[Tensor, "pair"]) -> Float[Tensor, "pair"]:
        """The speeds w, in radians a position, as they are with the factor."""
        turns = self.trained * w / (2 * math.pi)
        kept = ((turns - self.low) / (self.high - self.low)).clamp(0, 1)
        return w * (kept + (1 - kept) / self.factor)


AS_TRAINED = Slowing()


def rotary(
    x: Vectors, start: int = 0, base: float = BASE, slowing: Slowing = AS_TRAINED
) -> Vectors:
    """The pair of channels (2i, 2i + 1) of position p turned by p w_i (Su et al. 2021, equation
    34).

    Turned queries and keys keep their norms and meet by their offset alone: (R_m q) . (R_n k) = q .
    (R_(n-m) k). `start` is the position of the first row. Angles in float64, the result in the type
    of `x`; raises InvalidInput where a channel has no partner.
    """
    return rotated(x, *rotation(x.shape[-2], start, x.shape[-1], base, slowing, x.dtype, x.device))


def turned(x: Vectors, by: Start, base: float = BASE, slowing: Slowing = AS_TRAINED) -> Vectors:
    """`x` with every position turned by the same number of positions, `by`, or with those of each
    row of a batch [row, head, position, d_head] by a number of their own.
    """
    return rotated(x, *rotation(1, by, x.shape[-1], base, slowing, x.dtype, x.device))


@shared
def rotation(
    length: int,
    start: Start,
    d_head: int,
    base: float,
    slowing: Slowing,
    dtype: torch.dtype,
    device: Device,
) -> tuple[Float[Tensor, "*row position pair"], Float[Tensor, "*row position pair"]]:
    """The cosine and the sine of p w_i for the positions p from `start` on, [position, pair], or
    for each row [row, 1, position, pair].
    """
    if d_head % 2:
        said = f"d_head is {d_head}; it has to be even: channels turn in pairs."
        raise InvalidInput(said, field="d_head", given=d_head)
    positions = (
        counted(length, start)
        if isinstance(start, int)
        else torch.stack([counted(length, one) for one in start])[:, None]
    )
    angle = positions[..., None] * slowing.slowed(frequencies(d_head, base))
    return angle.cos().to(device, dtype), angle.sin().to(device, dtype)


def rotated(
    x: Vectors,
    cosine: Float[Tensor, "*row #position pair"],
    sine: Float[Tensor, "*row #position pair"],
) -> Vectors:
    """(a cos - b sin, a sin + b cos) for every pair of channels (a, b)."""
    even, odd = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], dim=-1).flatten(-2)
