"""The real analyses, in a worker that keeps its answers: that of the product keeps the latest."""

from typing import Any

from cachetools import LRUCache

from app.worker.process import State, weight
from model import analyses

MANY_BYTES = 16 << 30
"""As `weight` counts, for which the smallest answer has some MB: thousands of answers."""

State.answers = LRUCache(MANY_BYTES, getsizeof=weight)


def __getattr__(name: str) -> Any:
    return getattr(analyses, name)
