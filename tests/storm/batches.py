"""A class whose questions are computed together, when what computes them is lost and when there are
more than can be computed.
"""

import asyncio
import os
import random
import signal
import time
from collections.abc import Callable
from itertools import count

from tests.app.serving import Running, wait_for
from tests.app.test_server import unread
from tests.benchmarks.service import question_of
from tests.storm.client import Answer, Connection, Request, watched
from tests.storm.ground import REAL, Ground
from tests.storm.judge import Base, Judge
from tests.storm.load import Browser, load, p95, warm
from tests.storm.report import Report, Scenario, quantile
from tests.storm.workers import ready

STUDENTS, SECONDS = 60, 25.0
FAULTS = (signal.SIGKILL, signal.SIGSTOP, signal.SIGKILL, signal.SIGKILL)
REFUSED = "/api/v1/attention?model=translator&source=+"
LEAVING, SLOW = 10, 6
CROWD, CROWD_SECONDS = 200, 12.0
WAITING = 20
"""With so many questions waiting, those of a turn are computed together."""


class Student(Browser):
    """Who asks again where there was no place."""

    async def types(self, path: str) -> Answer:
        answer = await self.ask(Request(path, headers=self.cookie))
        if answer.status == 503:
            await asyncio.sleep(1)
        return answer


def batches(report: Report, ground: Ground) -> None:
    ground.quiet(REAL)  # begun before anything is measured
    with ground.server(REAL) as server:
        warm(server)
        base = Base.of(server)
        answers, most = asyncio.run(storm(server, random.Random(2)))
        server.until_ready()
        report.at_least("questions that waited at once", most, WAITING)
        report.equal("workers replaced", load(server)["workers_replaced"], len(FAULTS))
        whole = [answer for answer in answers if answer.request.path != REFUSED]
        lost = sum(answer.status != 200 for answer in whole)
        report.note("of different sentences answered, refused", f"{len(whole) - lost}, {lost}")
        blank = {answer.status for answer in answers if answer.request.path == REFUSED}
        report.equal("an empty sentence among them", blank - {503}, {422})
        Judge(refusals=(503, 422), answers=answers).report(report, ground.quiet(REAL), compared=150)
        wait_for(lambda: load(server)["waiting"] == 0, 60)
        base.report(report, server)


async def storm(server: Running, chance: random.Random) -> tuple[list[Answer], int]:
    """The answers of students who ask without a pause while workers are lost, some clients leave
    and some do not read; and how many questions waited at once.
    """
    students = [Student(server.port) for _ in range(STUDENTS)]
    await asyncio.gather(*(student.enter() for student in students))
    answers, number, over, waited = list[Answer](), count(20_000), asyncio.Event(), [0]

    async def study(student: Student) -> None:
        while not over.is_set():
            path = REFUSED if chance.random() < 0.1 else question_of(next(number))
            answers.append(await student.types(path))
        student.close()

    async def leave() -> None:
        while not over.is_set():
            leaving = Connection(server.port, source="127.0.0.6")
            asking = asyncio.ensure_future(leaving.ask(Request(question_of(next(number)))))
            await asyncio.sleep(0.3)
            leaving.close(reset=True)
            await asking

    async def watch() -> None:
        while not over.is_set():
            waited[0] = max(waited[0], (await asyncio.to_thread(load, server))["waiting"])
            await asyncio.sleep(0.2)

    slow = await asyncio.to_thread(unread, server, SLOW, question_of(next(number)).encode())
    doing = [*map(study, students), *(leave() for _ in range(LEAVING)), watch()]
    running = [asyncio.ensure_future(work) for work in doing]
    connection = Connection(server.port, source="127.0.0.7")
    for done, fault in enumerate(FAULTS):
        await ready(connection, done)
        await asyncio.sleep(chance.uniform(1, 3))
        os.kill(await asyncio.to_thread(server.worker), fault)
    await ready(connection, len(FAULTS))
    await asyncio.sleep(2)
    over.set()
    await asyncio.gather(*running)
    for client in (connection, *slow):
        client.close()
    return answers, waited[0]


def sentences(report: Report, ground: Ground) -> None:
    ground.quiet(REAL)
    with ground.server(REAL) as server:
        warm(server)
        by_student, health = asyncio.run(crowd(server))
        answered = [sum(answer.status == 200 for answer in answers) for answers in by_student]
        in_a_row = max(longest(answers, lambda a: a.status != 200) for answers in by_student)
        took = [a.seconds for answers in by_student for a in answers if a.status == 200]
        report.note("answers a second", round(sum(answered) / CROWD_SECONDS))
        report.at_least("answers of the student who has fewest", min(answered), 1)
        report.at_most("tries refused in a row", in_a_row, 3)
        report.at_most("95 % of the answers within", quantile(took, 0.95), 3.5, " s")
        report.at_most("health, 95 % within", p95(health), 0.15, " s")
        everything = [answer for answers in by_student for answer in answers]
        Judge(answers=everything).report(report, ground.quiet(REAL), compared=100)


async def crowd(server: Running) -> tuple[list[list[Answer]], list[Answer]]:
    """What each of many students is answered who ask different questions without a pause."""
    students = [Student(server.port) for _ in range(CROWD)]
    await asyncio.gather(*(student.enter() for student in students))
    number = count(40_000)
    ends = time.perf_counter() + CROWD_SECONDS

    async def study(student: Student) -> list[Answer]:
        answers = []
        while time.perf_counter() < ends:
            answers.append(await student.types(question_of(next(number))))
        student.close()
        return answers

    async with watched(server.port) as health:
        by_student = await asyncio.gather(*map(study, students))
    return by_student, health


def longest(answers: list[Answer], condition: Callable[[Answer], bool]) -> int:
    """How many answers in a row meet the condition at most."""
    most = now = 0
    for answer in answers:
        now = now + 1 if condition(answer) else 0
        most = max(most, now)
    return most


SCENARIOS = (
    Scenario(
        "batches",
        "Questions that are computed together, when the worker is lost",
        f"{STUDENTS} students type sentences of their own without a pause; the worker is killed"
        f" {FAULTS.count(signal.SIGKILL)} times and stopped once; one sentence of ten is empty,"
        f" {LEAVING} clients leave again and again, and {SLOW} do not read.",
        "only answers, 503s and the refusal of the empty sentence, each as alone.",
        batches,
        most=240,
    ),
    Scenario(
        "sentences",
        "More different sentences than can be computed",
        f"{CROWD} students type sentences of their own without a pause.",
        "every student is answered, nobody is refused more than three times in a row, and the"
        " health check is quick.",
        sentences,
        most=120,
    ),
)
