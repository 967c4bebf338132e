"""Hungarian matching: the minimum-cost one-to-one assignment of object queries to objects (Carion
et al. 2020, section 3.1; Kuhn 1955).
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from model.detection.box_iou import giou
from model.inputs.scenes import CLASSES, Scene

L1, GIOU = 5.0, 2.0
"""Weights of the L1 distance and the generalized IoU of boxes in the cost and in the loss; the
class has weight 1 (Carion et al. 2020, appendix A.4).
"""

NO_OBJECT = 0.4
"""The weight of the class "nothing" in the cross-entropy, because most queries find nothing. The
paper uses 0.1, with 100 queries (section 4).
"""


@dataclass(frozen=True)
class Truth:
    """The objects of several pictures, padded to the largest number of objects; `counts` is the
    actual number in each picture.
    """

    classes: Int[Tensor, "picture object"]
    boxes: Float[Tensor, "picture object 4"]
    counts: list[int]


def pad_truth(scenes: list[Scene]) -> Truth:
    """The objects of `scenes`, padded. A padding row has class 0 and a box in the middle, and is
    never used in matching.
    """
    counts = [len(scene) for scene in scenes]
    classes, boxes = (
        torch.zeros(len(scenes), max(counts), dtype=torch.long),
        torch.full((len(scenes), max(counts), 4), 0.5),
    )
    for row, scene in enumerate(scenes):
        classes[row, : len(scene)] = torch.tensor([CLASSES.index(shape.name) for shape in scene])
        boxes[row, : len(scene)] = torch.tensor([shape.box for shape in scene])
    return Truth(classes, boxes, counts)


def repeated(truth: Truth, times: int) -> Truth:
    """The objects of the same pictures, repeated `times` times."""
    return Truth(
        truth.classes.repeat(times, 1), truth.boxes.repeat(times, 1, 1), truth.counts * times
    )


@dataclass(frozen=True)
class Matching:
    """Matched pairs: query `query` of picture `picture` is assigned to object `object`."""

    picture: Int[Tensor, " pair"]
    query: Int[Tensor, " pair"]
    object: Int[Tensor, " pair"]


@torch.no_grad()
def costs(
    chances: Float[Tensor, "picture query class"],
    boxes: Float[Tensor, "picture query 4"],
    truth: Truth,
) -> Float[Tensor, "picture query object"]:
    """The cost of assigning each query to each object: -p(class) + 5 |box - box| - 2 GIoU."""
    classes = truth.classes[:, None].expand(-1, chances.shape[1], -1)
    guess, real = boxes[:, :, None], truth.boxes[:, None]
    return (
        -chances.gather(-1, classes) + L1 * (guess - real).abs().sum(-1) - GIOU * giou(guess, real)
    )


def match(costs: Float[Tensor, "picture query object"], counts: list[int]) -> Matching:
    """The pairs of each picture with the smallest total cost, in the order of the queries."""
    pairs = [
        (picture, query, object)
        for picture, (cost, count) in enumerate(zip(costs.numpy(), counts, strict=True))
        for query, object in zip(*linear_sum_assignment(cost[:, :count]), strict=True)
    ]
    return Matching(*torch.tensor(pairs, dtype=torch.long).reshape(-1, 3).T)
