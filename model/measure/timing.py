"""Wall-clock timing of a function, only if a question requests it, because an answer with a time is
not reproducible.
"""

import time
from collections.abc import Callable

NOTE = "Times are measured on this server, so they vary from run to run."


def seconds(run: Callable[[], object], times: int = 3) -> float:
    """The time in seconds of the fastest of `times` runs."""
    return min(once(run) for _ in range(times))


def once(run: Callable[[], object]) -> float:
    """The time of one run in seconds."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
