"""Baselines for the networks of /pixels: two count-based models with add-one smoothing
(Laplace).
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.pixels.writers import CLASSES, LEVELS, PIXELS, DigitIds, Levels

States = Int[Tensor, "image pixel"]


@dataclass(frozen=True)
class Baseline:
    """p(pixel | state) = (count + 1) / (total + LEVELS). `states` returns the state of each pixel
    of an image.
    """

    counts: Float[Tensor, "state level"]
    states: Callable[[Levels, DigitIds], States]

    def bits(self, levels: Levels, digits: DigitIds) -> Float[Tensor, "image pixel"]:
        """-log2 p of every pixel."""
        smoothed = self.counts + 1
        shares = smoothed / smoothed.sum(-1, keepdim=True)
        return -shares.log2()[self.states(levels, digits), levels]


def counted(
    states: Callable[[Levels, DigitIds], States], n: int, levels: Levels, digits: DigitIds
) -> Baseline:
    """The baseline with `n` states, with counts from these images."""
    places = states(levels, digits).flatten() * LEVELS + levels.flatten()
    counts = torch.bincount(places, minlength=n * LEVELS).double().view(n, LEVELS)
    return Baseline(counts, states)


def place_and_digit(levels: Levels, digits: DigitIds) -> States:
    return digits[:, None] * PIXELS + torch.arange(PIXELS)


def level_before(levels: Levels, digits: DigitIds) -> States:
    """The gray value of the previous pixel; the first pixel has a state of its own."""
    return torch.cat([torch.full_like(levels[:, :1], LEVELS), levels[:, :-1]], dim=1)


def count_independent(levels: Levels, digits: DigitIds) -> Baseline:
    """Pixels that depend on their position and the digit, but not on each other."""
    return counted(place_and_digit, CLASSES * PIXELS, levels, digits)


def count_markov(levels: Levels, digits: DigitIds) -> Baseline:
    """A Markov chain: a pixel depends on the one before it."""
    return counted(level_before, LEVELS + 1, levels, digits)
