"""`python -m tests.benchmarks.costs`, with names of questions for some: measures what the questions
of `cost.POINTS` cost, and writes into app/schema/costs.toml what one of each size costs.

Sizes that grow together cannot be told apart by their sums. So each cost begins as the file has it
and moves most of the way that the measurements say; run it again to go on. One that no question
determines stays as it is.
"""

import sys
from collections.abc import Mapping, Sequence

import numpy as np
import torch

from app.compute.allocator import keep_freed_memory
from app.schema.costs import FILE, owner, read_costs
from tests.benchmarks.cost import FLOOR, factor, measured, words

Costs = Mapping[str, float]
Point = tuple[Mapping[str, float], float]
"""The sizes of a question, and the seconds that it took."""

PULL = 0.3
"""What it costs to move a cost by a factor of e, in errors of an estimate by such a factor."""


def fitted(costs: Costs, points: Sequence[Point]) -> dict[str, float]:
    """The costs with which the estimates are wrong by small factors: their logarithms are fitted,
    which no cost of less than nothing has. What takes less than FLOOR counts less.
    """
    seconds = np.array([found for _, found in points])
    sizes = np.array([[counts.get(name, 0) for name in costs] for counts, _ in points], float)
    weights = np.minimum(1, seconds / FLOOR)
    known, logs = np.array([*costs.values()]), np.zeros(len(costs))
    for _ in range(100):
        parts = sizes * known * np.exp(logs)
        estimates = parts.sum(1)
        slopes = weights[:, None] * parts / estimates[:, None]
        errors = weights * np.log(seconds / estimates)
        system = np.concatenate([slopes, PULL * np.eye(len(logs))])
        step = np.linalg.lstsq(system, np.concatenate([errors, -PULL * logs]))[0]
        logs += step.clip(-1, 1)
    return {
        name: float(f"{cost:.3g}") for name, cost in zip(costs, known * np.exp(logs), strict=True)
    }


def with_shared(chosen: Sequence[str]) -> dict[str, list[str]]:
    """By the classes of costs, the words whose questions have them."""
    found: dict[str, list[str]] = {}
    for word, question in words().items():
        found.setdefault(owner(question.sizes), []).append(word)
    return {name: every for name, every in found.items() if not chosen or {*every} & {*chosen}}


def toml(costs: Mapping[str, Costs]) -> str:
    return "\n".join(
        f"[{name}]\n" + "".join(f"{size} = {cost!r}\n" for size, cost in row.items())
        for name, row in costs.items()
    )


def main(chosen: Sequence[str]) -> int:
    """Measures and writes, and prints by how much the worst estimates were and are wrong."""
    if unknown := sorted({*chosen} - {*words()}):
        print(f"No costs of {unknown[0]!r} are measured.", file=sys.stderr)
        return 2
    torch.set_num_threads(1)
    keep_freed_memory()  # as the worker does
    for name, every in with_shared(chosen).items():
        costs = dict(read_costs())
        points = [
            (question.sizes(), seconds)
            for word in every
            for question, seconds in measured(word, words()[word])
        ]
        before, after = costs[name], fitted(costs[name], points)
        FILE.write_text(toml(costs | {name: after}), "utf-8")
        print(f"{name}: {worst(before, points):.2f} -> {worst(after, points):.2f}", flush=True)
    return 0


def worst(costs: Costs, points: Sequence[Point]) -> float:
    return max(
        factor(found, sum(costs[name] * size for name, size in sizes.items()))
        for sizes, found in points
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
