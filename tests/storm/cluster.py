"""Replicas of a Ray cluster are lost, and its head. Only where Ray is installed: `make cluster`
installs it.
"""

import asyncio
import os
import signal
import time
from itertools import count
from pathlib import Path

from tests.app.serving import Running, read, wait_for
from tests.benchmarks.service import question_of
from tests.storm.batches import Student
from tests.storm.client import Answer
from tests.storm.ground import REAL, Ground
from tests.storm.judge import Judge
from tests.storm.load import warm
from tests.storm.report import Report, Scenario

STUDENTS, KILLED = 40, 3
REPLICA, HEAD = b"ray::ServeReplica", b"/gcs_server"
QUIET = {"PYTHONWARNINGS": "ignore"}
"""Ray warns of much of its own."""
A_MINUTE = 60.0  # in which Ray waits for its head


def processes(program: bytes) -> list[int]:
    """The processes of this machine whose program has this in its name."""
    found = {int(path.parent.name): read(path) for path in Path("/proc").glob("[0-9]*/cmdline")}
    return [pid for pid, line in found.items() if program in line.split(b"\0")[0]]


def replica(report: Report, ground: Ground) -> None:
    ground.alone(REAL)
    with ground.server(REAL, QUIET, engine="ray", replicas="2") as server:
        warm(server)
        answers = asyncio.run(storm(server))
        report.equal("replicas afterwards", len(processes(REPLICA)), 2)
        lost = sum(answer.status != 200 for answer in answers)
        report.note("of different sentences answered, refused", f"{len(answers) - lost}, {lost}")
        Judge(answers=answers).report(report, ground.alone(REAL), compared=100)


async def storm(server: Running) -> list[Answer]:
    """What students are answered while one replica after another is killed."""
    students, answers, number = [Student(server.port) for _ in range(STUDENTS)], [], count(60_000)
    await asyncio.gather(*(student.enter() for student in students))
    over = asyncio.Event()

    async def study(student: Student) -> None:
        while not over.is_set():
            answers.append(await student.types(question_of(next(number))))
        student.close()

    studying = [asyncio.ensure_future(study(student)) for student in students]
    for _ in range(KILLED):
        before = len(answers)
        await asyncio.to_thread(wait_for, lambda before=before: len(answers) > before + 50)
        os.kill(processes(REPLICA)[0], signal.SIGKILL)
        await asyncio.to_thread(wait_for, lambda: len(processes(REPLICA)) == 2)
    over.set()
    await asyncio.gather(*studying)
    return answers


def head(report: Report, ground: Ground) -> None:
    with ground.server(REAL, QUIET, engine="ray") as server:
        warm(server)
        (pid,) = [child for child in processes(HEAD) if is_below(child, server.process.pid)]
        os.kill(pid, signal.SIGKILL)
        begun = time.monotonic()
        statuses = asyncio.run(until_it_ends(server))
        report.equal("answers but 200 while the process lives", set(statuses) - {200}, set())
        report.at_least("seconds in which answers go on", time.monotonic() - begun, A_MINUTE - 10)
        wait_for(lambda: server.process.poll() is not None)
        report.equal("the code with which it ends", server.process.poll(), 1)


def is_below(pid: int, ancestor: int) -> bool:
    """Whether a process was begun by another, or by one that this has begun."""
    while pid > 1 and pid != ancestor:
        pid = int(read(Path(f"/proc/{pid}/stat")).rpartition(b")")[2].split()[1] or 0)
    return pid == ancestor


async def until_it_ends(server: Running) -> list[int]:
    """The statuses of different questions, one after another, while there are answers."""
    student, statuses, number = Student(server.port), [], count(80_000)
    await student.enter()
    while (answer := await student.types(question_of(next(number)))).status:
        statuses.append(answer.status)
        await asyncio.sleep(0.2)
    return statuses


SCENARIOS = (
    Scenario(
        "replica",
        "Replicas of a Ray cluster are lost",
        f"{KILLED} replicas of two are killed, one after another, while {STUDENTS} students type"
        " sentences of their own without a pause.",
        "only answers and 503s, each answer as alone; there are two replicas again.",
        replica,
        most=240,
    ),
    Scenario(
        "head",
        "The head of a Ray cluster is lost",
        "it is killed.",
        "answers go on for a minute; then the web process ends with 1, and whoever started it can"
        " start it again.",
        head,
        most=180,
    ),
)
