"""Heads of one role turned off together. Heads with the same role can back each other up: each
alone costs little, but all of them together may cost a lot (McGrath et al. 2023).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from model import progress
from model.interpretability.heads.costs import Head, costs
from model.interpretability.heads.measures import Example, HeadMeasures, interval
from model.runs.run_model import Runs, run_model
from model.zoo.models import Model


@dataclass(frozen=True)
class Group:
    """All heads of one role: the cost in nats of turning them off together, with the ends of its
    interval, None for a single input, and the sum of their individual costs `alone`.
    """

    role: str
    heads: list[Head]
    cost: float
    low: float | None
    high: float | None
    alone: float


@torch.inference_mode()
def groups(
    model: Model, measures: HeadMeasures, examples: Sequence[Example], runs: Runs = run_model
) -> list[Group]:
    """The heads of each role in `measures`, turned off together on the same examples."""
    heads: dict[str, list[Head]] = {}
    single: dict[str, float] = {}
    for i, (name, row) in enumerate(zip(measures.layers, measures.role, strict=True)):
        for head, role in enumerate(row):
            if role is not None:
                heads.setdefault(role, []).append((name, head))
                single[role] = single.get(role, 0.0) + measures.cost.mean[i, head].item()
    if not heads:
        return []
    found = [
        costs(runs(model, example.input), example.input, list(heads.values()), example.right)
        for example in progress.steps(examples)
    ]
    over = interval(torch.stack(found))
    numbers = zip(over.mean.tolist(), known(over.low), known(over.high), strict=True)
    return [
        Group(role, heads[role], cost, low, high, single[role])
        for role, (cost, low, high) in zip(heads, numbers, strict=True)
    ]


def known(numbers: Tensor) -> list[float | None]:
    """The numbers, with None in place of NaN."""
    return [None if math.isnan(number) else number for number in numbers.tolist()]
