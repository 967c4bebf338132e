"""Timing: the wall-clock time of a function. It is measured only where a question asks for it,
because an answer with a time cannot be repeated.
"""

import time
from collections.abc import Callable

NOTE = "The time is wall-clock on the machine that answers: the same question gives other numbers."


def seconds(run: Callable[[], object], times: int = 3) -> float:
    """The time in seconds of the fastest of `times` runs."""
    return min(once(run) for _ in range(times))


def once(run: Callable[[], object]) -> float:
    """The time of one run in seconds."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
