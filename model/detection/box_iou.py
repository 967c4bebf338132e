"""Intersection over union of two boxes. A box is center x, center y, width, and height."""

import torch
from jaxtyping import Float
from torch import Tensor

Box = Float[Tensor, "*#batch 4"]


def corners(box: Box) -> tuple[Tensor, Tensor]:
    """The upper left and the lower right corner of each box, [*batch, x y]."""
    return box[..., :2] - box[..., 2:] / 2, box[..., :2] + box[..., 2:] / 2


def areas(a: Box, b: Box) -> tuple[Tensor, Tensor, Tensor]:
    """The areas of the intersection, the union, and the smallest box around both."""
    (a_low, a_high), (b_low, b_high) = corners(a), corners(b)
    both = (torch.minimum(a_high, b_high) - torch.maximum(a_low, b_low)).clamp(min=0).prod(-1)
    around = (torch.maximum(a_high, b_high) - torch.minimum(a_low, b_low)).prod(-1)
    return both, a[..., 2:].prod(-1) + b[..., 2:].prod(-1) - both, around


def iou(a: Box, b: Box) -> Float[Tensor, "*batch"]:
    """Intersection over union: 1 for equal boxes, 0 for disjoint ones."""
    both, either, _ = areas(a, b)
    return both / either


def giou(a: Box, b: Box) -> Float[Tensor, "*batch"]:
    """Generalized IoU: the IoU minus the fraction of the smallest enclosing box that neither
    covers. It approaches -1 as the boxes move apart (Rezatofighi et al. 2019).
    """
    both, either, around = areas(a, b)
    return both / either - (around - either) / around
