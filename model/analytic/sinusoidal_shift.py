"""The linearity of sinusoids (Vaswani et al. 2017, section 3.5): one linear map M_k shifts every
position by k, PE(p + k) = M_k PE(p).
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from model.layers.positional_encodings import BASE, Encoding, frequencies

Blocks = Float[Tensor, "pair 2 2"]


def rotation(offset: int, d_model: int, base: float = BASE) -> Blocks:
    """The 2x2 blocks of the orthogonal map M_k: pair i rotates by k w_i, for any p."""
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


def longest_wavelength(d_model: int, base: float = BASE) -> float:
    """2 pi base^((d-2)/d), in positions: one full turn of the last pair of channels."""
    return 2 * math.pi * base ** ((d_model - 2) / d_model)
