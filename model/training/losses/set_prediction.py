"""The set-prediction loss of DETR: each object is matched with one query, and every other query
should predict the class "nothing".
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.detection.box_iou import giou
from model.detection.hungarian_matching import GIOU, L1, Matching, Truth, costs, match


def set_loss(
    logits: Float[Tensor, "picture query class"],
    boxes: Float[Tensor, "picture query 4"],
    truth: Truth,
    nothing: float,
) -> Float[Tensor, ""]:
    """Cross-entropy + 5 |box - box| + 2 (1 - GIoU) (Carion et al. 2020, equation 2 and appendix
    A.2).

    The cross-entropy is a mean over queries in which the last class, nothing, weighs `nothing`; the
    boxes' part is a mean over objects.
    """
    pairs = match(costs(logits.detach().softmax(-1), boxes.detach(), truth), truth.counts)
    found, real = boxes[pairs.picture, pairs.query], truth.boxes[pairs.picture, pairs.object]
    apart = L1 * (found - real).abs().sum(-1) + GIOU * (1 - giou(found, real))
    weights = torch.ones(logits.shape[-1])
    weights[-1] = nothing
    return cross_entropy(logits.mT, classes_of(logits, pairs, truth), weights) + apart.mean()


def classes_of(logits: Tensor, pairs: Matching, truth: Truth) -> Int[Tensor, "picture query"]:
    """The expected class of every query: the class of the matched object, or the last class,
    "nothing".
    """
    classes = torch.full(logits.shape[:2], logits.shape[-1] - 1)
    classes[pairs.picture, pairs.query] = truth.classes[pairs.picture, pairs.object]
    return classes
