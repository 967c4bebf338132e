"""Images are written pixel by pixel from the distributions of the network."""

from copy import deepcopy

import pytest
import torch

from model.pixels.writers import NETWORKS, grey_logits, load_writer
from model.pixels.writing import influences, write_images
from model.trace import Trace
from tests.rounding import APPROXIMATED, near, same
from tests.thorough import mostly

DIGITS = torch.tensor([3, 8])
NOTHING = torch.zeros(2, 0, dtype=torch.long)
SLOPES = [pytest.param(*place) for place in [(36, 0), (36, 36), (36, 27), (20, 12)]]


def random_draws(seed: int) -> torch.Tensor:
    return torch.rand(2, 64, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("name", NETWORKS)
def test_written_one_by_one_the_logits_are_those_of_the_whole_image(name: str):
    network = load_writer(name)
    levels, logits = write_images(network, name, DIGITS, NOTHING, random_draws(0))
    same(logits, grey_logits(network, name, levels, DIGITS))


def test_a_grey_value_is_the_one_in_whose_share_the_draw_falls():
    network, draws = load_writer("block"), random_draws(1)
    levels, logits = write_images(network, "block", DIGITS, NOTHING, draws, temperature=0.7)
    for image, rows, row_of_draws in zip(levels, logits, draws, strict=True):
        for level, row, u in zip(image.tolist(), rows, row_of_draws.tolist(), strict=True):
            p = (row.double() / 0.7).softmax(-1)
            likelier = p[p > p[level]].sum().item()
            assert likelier - 1e-9 <= u <= likelier + p[level].item() + 1e-9


def test_the_same_draws_write_the_same_image_and_others_another():
    network = load_writer("line")
    first, again, other = (
        write_images(network, "line", DIGITS, NOTHING, random_draws(seed))[0] for seed in (0, 0, 1)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_at_temperature_0_the_most_probable_grey_value_is_written():
    levels, logits = write_images(load_writer("all"), "all", DIGITS, NOTHING, random_draws(0), 0.0)
    assert torch.equal(levels, logits.argmax(-1))


def test_pixels_that_are_given_stay():
    pixels = torch.tensor([[0] * 20, [16] * 20])
    levels, _ = write_images(load_writer("block"), "block", DIGITS, pixels, random_draws(0))
    assert torch.equal(levels[:, :20], pixels)
    assert not torch.equal(levels[0, 20:], levels[1, 20:])


@pytest.mark.parametrize(("pixel", "position"), mostly(SLOPES, SLOPES[0], SLOPES[2]))
def test_an_influence_is_a_slope(pixel: int, position: int):
    """|d ln p / d e| is the slope in the direction of its steepest ascent: central differences in
    every channel.
    """
    network = load_writer("block")
    levels, _ = write_images(network, "block", DIGITS[:1], NOTHING[:1], random_draws(0)[:1])
    found = influences(network, "block", levels[0], 3)[pixel, position].item()
    exact, step = deepcopy(network).double(), 1e-5
    steps = torch.zeros(96, 64, 48, dtype=torch.float64)
    for channel in range(48):
        steps[channel, position, channel] = step
        steps[48 + channel, position, channel] = -step

    def moved(activation: str, value: torch.Tensor) -> torch.Tensor:
        return value + steps if activation == "decoder.embedding.token" else value

    logits = grey_logits(exact, "block", levels.expand(96, -1), DIGITS[:1].expand(96), Trace(moved))
    chance = logits[:, pixel].log_softmax(-1)[:, levels[0, pixel]]
    slope = ((chance[:48] - chance[48:]) / (2 * step)).norm().item()
    near(found, slope, APPROXIMATED, rel=0.001)
    assert slope > 0
