"""What a scenario promised and what it found, as a table and as JSON."""

import contextlib
import os
import textwrap
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from tests.cost import USUAL, piece

SLOWEST = 8  # times as long is what a machine may take that others keep busy


@dataclass(frozen=True)
class Figure:
    """One thing measured. `held` is None for a figure that nothing was promised about."""

    what: str
    found: str
    promised: str = ""
    held: bool | None = None


@dataclass
class Report:
    """The figures of one scenario, the day, how long it took, how many cores the machine has, how
    many times as slow as usual one was, and how many of them other programs used.
    """

    name: str
    fault: str
    done: str
    promised: str
    figures: list[Figure] = field(default_factory=list)
    day: str = ""
    seconds: float = 0.0
    cores: int = 0
    slowness: float = 0.0
    others_cores: float = 0.0

    @property
    def held(self) -> bool:
        return bool(self.figures) and all(figure.held is not False for figure in self.figures)

    def note(self, what: str, found: object) -> None:
        """A figure without a promise."""
        self.figures.append(Figure(what, text_of(found)))

    def holds(self, what: str, held: bool, found: object = "") -> None:
        self.figures.append(Figure(what, text_of(found) or ("yes" if held else "no"), "yes", held))

    def equal(self, what: str, found: object, promised: object) -> None:
        self.figures.append(Figure(what, text_of(found), text_of(promised), found == promised))

    def at_most(self, what: str, found: float, promised: float, unit: str = "") -> None:
        words = f"{text_of(found)}{unit}", f"<= {text_of(promised)}{unit}"
        self.figures.append(Figure(what, *words, found <= promised))

    def at_least(self, what: str, found: float, promised: float, unit: str = "") -> None:
        words = f"{text_of(found)}{unit}", f">= {text_of(promised)}{unit}"
        self.figures.append(Figure(what, *words, found >= promised))

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "held": self.held}


def text_of(value: object) -> str:
    """A number with three digits; anything else as it is."""
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return str(value)


def quantile(values: list[float], share: float) -> float:
    """The smallest value that this share of all is not above; 0 if there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


@dataclass(frozen=True)
class Scenario:
    """A fault, what is done to bring it about, and what is promised under it.

    `run` writes into its report; it ends after `most` seconds of a machine of reference cores
    that does nothing else.
    """

    name: str
    fault: str
    done: str
    promised: str
    run: Callable[..., None]
    most: float = 180.0


def processor_seconds() -> tuple[float, float]:
    """Seconds that all cores of the machine have worked, and that this process and what it began
    has.
    """
    with open("/proc/stat") as file:
        ticks = [int(part) for part in file.readline().split()[1:9]]
    busy = sum(ticks) - ticks[3] - ticks[4]
    ours = sum(processor_ticks().values())
    return busy / os.sysconf("SC_CLK_TCK"), ours / os.sysconf("SC_CLK_TCK")


def processor_ticks() -> dict[int, int]:
    """Of this process and all that descend from it, with the children that each has waited for."""
    parents, ticks = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            pid = int(path.parent.name)
            parents[pid], ticks[pid] = int(fields[1]), sum(map(int, fields[11:15]))
    family = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return {pid: ticks[pid] for pid in family if pid in ticks}


class Clock:
    """Times a scenario, and tells how many cores other programs used meanwhile."""

    def __init__(self) -> None:
        self.begun, self.before = time.monotonic(), processor_seconds()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begun

    @property
    def others_cores(self) -> float:
        busy, ours = (new - old for new, old in zip(processor_seconds(), self.before, strict=True))
        return max(0.0, busy - ours) / self.seconds

    @property
    def times_as_long(self) -> float:
        """How many times as long things take here: on slower cores, some of which others use."""
        cores = os.cpu_count() or 1
        free = max(cores - self.others_cores, cores / SLOWEST)
        return max(1.0, piece() / USUAL) * cores / free

    def stop(self, report: Report) -> None:
        report.seconds, report.others_cores = round(self.seconds, 1), round(self.others_cores, 2)
        report.day, report.cores = date.today().isoformat(), os.cpu_count() or 1
        report.slowness = round(piece() / USUAL, 2)


def table(reports: list[Report]) -> str:
    """One block for each scenario: what was done, and every figure beside its promise."""
    return "\n\n".join(map(block, reports))


def block(report: Report) -> str:
    verdict = "held" if report.held else "BROKEN"
    head = (
        f"{report.name}: {verdict}  ({report.seconds:.0f} s; other programs used"
        f" {report.others_cores:.1f} cores)"
    )
    about = textwrap.indent(
        textwrap.fill(f"{report.fault}. {report.done} Promised: {report.promised}", 96), "  "
    )
    width = max((len(figure.what) for figure in report.figures), default=0)
    promised = [figure for figure in report.figures if figure.held is not None]
    found = min(40, max((len(figure.found) for figure in promised), default=0))
    marks = {True: "held", False: "BROKEN", None: ""}
    rows = [
        f"  {figure.what:{width}}  {figure.found:{found}}  {figure.promised:12}"
        f" {marks[figure.held]}".rstrip()
        for figure in report.figures
    ]
    return "\n".join([head, about, *rows])
