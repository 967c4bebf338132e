"""Several heads: the task against a loop over its tokens, equal starts, and the findings."""

import math

import pytest
import torch

from model.clinics import several_heads as clinic
from model.clinics.several_heads import (
    BOXES,
    CLASSES,
    HEADS,
    VALUES,
    BoxReader,
    contents,
    several_heads,
    text,
    trained,
)
from model.errors import InvalidInput
from model.measure.initialised_stacks import generator
from tests.rounding import SINGLE, same


def test_a_box_holds_what_its_last_token_put_into_it():
    ids, expected = text(generator(0, 0))
    held = [0] * len(BOXES)
    for id, wanted in zip(ids.tolist(), expected.tolist(), strict=True):
        held[id // VALUES] = id % VALUES
        assert wanted == sum(value * VALUES**box for box, value in enumerate(held))


def test_the_contents_are_one_of_all_classes():
    _, expected = text(generator(1, 0), 2000)
    assert set(expected.tolist()) == set(range(CLASSES))
    empty = contents(torch.tensor([0]), torch.tensor([0]))
    assert empty.tolist() == [0]


def test_models_with_other_numbers_of_heads_start_from_the_same_weights():
    first, *others = [dict(BoxReader(h, generator(3, 1)).named_parameters()) for h in HEADS]
    for other in others:
        assert first.keys() == other.keys()
        assert all(torch.equal(first[name], other[name]) for name in first)


def test_the_first_losses_are_near_guessing_and_the_same_training_gives_the_same_numbers():
    _, once = trained(4, 10, seed=0, seeds=2)
    _, again = trained(4, 10, seed=0, seeds=2)
    assert torch.equal(once, again)
    assert (once[:, 0] - math.log(CLASSES)).abs().max() < 1


def test_a_model_does_not_look_ahead():
    answer = several_heads(steps=50, seeds=1)
    for heads in HEADS:
        pattern = answer.tensors[f"pattern.{heads}"].data
        assert len(pattern) == heads
        assert (pattern.triu(1) == 0).all()
        same(pattern.sum(-1), torch.ones(pattern.shape[:2]))


def test_the_ratio_is_the_geometric_mean_of_the_ratios_of_the_last_losses():
    loss = torch.rand(3, len(HEADS), 60, generator=generator(0, 0)) + 0.1
    right = torch.rand(3, len(HEADS), generator=generator(0, 1))
    by_name = {finding.name: finding for finding in clinic.findings(loss, right, [5, 5])}
    end = loss[..., -clinic.LAST :].mean(-1)
    ratios = [end[i, 0] / end[i, 1] for i in range(3)]
    same(by_name["ratio"].number, math.prod(map(float, ratios)) ** (1 / 3))
    same(by_name["gain"].number, (right[:, 1] - right[:, 0]).mean().item(), SINGLE)
    assert clinic.findings(loss, right, [5, 6])[0].verdict == "fails"


def test_too_few_and_too_many_steps_are_refused():
    for steps in (49, 401):
        with pytest.raises(InvalidInput, match="steps"):
            several_heads(steps=steps)
