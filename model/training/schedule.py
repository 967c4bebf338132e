"""Learning rate cycles with warm-up, the loss with label smoothing, and dropout."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from model.activations.catalogue import activations
from model.config import Config
from model.errors import UnknownName
from model.trace import Hook


def smoothed_cross_entropy(
    logits: Float[Tensor, "token vocabulary"], expected: Int[Tensor, " token"], smoothing: float
) -> Float[Tensor, ""]:
    """The mean of -sum_w q(w) log p(w) over the tokens. q puts 1 - smoothing on the expected word
    and spreads smoothing evenly over all words (Szegedy et al. 2016).
    """
    return functional.cross_entropy(logits, expected, label_smoothing=smoothing)


def dropped_numbers(config: Config) -> frozenset[str]:
    """The names of the activations in which dropout zeroes single numbers: the sums of embeddings
    and positions, and the output of each sub-layer (Vaswani et al. 2017, section 5.4).
    """
    outputs = {
        f"{stack}.{layer}.{sublayer}.out"
        for stack in config.stacks
        for layer in range(config.layers(stack))
        for sublayer in config.sublayers(stack)
    }
    return check_names(config, outputs | {f"{stack}.embedding.sum" for stack in config.stacks})


def dropped_words(config: Config) -> frozenset[str]:
    """The names of the activations in which dropout zeroes whole vectors: the token embeddings
    before positions are added, so that a dropped word keeps its position (Sennrich and Zhang 2019,
    section 3.1).
    """
    return check_names(config, {f"{stack}.embedding.token" for stack in config.stacks})


def check_names(config: Config, names: set[str]) -> frozenset[str]:
    """`names`, each of which must be an activation of the model. Raises UnknownName, because a
    renamed activation would otherwise silently switch dropout off.
    """
    known = activations(config)
    for name in sorted(names):
        if name not in known:
            raise UnknownName("unknown-activation", name, known)
    return frozenset(names)


@dataclass(frozen=True)
class Dropout:
    """The dropout rates: a fraction `numbers` of single numbers, with the others scaled by 1 / (1 -
    numbers), and a fraction `words` of whole token embeddings.
    """

    numbers: float
    words: float = 0.0

    def hook(self, config: Config, generator: torch.Generator) -> Hook:
        """The dropout of a model with the configuration `config`, using `generator`, as a function
        of an activation's name and value. Raises UnknownName for a model without the activations to
        drop.
        """
        numbers = dropped_numbers(config) if self.numbers else frozenset()
        words = dropped_words(config) if self.words else frozenset()

        def change(name: str, value: Tensor) -> Tensor:
            if name in numbers:
                return value * keep_mask(value.shape, self.numbers, generator) / (1 - self.numbers)
            if name in words:
                return value * keep_mask((*value.shape[:-1], 1), self.words, generator)
            return value

        return change


def keep_mask(
    shape: tuple[int, ...], rate: float, generator: torch.Generator
) -> Bool[Tensor, "..."]:
    """True for each number that is kept: each is dropped with probability `rate`."""
    return torch.rand(shape, generator=generator) >= rate


@dataclass(frozen=True)
class Cycle:
    """One cycle of the learning rate: a linear warm-up to `peak`, which Post-LN needs (Vaswani et
    al. 2017, section 5.3), then a cosine to zero.

    A second cycle starts from the weights at the end of the first (warm restarts: Loshchilov and
    Hutter 2017).
    """

    peak: float
    warmup: int
    steps: int
    dropout: Dropout

    def rate(self, step: int) -> float:
        """The learning rate at a step of the cycle, counted from 0."""
        if step < self.warmup:
            return self.peak * (step + 1) / self.warmup
        return (
            self.peak
            * (1 + math.cos(math.pi * (step - self.warmup) / (self.steps - self.warmup)))
            / 2
        )


def cycle_at(cycles: Sequence[Cycle], step: int) -> tuple[Cycle, int]:
    """The cycle that contains the step `step` of the whole training, and the step's index in the
    cycle.
    """
    for cycle in cycles:
        if step < cycle.steps:
            return cycle, step
        step -= cycle.steps
    raise ValueError(f"The last cycle ended {step + 1} steps before.")
