"""Which query answers for which object: the assignment of least cost, one to one (Carion et al.
2020, section 3.1; Kuhn 1955).
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from model.detection.box_iou import giou
from model.inputs.scenes import CLASSES, Scene

L1, GIOU = 5.0, 2.0
"""What a box's distance and its overlap weigh beside a class, in the cost and in the loss (Carion
et al. 2020, appendix A.4).
"""


@dataclass(frozen=True)
class Truth:
    """The objects of some pictures, as many rows as the fullest has: `counts` says how many of them
    are real.
    """

    classes: Int[Tensor, "picture object"]
    boxes: Float[Tensor, "picture object 4"]
    counts: list[int]


def truth_of(scenes: list[Scene]) -> Truth:
    """Rows that stand for no object have class 0 and a box of no matter."""
    counts = [len(one) for one in scenes]
    classes, boxes = (
        torch.zeros(len(scenes), max(counts), dtype=torch.long),
        torch.full((len(scenes), max(counts), 4), 0.5),
    )
    for row, one in enumerate(scenes):
        classes[row, : len(one)] = torch.tensor([CLASSES.index(shape.name) for shape in one])
        boxes[row, : len(one)] = torch.tensor([shape.box for shape in one])
    return Truth(classes, boxes, counts)


@dataclass(frozen=True)
class Matching:
    """Pairs: query `query` of picture `picture` answers for its object `object`."""

    picture: Int[Tensor, " pair"]
    query: Int[Tensor, " pair"]
    object: Int[Tensor, " pair"]


@torch.no_grad()
def costs(
    chances: Float[Tensor, "picture query class"],
    boxes: Float[Tensor, "picture query 4"],
    truth: Truth,
) -> Float[Tensor, "picture query object"]:
    """-p(class) + 5 |box - box| - 2 GIoU, of every query with every object."""
    classes = truth.classes[:, None].expand(-1, chances.shape[1], -1)
    given, real = boxes[:, :, None], truth.boxes[:, None]
    return (
        -chances.gather(-1, classes) + L1 * (given - real).abs().sum(-1) - GIOU * giou(given, real)
    )


def matched(costs: Float[Tensor, "picture query object"], counts: list[int]) -> Matching:
    """Of every picture the pairs whose costs have the smallest sum, in the order of the queries."""
    pairs = [
        (picture, query, object)
        for picture, (cost, count) in enumerate(zip(costs.numpy(), counts, strict=True))
        for query, object in zip(*linear_sum_assignment(cost[:, :count]), strict=True)
    ]
    return Matching(*torch.tensor(pairs, dtype=torch.long).reshape(-1, 3).T)
