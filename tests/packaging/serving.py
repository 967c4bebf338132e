"""A `vitrine` started as a user starts it, found by the address it prints, and stopped as a user
stops it.
"""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

from tests.app.serving import PATIENT, Running

PATIENCE = 600  # seconds, on a machine that has much else to do


@contextmanager
def served(program: Path, folder: Path) -> Iterator[Running]:
    """`program` on a free port, started in `folder`; it must end with 0 when interrupted."""
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        **{f"VITRINE_{name.upper()}": str(value) for name, value in PATIENT.items()},
        "VITRINE_RUNS": str(folder / "runs"),
    }
    process = subprocess.Popen(
        [program, "--port", "0"], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    )
    alarm = Timer(PATIENCE, process.kill)
    alarm.start()
    try:
        line = process.stdout.readline()
        alarm.cancel()
        address = re.search(r"http://\S+", line)
        assert address, f"It printed {line!r}."
        yield Running(process, address[0].rstrip("/"), folder / "calls")
    finally:
        process.send_signal(signal.SIGINT)
        code = process.wait(PATIENCE)
        process.stdout.close()
    assert code == 0
