"""What every test and every process that a test begins can rely on: the time zone, the language,
one thread for each computation, shapes that are checked while the tests run, and the same draws in
every run, however slow the machine is.
"""

import gc
import logging
import os
import random
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

# Before numpy and torch are imported: they read the number of threads once.
os.environ |= {
    "TZ": "UTC",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VITRINE_MODELS": os.devnull,  # whoever runs the tests may have models of their own
    "VITRINE_OPENINGS": "false",  # else every server of a test would compute for a minute
}
time.tzset()

import jaxtyping  # noqa: E402
import pytest  # noqa: E402
import torch  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

from app.compute.allocator import keep_freed_memory, loading  # noqa: E402
from tests import checked  # noqa: E402
from tests.app import serving  # noqa: E402
from tests.app.serving import Running, running  # noqa: E402
from tests.scheduling import pytest_xdist_make_scheduler  # noqa: E402, F401

settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")

gc.disable()  # until all is loaded, which `pytest_collection` ends
keep_freed_memory()  # as the worker
jaxtyping.jaxtyped = checked.at_first
jaxtyping.install_import_hook("model", "beartype.beartype")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What the tests and libraries have built until now stays to the end: the collector, which
    goes through everything again and again, need not look at it, nor so often.
    """
    with loading():
        result = yield
    for name, logger in logging.root.manager.loggerDict.items():
        if name.startswith("torch") and isinstance(logger, logging.Logger):
            logger.propagate = True  # pytest listens anew, for each test, to each that does not
    gc.set_threshold(50_000, 20, 20)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    result = yield
    if nextitem is None or nextitem.path != item.path:
        checked.next_file()
    return result


def pytest_runtest_setup() -> None:
    # Whichever tests came before in this process. beartype draws which item of a list it checks.
    random.seed(0)
    torch.default_generator.manual_seed(0)  # of the processor alone: a tenth of the time


def pytest_configure() -> None:
    """The seed of the fuzz. Another one asks other questions."""
    os.environ.setdefault("VITRINE_FUZZ_SEED", "1")


def pytest_report_header() -> str:
    return f"VITRINE_FUZZ_SEED={os.environ['VITRINE_FUZZ_SEED']}"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--one-house",
        action="store_true",
        help="one real server for all processes of the tests, which begins with the first of them",
    )


HOUSE = pytest.StashKey[tuple[ExitStack, Running]]()
OF_THE_HOUSE: Any = {
    "analyses": serving.OF_THE_HOUSE,
    "cache_bytes": 1 << 30,
    "talks": serving.TALKS,
}
"""What one test has asked, the next need not compute."""


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tells a process of the tests where the one server is."""
    config = node.config
    if config.getoption("--one-house"):
        if HOUSE not in config.stash:
            begun = ExitStack()
            folder = Path(begun.enter_context(TemporaryDirectory()))
            config.stash[HOUSE] = begun, begun.enter_context(running(folder, **OF_THE_HOUSE))
        server = config.stash[HOUSE][1]
        node.workerinput["house"] = [server.process.pid, server.address, str(server.calls)]


def pytest_unconfigure(config: pytest.Config) -> None:
    if HOUSE in config.stash:
        config.stash[HOUSE][0].close()


@pytest.fixture(scope="session")
def house(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """The real thing, warm: one server for the tests of the app and those in a browser."""
    known = getattr(request.config, "workerinput", {}).get("house")
    if known:
        pid, address, calls = known
        yield Running(SimpleNamespace(pid=pid), address, Path(calls)).until_ready()
    else:
        with running(tmp_path_factory.mktemp("house"), **OF_THE_HOUSE) as server:
            yield server.until_ready()
