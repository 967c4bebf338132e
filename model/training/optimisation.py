"""What changes the weights: the schedule with its warm-up, label smoothing, dropout."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from model.inputs.text import PAD
from model.trace import Change


@dataclass(frozen=True)
class Schedule:
    """Linear warm-up to `peak`, as Post-LN needs it (Vaswani et al. 2017, section 5.3), then a cosine to zero.

    Without `horizon` the cosine ends at `steps`. With it, it heads for zero at `horizon` and is left for a straight line from
    `tail` x `peak` at step 0 to zero at `steps`, as soon as it would fall below that line.
    """

    peak: float
    warmup: int
    steps: int
    horizon: int | None = None
    tail: float = 0.0

    def rate(self, step: int) -> float:
        if step < self.warmup:
            return self.peak * (step + 1) / self.warmup
        horizon = self.horizon or self.steps
        angle = min(math.pi, math.pi * (step - self.warmup) / (horizon - self.warmup))
        return max(self.peak * (1 + math.cos(angle)) / 2, self.tail * self.peak * (1 - step / self.steps))


def smoothed_cross_entropy(
    logits: Float[Tensor, "token vocabulary"], expected: Int[Tensor, " token"], smoothing: float
) -> Float[Tensor, ""]:
    """Mean of -sum_w q(w) log p(w), q = 1 - smoothing on the expected word and smoothing spread evenly (Szegedy et al. 2016)."""
    return functional.cross_entropy(logits, expected, label_smoothing=smoothing, ignore_index=PAD)


DROPPED = (".attention.out", ".cross_attention.out", ".feed_forward.out", ".embedding.sum")


def dropout(rate: float, generator: torch.Generator) -> Change:
    """On each sub-layer's output and on the sums of embeddings and positions (Vaswani et al. 2017, section 5.4)."""

    def change(name: str, value: Tensor) -> Tensor:
        if not name.endswith(DROPPED):
            return value
        kept = torch.rand(value.shape, generator=generator) >= rate
        return value * kept / (1 - rate)

    return change
