"""How the networks of /pixels are trained: on images that are not those of the record, to be gone
on with after a kill.
"""

import math

import pytest
import torch

from model.pixels.train import CYCLE, PixelTask, as_levels, recipe
from model.pixels.writers import CONFIG, NETWORKS, TRAININGS, read_record
from model.training.loop import train
from model.training.recipes.digits import INK, Digits
from model.transformer import Transformer
from tests.model.support.plays import check_resumed
from tests.rounding import SINGLE, same


@pytest.fixture(scope="module")
def data() -> Digits:
    return Digits()


def test_the_grey_values_are_those_of_the_data_and_no_image_is_on_two_sides(data):
    parts = [as_levels(part)[0] for part in (data.train, data.validation, data.test)]
    for levels, part in zip(parts, (data.train, data.validation, data.test), strict=True):
        assert torch.equal(levels.view(-1, 1, 8, 8) / INK, part.images)
    train_images, *others = ({tuple(image) for image in part.tolist()} for part in parts)
    assert not any(train_images & other for other in others)


def test_a_network_that_knows_nothing_costs_about_as_much_as_17_equal_chances(data):
    task = PixelTask("block", data)
    batch = next(task.epoch(torch.Generator().manual_seed(0)))
    loss = task.loss(Transformer(CONFIG), batch)
    same(loss.item(), math.log(17), SINGLE)


def test_a_training_that_was_killed_goes_on_as_if_it_had_not(tmp_path, data):
    task, line_recipe = PixelTask("line", data), recipe("line")
    check_resumed(lambda folder, stop: train(line_recipe, task, folder, stop_after=stop), tmp_path)


def test_the_record_has_every_training_and_network():
    record = read_record()
    assert record.measured("bits").shape == (TRAININGS, len(NETWORKS))
    assert record.measured("by_pixel").shape == (len(NETWORKS), 64)
    assert record.entries["training"]["steps"] == CYCLE.steps
    same(record.entries["measured"]["uniform"], math.log2(17))
