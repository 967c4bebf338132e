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

    The cross-entropy is a weighted mean over queries, in which the last class, nothing, has the
    weight `nothing`; the box terms are means over objects.
    """
    pairs = matched(logits, boxes, truth)
    weights = class_weights(logits, nothing)
    classes = cross_entropy(logits.mT, classes_of(logits, pairs, truth), weights)
    distance, overlap = apart(boxes, pairs, truth)
    return classes + (distance + overlap).mean()


@torch.no_grad()
def loss_terms(
    logits: Float[Tensor, "picture query class"],
    boxes: Float[Tensor, "picture query 4"],
    truth: Truth,
    nothing: float,
) -> tuple[Float[Tensor, "term picture query"], Matching]:
    """The contribution of every query to `set_loss`: its class, and the L1 distance and generalized
    IoU of its box. They sum to the loss. Also the matching, because a query without an object has
    no box terms.
    """
    pairs, terms = matched(logits, boxes, truth), torch.zeros(3, *logits.shape[:2])
    classes, weights = classes_of(logits, pairs, truth), class_weights(logits, nothing)
    terms[0] = cross_entropy(logits.mT, classes, weights, reduction="none")
    terms[0] /= weights[classes].sum()
    for term, far in zip(terms[1:], apart(boxes, pairs, truth), strict=True):
        term[pairs.picture, pairs.query] = far / len(far)
    return terms, pairs


def matched(logits: Tensor, boxes: Tensor, truth: Truth) -> Matching:
    """The minimum-cost matching (equation 1)."""
    return match(costs(logits.detach().softmax(-1), boxes.detach(), truth), truth.counts)


def apart(
    boxes: Tensor, pairs: Matching, truth: Truth
) -> tuple[Float[Tensor, " pair"], Float[Tensor, " pair"]]:
    """The box terms of every matched query: 5 |box - box| and 2 (1 - GIoU)."""
    found, real = boxes[pairs.picture, pairs.query], truth.boxes[pairs.picture, pairs.object]
    return L1 * (found - real).abs().sum(-1), GIOU * (1 - giou(found, real))


def class_weights(logits: Tensor, nothing: float) -> Float[Tensor, " class"]:
    """1 for every class except the last, which has the weight `nothing`."""
    weights = torch.ones(logits.shape[-1])
    weights[-1] = nothing
    return weights


def classes_of(logits: Tensor, pairs: Matching, truth: Truth) -> Int[Tensor, "picture query"]:
    """The expected class of every query: that of the matched object, or the last class,
    "nothing".
    """
    classes = torch.full(logits.shape[:2], logits.shape[-1] - 1)
    classes[pairs.picture, pairs.query] = truth.classes[pairs.picture, pairs.object]
    return classes
