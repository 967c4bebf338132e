"""Rotary positions: queries and keys are turned by their positions (Su et al. 2021)."""

import torch
from jaxtyping import Float
from torch import Tensor

from model.errors import InvalidInput
from model.layers.positional_encodings import BASE, counted, frequencies


def rotary(
    x: Float[Tensor, "*batch position d_head"], start: int = 0, base: float = BASE
) -> Float[Tensor, "*batch position d_head"]:
    """The pair of channels (2i, 2i + 1) of position p turned by p w_i (Su et al. 2021, equation
    34).

    Turned queries and keys keep their norms and meet by their offset alone: (R_m q) . (R_n k) = q .
    (R_(n-m) k). `start` is the position of the first row. Angles in float64, the result in the type
    of `x`; raises InvalidInput where a channel has no partner.
    """
    return turned(x, counted(x.shape[-2], start), base)


def turned(
    x: Float[Tensor, "*batch position d_head"],
    by: Float[Tensor, " #position"],
    base: float = BASE,
) -> Float[Tensor, "*batch position d_head"]:
    """`x` with each position turned by as many positions as `by` says; one number is for all."""
    d_head = x.shape[-1]
    if d_head % 2:
        said = f"d_head is {d_head}; it has to be even: channels turn in pairs."
        raise InvalidInput(said, field="d_head", given=d_head)
    angle = torch.outer(by, frequencies(d_head, base)).to(x.device)
    cosine, sine = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    even, odd = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], dim=-1).flatten(-2)
