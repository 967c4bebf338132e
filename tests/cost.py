"""What the tests cost in processor seconds: a test process, its servers and its browser together.

A busy machine changes how long a test lasts, and a core that shares its clock and its caches with
others' work takes up to twice as many processor seconds for the same. So a small piece of work is
measured all along, and the cost is given in seconds of the reference core.

A browser that is closed leaves some of its processes to nobody, and what they cost is known only
while they live. So it is read before the last test of a process closes its browser.

Prints the ten tests and the ten files that cost most, and fails a run that costs more than its
budget.
"""

import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

import pytest

TICKS = os.sysconf("SC_CLK_TCK")
LISTED = 10
SHORT = 0.05  # seconds; what other processes do meanwhile is not worth looking for
USUAL = 2.4e-3  # processor seconds of `piece` on the core whose seconds the budget counts


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--budget",
        type=float,
        metavar="SECONDS",
        help="fail if all tests together cost more processor seconds",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Cost(config), "cost")


def spent() -> float:
    """Processor seconds of this process and of all that it has begun, the ended ones too. Where
    there is no /proc: of this process and of the children that have ended.
    """
    return sum(os.times()[:4]) + of_living()


def of_living() -> float:
    """Processor seconds of those that this process has begun and that have not ended."""
    known = {os.getpid()}
    ticks = 0
    for pid, parent, used in processes():
        if parent in known:
            known.add(pid)
            ticks += used
    return ticks / TICKS


def processes() -> list[tuple[int, int, int]]:
    """Each process, its parent, and its ticks with those of its children that have ended; parents
    come before their children, unless numbers have begun anew.
    """
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended meanwhile
        found.append((int(folder.name), int(fields[1]), sum(map(int, fields[11:15]))))
    return sorted(found)


def piece() -> float:
    """Processor seconds of a small piece of work that is always the same."""
    begun = time.thread_time()
    table = {}
    for number in range(20_000):
        table[number % 997] = str(number)
    return time.thread_time() - begun


class Cost:
    """Measures each test in the process that runs it; the process that reports has begun the others
    and counts them all.
    """

    def __init__(self, config: pytest.Config):
        self.config = config
        self.tests: dict[str, float] = {}
        self.pieces: list[float] = []
        self.total = 0.0
        self.of_others = 0.0
        self.before = 0.0

    def pytest_collection_finish(self) -> None:
        self.before = spent()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Iterator[None]:
        begun, cpu_begun = time.perf_counter(), time.process_time()
        result = yield
        if time.perf_counter() - begun < SHORT:
            self.tests[item.nodeid] = cost = time.process_time() - cpu_begun
            self.before += cost
        else:
            self.pieces.append(piece())
            after = self.total if nextitem is None else spent()
            self.tests[item.nodeid] = after - self.before
            self.before = after
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        if nextitem is None:
            self.total = spent()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["cost"] = self.tests, self.total, self.pieces
            return
        if self.of_others:
            self.total = self.of_others + sum(os.times()[:2]) + of_living()
        if self.over:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        tests, total, pieces = getattr(node, "workeroutput", {}).get("cost", ({}, 0.0, []))
        self.tests |= tests
        self.of_others += total
        self.pieces += pieces

    @property
    def slowness(self) -> float:
        """How many times slower these cores are than the reference core. At least 1: the piece
        stays in the caches, so a core with a high clock is faster at it than at the tests.
        """
        return max(1.0, mean(self.pieces or [USUAL]) / USUAL)

    @property
    def work(self) -> float:
        """Processor seconds of the reference core."""
        return self.total / self.slowness

    @property
    def over(self) -> bool:
        budget = self.config.getoption("budget")
        return budget is not None and self.work > budget

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        budget = self.config.getoption("budget")
        if budget is None:
            return
        terminalreporter.section("processor seconds")
        files: Counter[str] = Counter()
        for name, seconds in self.tests.items():
            files[name.partition("::")[0]] += seconds
        for dearest in (Counter(self.tests), files):
            for name, seconds in dearest.most_common(LISTED):
                terminalreporter.write_line(f"{seconds:7.1f}  {name}")
        terminalreporter.write_line(
            f"{self.total:7.0f}  all {len(self.tests)} tests, on cores that take"
            f" {self.slowness:.2f} times as long as the reference core: {self.work:.0f};"
            f" {budget:.0f} are allowed"
        )
        if self.over:
            terminalreporter.write_line(
                f"The tests cost {self.work:.0f} processor seconds of the reference core,"
                f" {self.work - budget:.0f} more than they may: make one of those above cheaper"
                " before another comes.",
                red=True,
            )
