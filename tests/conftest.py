"""What every test and every process that a test begins can rely on: the time zone, the language,
one thread for each computation, and shapes that are checked while the tests run.
"""

import os
import random
import time

# Before numpy and torch are imported: they read the number of threads once.
os.environ |= {
    "TZ": "UTC",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
time.tzset()

import jaxtyping  # noqa: E402

from tests import checked  # noqa: E402

jaxtyping.jaxtyped = checked.at_first
jaxtyping.install_import_hook("model", "beartype.beartype")


def pytest_runtest_setup() -> None:
    checked.next_test()


def pytest_configure() -> None:
    """Draws the seed of the fuzz once; the processes that share the tests inherit it."""
    os.environ.setdefault("VITRINE_FUZZ_SEED", str(random.randrange(10**6)))


def pytest_report_header() -> str:
    return f"VITRINE_FUZZ_SEED={os.environ['VITRINE_FUZZ_SEED']}"
