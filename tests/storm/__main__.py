"""`make storm`, or `make storm ARGS="overload workers"` for some: brings about every fault that the
server promises to survive, and says what was promised and what was found.

It asks only this machine, and ends by itself.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from tests.storm.ground import Ground
from tests.storm.report import Clock, Report, Scenario, block

GROUPS = (
    "inputs",
    "files",
    "sockets",
    "load",
    "workers",
    "trainings",
    "ending",
    "reviewed",
    "attacked",
    "batches",
    "lecture",
    "sweep",
    *(("cluster",) if find_spec("ray") else ()),
)
"""Those of a cluster need Ray, which `make cluster` installs."""


class TooLong(BaseException):
    """The scenario has taken longer than it may."""


def scenarios() -> dict[str, Scenario]:
    modules = (import_module(f"tests.storm.{group}") for group in GROUPS)
    return {scenario.name: scenario for module in modules for scenario in module.SCENARIOS}


@contextmanager
def given_up_after(seconds: float, clock: Clock) -> Iterator[None]:
    """Ends what takes longer, and waits on while a busy machine is why."""

    def give_up(signum: int, frame: object) -> None:
        left = seconds * clock.times_as_long - clock.seconds
        if left <= 0:
            raise TooLong(f"it was given up after {clock.seconds:.0f} s")
        signal.setitimer(signal.ITIMER_REAL, left)

    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def tried(scenario: Scenario, ground: Ground, patience: float) -> Report:
    report = Report(scenario.name, scenario.fault, scenario.done, scenario.promised)
    clock = Clock()
    try:
        with given_up_after(scenario.most * patience, clock):
            scenario.run(report, ground)
    except (Exception, TooLong) as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        why = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
        report.holds("the scenario came to its end", False, why[:300])
    clock.stop(report)
    return report


def keep(path: Path, report: Report) -> None:
    """Writes a report among those of a file, a line each, in the place of the scenario's last."""
    reports = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    by_name = {row["name"]: row for row in reports} | {report.name: report.as_dict()}
    order = [name for name in scenarios() if name in by_name]
    lines = ",\n".join(json.dumps(by_name[name], ensure_ascii=False) for name in order)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    known = scenarios()
    parser = argparse.ArgumentParser(prog="storm", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="SCENARIO", help=", ".join(known))
    parser.add_argument("--json", type=Path, metavar="FILE", help="also keep the figures there")
    parser.add_argument(
        "--patience",
        type=float,
        default=1.0,
        help="a factor for the time after which a scenario is given up; no promise changes (1)",
    )
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in known:
            parser.error(f"There is no scenario {name!r}; there are {', '.join(known)}.")
    signal.signal(signal.SIGTERM, lambda signum, frame: sys.exit(143))  # ends what was begun
    reports = []
    with tempfile.TemporaryDirectory() as folder:
        ground = Ground(Path(folder))
        try:
            for name in options.names or known:
                print(f"{name} …", file=sys.stderr, flush=True)
                reports.append(tried(known[name], ground, options.patience))
                print(block(reports[-1]), end="\n\n", flush=True)
                if options.json:
                    keep(options.json, reports[-1])
        finally:
            ground.close()
    broken = [report.name for report in reports if not report.held]
    seconds = sum(report.seconds for report in reports)
    print(
        f"{len(reports) - len(broken)} of {len(reports)} scenarios held in {seconds:.0f} s, clients"
        f" and servers on the same {os.cpu_count()} cores."
        + (f" Broken: {', '.join(broken)}." if broken else "")
    )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
