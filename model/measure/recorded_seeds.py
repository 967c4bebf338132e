"""Recorded seeds: an experiment's measurements for the number of seeds that a question requests."""

from typing import Any

import torch
from torch import Tensor

from model.checks import check_between
from model.errors import InvalidInput
from model.zoo.results import load_result


def recorded_seeds(id: str, seed: int, seeds: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The result of the experiment `id`, and its numbers [seed, point] keyed by member.

    The seeds start with `seed` and wrap around after the last. There are never more than were
    trained. Raises InvalidInput for fewer than 1 seed.
    """
    result = load_result(id)
    trained = result["seeds"]
    if seeds < 1:
        raise InvalidInput("no-seeds", field="seeds", given=seeds)
    check_between("seed", seed, 0, 2**31 - 1)
    chosen = [(seed + number) % trained for number in range(min(seeds, trained))]
    return result, {
        name: torch.tensor(numbers, dtype=torch.float64)[chosen]
        for name, numbers in result["measured"].items()
    }
