"""The tables of positions, by their formulas."""

import math

import numpy as np
import pytest
import torch

from model.layers import positional_encodings
from tests.rounding import SINGLE, same

LENGTH, WIDTH = 12, 6
BY_HAND = {
    "none": lambda p, length: 0.0,
    "integer": lambda p, length: float(p),
    "normalised": lambda p, length: p / (length - 1),
    "sigmoid": lambda p, length: 1 / (1 + math.exp(-p)),
    "sine": lambda p, length: math.sin(2 * math.pi * p / 64),
}


@pytest.mark.parametrize("scheme", BY_HAND)
def test_one_number_in_every_channel(scheme):
    expected = np.array([[BY_HAND[scheme](p, LENGTH)] * WIDTH for p in range(LENGTH)])
    table = getattr(positional_encodings, scheme)(LENGTH, WIDTH, dtype=torch.float64)
    same(table.numpy(), expected, scale=1)
    assert torch.equal(getattr(positional_encodings, scheme)(LENGTH, WIDTH), table.float())


@pytest.mark.parametrize("scheme", [*BY_HAND, "sinusoidal"])
def test_a_table_that_starts_later_is_the_rest_of_the_whole(scheme):
    whole = getattr(positional_encodings, scheme)(LENGTH, WIDTH)
    assert torch.equal(getattr(positional_encodings, scheme)(LENGTH - 5, WIDTH, start=5), whole[5:])


def test_the_normalised_integer_depends_on_the_length():
    short, long = (
        positional_encodings.normalised(20, 1)[10].item(),
        positional_encodings.normalised(512, 1)[10].item(),
    )
    same((short, long), (10 / 19, 10 / 511), SINGLE)
    assert (round(short, 3), round(long, 3)) == (0.526, 0.020)
    assert positional_encodings.normalised(1, 1).item() == 0


def test_sigmoid_has_19_numbers_for_512_positions():
    assert len(set(positional_encodings.sigmoid(512, 1).flatten().tolist())) == 19


def test_a_single_sine_comes_back_after_its_period():
    table = positional_encodings.sine(50, 1, period=17.0, dtype=torch.float64)
    assert torch.equal(table[17:34], table[:17])
    same(table[3] + table[14], 0, scale=1)
