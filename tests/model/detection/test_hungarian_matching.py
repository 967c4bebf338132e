"""Matching: the least cost against every permutation, and a loss that does not ask which query
comes first.
"""

from itertools import permutations

import numpy as np
import pytest
import torch

from model.detection.box_iou import giou
from model.detection.hungarian_matching import Matching, Truth, costs, match
from model.training.losses.set_prediction import set_loss
from tests.rounding import SINGLE, same

QUERIES, CLASSES = 5, 4  # the last class is nothing


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def boxes_drawn(*shape: int, seed: int) -> torch.Tensor:
    return 0.2 + 0.5 * torch.rand(*shape, 4, generator=generator(seed), dtype=torch.float64)


def pictures(n: int = 6) -> tuple[torch.Tensor, torch.Tensor, Truth]:
    """Logits and boxes as a model might say them, and what is there: up to three objects."""
    logits = torch.randn(n, QUERIES, CLASSES, generator=generator(1), dtype=torch.float64)
    classes = torch.randint(CLASSES - 1, (n, 3), generator=generator(2))
    return (
        logits,
        boxes_drawn(n, QUERIES, seed=3),
        Truth(classes, boxes_drawn(n, 3, seed=4), [1 + i % 3 for i in range(n)]),
    )


def test_no_permutation_costs_less():
    matrices = torch.rand(40, QUERIES, 3, generator=generator(), dtype=torch.float64)
    counts = [i % 4 for i in range(40)]
    pairs = match(matrices, counts)
    for picture, (cost, count) in enumerate(zip(matrices, counts, strict=True)):
        mine = pairs.picture == picture
        query, object = pairs.query[mine], pairs.object[mine]
        assert sorted(object.tolist()) == list(range(count))
        assert len(set(query.tolist())) == count
        least = min(
            sum(cost[q, o].item() for o, q in enumerate(chosen))
            for chosen in permutations(range(QUERIES), count)
        )
        same(cost[query, object].sum(), least, scale=1)


def test_where_nothing_is_nothing_is_matched():
    assert [len(part) for part in vars(match(torch.zeros(2, 3, 0), [0, 0])).values()] == [0, 0, 0]


def test_a_cost_is_made_of_the_class_the_distance_and_the_overlap():
    logits, boxes, truth = pictures()
    found = costs(logits.softmax(-1), boxes, truth)
    assert found.shape == (6, QUERIES, 3)
    box, real = boxes[4, 2], truth.boxes[4, 1]
    p = (logits[4, 2].exp() / logits[4, 2].exp().sum())[truth.classes[4, 1]]
    same(found[4, 2, 1], (-p + 5 * (box - real).abs().sum() - 2 * giou(box, real)))


def loss_of_every_matching(
    logits: torch.Tensor, boxes: torch.Tensor, truth: Truth, nothing: float
) -> float:
    """By NumPy and brute force."""
    by_class, weights, apart, n = 0.0, 0.0, 0.0, 0
    log_p = logits.log_softmax(-1).numpy()
    for i, count in enumerate(truth.counts):
        classes, real = truth.classes[i].numpy(), truth.boxes[i]
        far = [
            [(boxes[i, q] - real[o]).abs().sum().item() for o in range(count)]
            for q in range(QUERIES)
        ]
        over = [[giou(boxes[i, q], real[o]).item() for o in range(count)] for q in range(QUERIES)]
        cost = [
            [
                -np.exp(log_p[i, q, classes[o]]) + 5 * far[q][o] - 2 * over[q][o]
                for o in range(count)
            ]
            for q in range(QUERIES)
        ]
        best = min(
            permutations(range(QUERIES), count),
            key=lambda chosen: sum(cost[q][o] for o, q in enumerate(chosen)),
        )
        apart, n = (
            apart + sum(5 * far[q][o] + 2 * (1 - over[q][o]) for o, q in enumerate(best)),
            n + count,
        )
        for q in range(QUERIES):
            says, weight = (classes[best.index(q)], 1.0) if q in best else (CLASSES - 1, nothing)
            by_class, weights = by_class - weight * log_p[i, q, says], weights + weight
    return by_class / weights + apart / n


@pytest.mark.parametrize("nothing", [1.0, 0.4])
def test_the_loss_is_that_of_the_best_of_all_matchings(nothing):
    logits, boxes, truth = pictures()
    expected = loss_of_every_matching(logits, boxes, truth, nothing)
    same(set_loss(logits.float(), boxes.float(), single(truth), nothing).item(), expected, SINGLE)


def single(truth: Truth) -> Truth:
    return Truth(truth.classes, truth.boxes.float(), truth.counts)


def test_the_loss_does_not_ask_in_which_order_the_queries_or_the_objects_stand():
    logits, boxes, truth = pictures()
    whole = set_loss(logits.float(), boxes.float(), single(truth), 0.4)
    order = torch.randperm(QUERIES, generator=generator())
    turned = set_loss(logits[:, order].float(), boxes[:, order].float(), single(truth), 0.4)
    same(turned.item(), whole.item(), SINGLE)
    full = Truth(
        truth.classes[2::3], truth.boxes[2::3].float(), truth.counts[2::3]
    )  # three objects each
    mixed = Truth(full.classes.flip(1), full.boxes.flip(1), full.counts)
    same(
        set_loss(logits[2::3].float(), boxes[2::3].float(), mixed, 0.4),
        set_loss(logits[2::3].float(), boxes[2::3].float(), full, 0.4),
    )


def test_queries_in_another_order_are_matched_with_the_same_objects():
    logits, boxes, truth = pictures()
    order = torch.tensor([3, 0, 4, 2, 1])
    before = match(costs(logits.softmax(-1), boxes, truth), truth.counts)
    after = match(costs(logits[:, order].softmax(-1), boxes[:, order], truth), truth.counts)
    assert pairs_of(before) == {
        (picture, order[query].item(), object) for picture, query, object in pairs_of(after)
    }


def pairs_of(matching: Matching) -> set[tuple[int, int, int]]:
    return set(zip(*(part.tolist() for part in vars(matching).values()), strict=True))


def test_rows_that_stand_for_no_object_do_not_matter():
    logits, boxes, truth = pictures()
    other = Truth(truth.classes.clone(), truth.boxes.clone(), truth.counts)
    for i, count in enumerate(truth.counts):
        other.classes[i, count:], other.boxes[i, count:] = 0, 0.9
    assert set_loss(logits.float(), boxes.float(), single(other), 0.4) == set_loss(
        logits.float(), boxes.float(), single(truth), 0.4
    )


def test_what_is_said_exactly_costs_almost_nothing():
    _, _, truth = pictures()
    logits = torch.full((6, QUERIES, CLASSES), 0.0)
    logits[..., -1] = 40.0
    boxes = torch.full((6, QUERIES, 4), 0.5)
    for i, count in enumerate(truth.counts):
        for o in range(count):
            q = (2 * o + 1) % QUERIES
            logits[i, q, -1], logits[i, q, truth.classes[i, o]], boxes[i, q] = (
                0.0,
                40.0,
                truth.boxes[i, o].float(),
            )
    same(set_loss(logits, boxes, single(truth), 0.4).item(), 0, SINGLE, scale=1)
