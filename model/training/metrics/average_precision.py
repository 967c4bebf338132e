"""Measures of object detection: the agreement of matched queries with their objects, and average
precision.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from model.detection.box_iou import iou
from model.detection.hungarian_matching import Truth, costs, match

Chances = Float[Tensor, "picture query class"]
Boxes = Float[Tensor, "picture query 4"]

ENOUGH = 0.5  # minimum IoU for a detection (Everingham et al. 2010, section 4.2)


def agreement(chances: Chances, boxes: Boxes, truth: Truth) -> dict[str, float]:
    """Measures over all objects, each with its query in the minimum-cost assignment.

    `iou` is the mean IoU, `class` the fraction of objects whose query predicts the correct class,
    and `found` the fraction with the correct class and an IoU of at least .5. `extra` is the number
    of other queries per picture that do not predict "nothing".
    """
    pairs = match(costs(chances, boxes, truth), truth.counts)
    predicted = chances.argmax(-1)
    right = predicted[pairs.picture, pairs.query] == truth.classes[pairs.picture, pairs.object]
    overlap = iou(boxes[pairs.picture, pairs.query], truth.boxes[pairs.picture, pairs.object])
    other = torch.ones_like(predicted, dtype=torch.bool)
    other[pairs.picture, pairs.query] = False
    return {
        "iou": overlap.double().mean().item(),
        "class": right.double().mean().item(),
        "found": (right & (overlap >= ENOUGH)).double().mean().item(),
        "extra": (other & (predicted != chances.shape[-1] - 1)).sum().item() / len(chances),
    }


def average_precision(chances: Chances, boxes: Boxes, truth: Truth) -> float:
    """The mean over classes of the area under the precision-recall curve, with boxes in order of
    confidence (Everingham et al. 2010).

    A box is correct if it has an IoU of at least .5 with an object of its class that no more
    confident box has claimed. The precision at a recall is the maximum at this or a larger recall.
    """
    areas = []
    for kind in range(chances.shape[-1] - 1):
        right = claims(chances[..., kind], boxes, truth, kind)
        objects = sum(
            int((truth.classes[i, :count] == kind).sum()) for i, count in enumerate(truth.counts)
        )
        if objects:
            precision = right.cumsum(0) / torch.arange(1, len(right) + 1)
            best = precision.flip(0).cummax(0).values.flip(0)
            areas.append((best[right].sum() / objects).item())
    return sum(areas) / len(areas)


def claims(
    chances: Float[Tensor, "picture query"], boxes: Boxes, truth: Truth, kind: int
) -> Bool[Tensor, " said"]:
    """Whether each box, in order of confidence, claims an unclaimed object of the class `kind`."""
    free = {
        (i, o)
        for i, count in enumerate(truth.counts)
        for o in range(count)
        if truth.classes[i, o] == kind
    }
    overlap = iou(boxes[:, :, None], truth.boxes[:, None]).tolist()
    right = torch.zeros(chances.numel(), dtype=torch.bool)
    for rank, place in enumerate(chances.flatten().argsort(descending=True, stable=True).tolist()):
        picture, query = divmod(place, chances.shape[1])
        mine = [
            (overlap[picture][query][o], o)
            for o in range(truth.counts[picture])
            if (picture, o) in free
        ]
        most, object = max(mine, default=(0.0, -1))
        if most >= ENOUGH:
            free.remove((picture, object))
            right[rank] = True
    return right
