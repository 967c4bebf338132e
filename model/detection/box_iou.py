"""Intersection over union: how much two boxes overlap. A box is centre x, centre y, width and
height.
"""

import torch
from jaxtyping import Float
from torch import Tensor

Box = Float[Tensor, "*#batch 4"]


def corners(box: Box) -> tuple[Tensor, Tensor]:
    """The upper left and the lower right corner of each box, [*batch, x y]."""
    return box[..., :2] - box[..., 2:] / 2, box[..., :2] + box[..., 2:] / 2


def areas(a: Box, b: Box) -> tuple[Tensor, Tensor, Tensor]:
    """The areas of the intersection, of the union and of the smallest box around both boxes."""
    (a_low, a_high), (b_low, b_high) = corners(a), corners(b)
    both = (torch.minimum(a_high, b_high) - torch.maximum(a_low, b_low)).clamp(min=0).prod(-1)
    around = (torch.maximum(a_high, b_high) - torch.minimum(a_low, b_low)).prod(-1)
    return both, a[..., 2:].prod(-1) + b[..., 2:].prod(-1) - both, around


def iou(a: Box, b: Box) -> Float[Tensor, "*batch"]:
    """Intersection over union: 1 for equal boxes, 0 for boxes that do not overlap."""
    both, either, _ = areas(a, b)
    return both / either


def giou(a: Box, b: Box) -> Float[Tensor, "*batch"]:
    """Generalised IoU: the IoU minus the share of the smallest box around both that neither covers.
    It falls towards -1 with the distance of the boxes (Rezatofighi et al. 2019).
    """
    both, either, around = areas(a, b)
    return both / either - (around - either) / around
