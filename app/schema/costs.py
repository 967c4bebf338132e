"""The cost of an answer: seconds of the reference core per unit of each size of a question.
`python -m tests.benchmarks.costs` measures them and writes costs.toml. The sizes that only users’
models have (ADDED in tests/app/test_costs.py) are no part of that: their costs were fitted by hand.
"""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import FunctionType

FILE = Path(__file__).with_suffix(".toml")


def read_costs() -> dict[str, dict[str, float]]:
    """By the class that has the sizes, and by their names."""
    return tomllib.loads(FILE.read_text("utf-8"))


COSTS = read_costs()


@lru_cache(maxsize=256)
def costs_of(sizes: FunctionType) -> Mapping[str, float]:
    """The cost per unit of the sizes that a question’s method returns."""
    return COSTS[owner(sizes)]


def owner(sizes: FunctionType) -> str:
    """The name of the class whose method it is."""
    return sizes.__qualname__.removesuffix(".sizes")
