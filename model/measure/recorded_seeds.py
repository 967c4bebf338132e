"""Recorded seeds: what an experiment measured, for as many of its seeds as a question asks for."""

from typing import Any

import torch
from torch import Tensor

from model.checks import check_between
from model.errors import InvalidInput
from model.zoo.results import load_result


def recorded_seeds(id: str, seed: int, seeds: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The result of the experiment `id`, and its numbers [seed, point] by the name of the member.

    The seeds are those from `seed` on, and after the last the first again. There are never more of
    them than were trained. Raises InvalidInput for a number of seeds below 1.
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
