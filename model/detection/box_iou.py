"""Boxes: how much two of them overlap. A box is centre x, centre y, width, height."""

import torch
from jaxtyping import Float
from torch import Tensor

Box = Float[Tensor, "*#batch 4"]


def corners(box: Box) -> tuple[Tensor, Tensor]:
    """The upper left and the lower right corner, each x and y."""
    return box[..., :2] - box[..., 2:] / 2, box[..., :2] + box[..., 2:] / 2


def areas(a: Box, b: Box) -> tuple[Tensor, Tensor, Tensor]:
    """Of what both cover, of what either covers, and of the smallest box around both."""
    (a_low, a_high), (b_low, b_high) = corners(a), corners(b)
    both = (torch.minimum(a_high, b_high) - torch.maximum(a_low, b_low)).clamp(min=0).prod(-1)
    around = (torch.maximum(a_high, b_high) - torch.minimum(a_low, b_low)).prod(-1)
    return both, a[..., 2:].prod(-1) + b[..., 2:].prod(-1) - both, around


def iou(a: Box, b: Box) -> Float[Tensor, "*batch"]:
    """Intersection over union: 1 for the same box, 0 for boxes that share nothing."""
    both, either, _ = areas(a, b)
    return both / either


def giou(a: Box, b: Box) -> Float[Tensor, "*batch"]:
    """IoU less the share of the box around both that neither covers: it falls towards -1 as they
    part (Rezatofighi et al. 2019).
    """
    both, either, around = areas(a, b)
    return both / either - (around - either) / around
