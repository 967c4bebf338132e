"""A selection of tests, run in a copy of the tree: by a child that finds torch and pytest imported
already, or by `node --test`. What a child imports of the product is the copy's.
"""

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SECONDS = 240  # of one change, which may make a loop endless
OF_ALL = 900  # of all selections of one place together
WIDTH = "400"  # of pytest's lines, so that the first line of a failure is whole
WIDEST = 160  # of what node says
OURS = ("app", "model", "tests")
GREEN, RED, NONE = 0, 1, 5  # as pytest exits
RED_OF_PYTEST = re.compile(r"^(?:SUBFAILED|FAILED|ERROR)\b.*", re.MULTILINE)
RED_OF_NODE = re.compile(r"^ *not ok \d+ - (.+)$", re.MULTILINE)
WHY = re.compile(r"^( *)error: (?:\|-\n((?:\1 .*\n|\n)+)|(.*))", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """How a selection ended, and the first line of what failed."""

    code: int
    line: str = ""


def outcome(selection: str, copy: Path, output: Path, seconds: int = SECONDS) -> Outcome:
    """The outcome of a selection in the tree at `copy`; what it prints goes to a file."""
    by_node = selection.endswith(".js")
    child = os.fork()
    if not child:
        os.setsid()
        try:
            into(output)
            os.chdir(copy)
            code = node(selection) if by_node else pytest_of(selection, copy)
        except BaseException:  # no child goes on as its parent
            traceback.print_exc()
            code = 3
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    try:
        with at_most(seconds):
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except TimeoutError:
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return Outcome(3, f"no end within {seconds} s")
    printed = output.read_text(encoding="utf-8", errors="replace")
    return Outcome(code, "" if code == GREEN else first_line(printed, by_node))


def pytest_of(selection: str, copy: Path) -> int:
    """How pytest ends, of the modules in the copy. A process calls this once."""
    import pytest

    for name in [name for name in sys.modules if name.split(".")[0] in OURS]:
        del sys.modules[name]
    sys.path[:] = [str(copy), *(path for path in sys.path if path not in ("", os.environ["TREE"]))]
    os.environ["COLUMNS"] = WIDTH
    plain = ["-x", "-q", "--color=no", "--tb=short", "-p", "no:cacheprovider"]
    plain += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # the parent imported some plugins
    return int(pytest.main([*plain, *shlex.split(selection)]))


def node(selection: str) -> int:
    return subprocess.call(["node", "--test", "--test-reporter=tap", selection])


def into(output: Path) -> None:
    """What this process prints goes to a file."""
    with output.open("wb") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)


@contextlib.contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raises TimeoutError after so many seconds."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def first_line(printed: str, by_node: bool) -> str:
    """The test that failed first, and the first line of why."""
    last = (printed.strip().splitlines() or ["nothing was printed"])[-1]
    if not by_node:
        found = RED_OF_PYTEST.search(printed)
        return found[0] if found else last
    if not (test := RED_OF_NODE.search(printed)):
        return last
    why = WHY.search(printed, test.end())
    return f"{test[1]}: {' '.join((why[2] or why[3]).split())[:WIDEST] if why else ''}"
