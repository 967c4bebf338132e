"""How long a worker takes to start, and how much memory it has when it is warm. It imports no
Plotly, which draws in browsers and notebooks alone.
"""

import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from app.compute.pausable import Progress
from app.worker import process as worker
from tests.benchmarks.timing import Row
from tests.cost import TICKS


def has_plotly() -> bool:
    """Whether this process has imported Plotly, when it has imported all that it does by itself."""
    worker.State.analyses.load_ahead()
    return "plotly" in sys.modules


def spent(process: int) -> float:
    """Seconds of the processor since the process began."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident(process: int) -> float:
    """MB of its memory."""
    pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize() / 1e6


def rows() -> list[Row]:
    # The worker reads this file too, and what it does not import itself does not count.
    from tests.benchmarks.figures import SIZES, page

    spawning = get_context("spawn")
    begun = time.monotonic()
    started = worker.begin, (spawning.Value("d", begun, lock=False),)
    with ProcessPoolExecutor(1, spawning, *started) as pool:
        process = pool.submit(worker.warm, "model.analyses", SIZES).result()
        seconds, start = time.monotonic() - begun, spent(process)
        assert not pool.submit(has_plotly).result(), "the worker has imported Plotly"
        for number, task in enumerate(page("i am cold")):
            answer = partial(pool.submit, worker.answer, str(number), *task, True)
            while isinstance(outcome := answer().result(), Progress):
                pass  # its turn was over
            assert isinstance(outcome, bytes), outcome
        assert not pool.submit(has_plotly).result(), "a figure has imported Plotly"
        memory = resident(process)
    return [
        Row(
            "the worker's start, without Plotly",
            start,
            2,
            unit=" s",
            note=f"of the processor; {seconds:.1f} s after its spawn it was ready",
        ),
        Row("memory of the warm worker, without Plotly", memory, 400, unit=" MB"),
    ]
