"""Boxes: IoU against counted pixels, GIoU by hand and in closed form."""

import numpy as np
import pytest
import torch

from model.detection.box_iou import corners, giou, iou
from tests.rounding import same


def box(*sides: float) -> torch.Tensor:
    return torch.tensor(sides, dtype=torch.float64)


def box_mask(sides: torch.Tensor, pixels: int) -> np.ndarray:
    """Which pixels of a square lie in a box whose corners are whole pixels."""
    x, y, width, height = (sides * pixels).tolist()
    at = np.arange(pixels) + 0.5
    return (abs(at[None] - x) < width / 2) & (abs(at[:, None] - y) < height / 2)


def whole_boxes(n: int, pixels: int) -> torch.Tensor:
    draws = np.random.default_rng(0)
    low = draws.integers(0, pixels - 1, (n, 2))
    high = draws.integers(low + 1, pixels + 1)
    return torch.from_numpy(np.concatenate([(low + high) / 2, high - low], axis=1) / pixels)


def test_iou_is_the_share_of_the_pixels_in_either_that_are_in_both():
    a, b = whole_boxes(60, 20), whole_boxes(120, 20)[60:]
    for first, second, found in zip(a, b, iou(a, b), strict=True):
        first_mask, second_mask = box_mask(first, 20), box_mask(second, 20)
        same(found, (first_mask & second_mask).sum() / (first_mask | second_mask).sum(), scale=1)


@pytest.mark.parametrize(
    ("a", "b", "overlap", "generalised"),
    [
        ((0.5, 0.5, 0.4, 0.2), (0.5, 0.5, 0.4, 0.2), 1, 1),
        (
            (0.25, 0.5, 0.5, 1),
            (0.75, 0.5, 0.5, 1),
            0,
            0,
        ),  # side by side: the box around them is full
        ((0.1, 0.5, 0.2, 1), (0.9, 0.5, 0.2, 1), 0, -0.6),  # a gap of .6 between them
        ((0.5, 0.5, 1, 1), (0.5, 0.5, 0.5, 0.5), 0.25, 0.25),  # one in the other
        ((0.25, 0.25, 0.5, 0.5), (0.75, 0.75, 0.5, 0.5), 0, -0.5),  # corner to corner
        ((0.4, 0.4, 0.4, 0.4), (0.6, 0.6, 0.4, 0.4), 0.04 / 0.28, 0.04 / 0.28 - 0.08 / 0.36),
    ],
)
def test_what_is_worked_out_by_hand(a, b, overlap, generalised):
    same(iou(box(*a), box(*b)), overlap, scale=1)
    same(giou(box(*a), box(*b)), generalised, scale=1)


def test_giou_lies_between_minus_one_and_iou_and_does_not_ask_which_box_comes_first():
    a, b = whole_boxes(100, 30), whole_boxes(200, 30)[100:]
    assert ((giou(a, b) <= iou(a, b) + 1e-12) & (giou(a, b) > -1)).all()
    assert torch.equal(giou(a, b), giou(b, a))
    assert torch.equal(giou(a[:, None], b), giou(b[:, None], a).T)


def test_neither_measure_asks_where_or_how_large_the_image_is():
    a, b = whole_boxes(50, 30), whole_boxes(100, 30)[50:]
    moved = torch.tensor([0.3, -0.2, 0, 0])
    for measure in (iou, giou):
        same(measure(a * 7, b * 7), measure(a, b))
        same(measure(a + moved, b + moved), measure(a, b))


def test_giou_tells_how_far_apart_boxes_are_and_iou_does_not():
    still, going = (
        box(0.1, 0.5, 0.2, 0.2),
        torch.stack([box(x, 0.5, 0.2, 0.2) for x in (0.3, 0.5, 0.7, 0.9)]),
    )
    same(iou(still, going), [0, 0, 0, 0], scale=1)
    assert (giou(still, going).diff() < 0).all()


def test_the_corners_are_half_a_side_from_the_centre():
    low, high = corners(box(0.5, 0.4, 0.2, 0.6))
    same(low, [0.4, 0.1])
    same(high, [0.6, 0.7])
