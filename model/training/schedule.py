"""What changes the weights: cycles of the rate with their warm-up, label smoothing, dropout."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from model.inputs.text import PAD
from model.trace import Change


def smoothed_cross_entropy(
    logits: Float[Tensor, "token vocabulary"], expected: Int[Tensor, " token"], smoothing: float
) -> Float[Tensor, ""]:
    """Mean of -sum_w q(w) log p(w), q = 1 - smoothing on the expected word and smoothing spread
    evenly (Szegedy et al. 2016).
    """
    return functional.cross_entropy(logits, expected, label_smoothing=smoothing, ignore_index=PAD)


DROPPED = ("attention.out", "feed_forward.out", ".embedding.sum")
WORDS = (".embedding.token",)


@dataclass(frozen=True)
class Dropout:
    """What training leaves out at random: a share `numbers` of single numbers, a share `words` of
    whole word vectors.
    """

    numbers: float
    words: float = 0.0

    def drawn_from(self, generator: torch.Generator) -> Change:
        """Numbers: on each sub-layer's output and on the sums of embeddings and positions (Vaswani
        et al. 2017, section 5.4).

        Words: on the token embeddings before positions are added; the place of a word stays known
        (Sennrich and Zhang 2019, section 3.1).
        """

        def change(name: str, value: Tensor) -> Tensor:
            if name.endswith(DROPPED) and self.numbers:
                return value * kept(value.shape, self.numbers, generator) / (1 - self.numbers)
            if name.endswith(WORDS) and self.words:
                return value * kept((*value.shape[:-1], 1), self.words, generator)
            return value

        return change


def kept(shape: tuple[int, ...], rate: float, generator: torch.Generator) -> Tensor:
    return torch.rand(shape, generator=generator) >= rate


@dataclass(frozen=True)
class Cycle:
    """Linear warm-up to `peak`, as Post-LN needs it (Vaswani et al. 2017, section 5.3), then a
    cosine to zero.

    A cycle after another starts from the weights the one before arrived at (warm restarts:
    Loshchilov and Hutter 2017).
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
    """The cycle in which a step of the whole training lies, and the step counted from that cycle's
    start.
    """
    for cycle in cycles:
        if step < cycle.steps:
            return cycle, step
        step -= cycle.steps
    raise ValueError(f"The last cycle ended {step + 1} steps before.")
