"""The clock: how long something takes here. It is read only where a question asks for it: an answer
with a time cannot be repeated.
"""

import time
from collections.abc import Callable

NOTE = "The time is wall-clock on the machine that answers: the same question gives other numbers."


def seconds(run: Callable[[], object], times: int = 3) -> float:
    """The shortest of `times` runs."""
    return min(once(run) for _ in range(times))


def once(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
