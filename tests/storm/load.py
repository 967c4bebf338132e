"""A class of 200 at once, and clients that leave."""

import asyncio
import socket
import struct
import time
from collections.abc import Callable
from functools import partial
from itertools import count

from app.site.services import QUESTIONS_KEPT
from tests.app.serving import Running, wait_for
from tests.app.test_server import processor_time
from tests.benchmarks.service import SAME, question_of
from tests.storm.client import Answer, Connection, Request, watched
from tests.storm.ground import REAL, WARM_UP, Ground, rests
from tests.storm.judge import Base, Judge
from tests.storm.report import Report, Scenario, quantile

CLIENTS = 200
SECONDS = 8.0
LEAVING = 500
STUDENTS, FLOODING = 10, 40
COOKIES, ELSEWHERE = 300, "127.0.0.5"


async def ask_all(
    port: int, path: Callable[[int], str], requests: int
) -> tuple[list[Answer], float, list[Answer]]:
    """Every client asks `requests` times, or until time is over: the answers, the seconds that it
    took, and the health checks meanwhile.
    """
    bodies: dict[bytes, bytes] = {}
    clients = [Connection(port, bodies=bodies) for _ in range(CLIENTS)]
    answers: list[Answer] = []
    for client in clients:
        await client.open()
    async with watched(port) as health:
        begun = time.perf_counter()

        async def ask(number: int, client: Connection) -> None:
            for _ in range(requests):
                if time.perf_counter() - begun > SECONDS:
                    break
                answers.append(await client.ask(Request(path(number))))

        await asyncio.gather(*(ask(number, client) for number, client in enumerate(clients)))
        seconds = time.perf_counter() - begun
    for client in clients:
        client.close()
    return answers, seconds, health


def overload(report: Report, ground: Ground) -> None:
    ground.quiet(REAL)  # begun before anything is measured
    with ground.server(REAL) as server:
        warm(server)
        wait_for(lambda: rests(server), WARM_UP)
        base = Base.of(server)
        same(report, server, ground)
        distinct(report, server, ground)
        base.report(report, server)


def warm(server: Running) -> None:
    """Every thread that a busy server keeps is begun before anything is counted."""
    asyncio.run(ask_all(server.port, lambda number: question_of(1_000 + number % 20), 1))


def same(report: Report, server: Running, ground: Ground) -> None:
    computed = load(server)["answered_by_worker"]
    before = processor_time(server)
    answers, seconds, health = asyncio.run(ask_all(server.port, lambda _: SAME, 20))
    spent = processor_time(server) - before
    took = [answer.seconds for answer in answers]
    report.at_least("200 alike: answers a second", len(answers) / seconds, 500)
    report.at_most("200 alike: 95 % within", quantile(took, 0.95), 0.6, " s")
    report.at_most("200 alike: health, 95 % within", p95(health), 0.15, " s")
    report.note("200 alike: answers a second of the server's core", len(answers) / spent)
    report.equal("200 alike: computations", load(server)["answered_by_worker"] - computed, 1)
    judge = Judge(refusals=(), answers=answers)
    judge.report(report, ground.quiet(REAL))


def distinct(report: Report, server: Running, ground: Ground) -> None:
    before = processor_time(server)
    answers, _, health = asyncio.run(ask_all(server.port, question_of, 1))
    spent = processor_time(server) - before
    refused = [answer for answer in answers if b" ahead; yours" in answer.body]
    admitted = [answer for answer in answers if b" ahead; yours" not in answer.body]
    late = [answer for answer in admitted if answer.status != 200 or answer.seconds > 3.5]
    report.note("200 different: admitted", len(admitted))
    took = [answer.seconds for answer in admitted]
    report.at_most("200 different: 95 % of the admitted within", quantile(took, 0.95), 3.5, " s")
    took = [answer.seconds for answer in refused]
    report.at_most("200 different: 95 % of the refused within", quantile(took, 0.95), 0.25, " s")
    share = round(100 * len(late) / max(1, len(admitted)), 1)
    report.at_most("200 different: late among the admitted", share, 5, " %")
    report.at_most("200 different: health, 95 % within", p95(health), 0.15, " s")
    report.note("200 different: processor time of the server", f"{spent:.2f} s")
    Judge(answers=answers).report(report, ground.quiet(REAL))


def p95(answers: list[Answer]) -> float:
    return quantile([answer.seconds for answer in answers], 0.95)


def load(server: Running) -> dict:
    with server.client() as client:
        return client.get("/api/v1/limits").json()["load"]


def share(report: Report, ground: Ground) -> None:
    """Each student is a browser, the flooder a script of one address."""
    with ground.server(REAL) as server:
        warm(server)
        baseline, _ = asyncio.run(beside_a_flooder(server.port, connections=0))
        students, flooder = asyncio.run(beside_a_flooder(server.port, FLOODING))
    report.note("students alone: 95 % within", f"{p95(baseline):.2f} s")
    answered(report, students, flooder)
    Judge(answers=[*students, *flooder]).report(report, ground.quiet(REAL))


def cookies(report: Report, ground: Ground) -> None:
    """The same script with as many cookies as connections. What takes a fiftieth of a second takes
    it on any machine.
    """
    with ground.server() as server:
        asyncio.run(beside_a_flooder(server.port, 0, question=fiftieth))
        students, flooder = asyncio.run(
            beside_a_flooder(server.port, COOKIES, ELSEWHERE, question=fiftieth)
        )
    answered(report, students, flooder, within=3.5)
    Judge(answers=students).report(report)


def fiftieth(number: int) -> str:
    return fake(f"sleep 0.02 {number}")


def answered(
    report: Report, students: list[Answer], flooder: list[Answer], within: float = 2
) -> None:
    statuses = [answer.status for answer in students]
    report.note("the flooder's answers", sum(answer.status == 200 for answer in flooder))
    report.equal("students' questions without an answer", len(statuses) - statuses.count(200), 0)
    report.at_most("students: 95 % within", p95(students), within, " s")


class Browser(Connection):
    """A connection with the cookie of a browser of its own."""

    cookie: tuple[tuple[str, str], ...] = ()

    async def enter(self) -> "Browser":
        page = await self.ask(Request("/attention"), 60)
        named = b"set-cookie: "
        line = next(line for line in page.head.splitlines() if line.lower().startswith(named))
        self.cookie = (("Cookie", line[len(named) :].split(b";")[0].decode()),)
        return self


async def beside_a_flooder(
    port: int, connections: int, elsewhere: str = "", question: Callable[[int], str] = question_of
) -> tuple[list[Answer], list[Answer]]:
    """What students are answered who think two seconds, and one who asks with so many connections
    without a pause, all with sentences of their own. One from `elsewhere` has a cookie for each.
    """
    numbers = count(2_000 if connections else 0)
    students: list[Answer] = []
    flooder: list[Answer] = []
    flood = [
        Browser(port, elsewhere) if elsewhere else Connection(port) for _ in range(connections)
    ]
    if elsewhere:
        await asyncio.gather(*(client.enter() for client in flood if isinstance(client, Browser)))
    study = await asyncio.gather(*(Browser(port).enter() for _ in range(STUDENTS)))
    ends = time.perf_counter() + SECONDS

    async def ask(client: Connection, answers: list[Answer], pause: float) -> None:
        headers = client.cookie if isinstance(client, Browser) else ()
        while time.perf_counter() < ends:
            answers.append(await client.ask(Request(question(next(numbers)), headers=headers)))
            if pause or answers[-1].status == 503:
                await asyncio.sleep(pause or 0.3)
        client.close()

    asking = [ask(client, flooder, 0) for client in flood]
    asking += [ask(client, students, 2) for client in study]
    await asyncio.gather(*asking)
    return students, flooder


def disconnects(report: Report, ground: Ground) -> None:
    """Half of the clients close, half of them are gone without a word."""
    patient = {"patience_seconds": 600, "deadline_seconds": 60, "hard_seconds": 120}
    with ground.server(**patient) as server:
        for turn in range(QUESTIONS_KEPT // CLIENTS):  # what addresses were read as is kept
            asyncio.run(ask_all(server.port, partial(quick, turn), 1))
        base = Base.of(server)
        first = opened(server, "sleep 5 first")
        wait_for(lambda: server.begun("sleep 5 first"))
        leaving = [opened(server, f"gone {number}") for number in range(LEAVING)]
        wait_for(lambda: load(server)["waiting"] >= LEAVING or server.begun("gone"), 60)
        unstarted = LEAVING - len(server.begun("gone"))
        for number, connection in enumerate(leaving):
            if number % 2:
                linger = struct.pack("ii", 1, 0)  # a reset instead of an orderly end
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            connection.close()
        wait_for(lambda: load(server)["waiting"] == 0, 60)
        ran = len(server.begun("gone")) - (LEAVING - unstarted)
        report.note("unstarted when their clients left", unstarted)
        never = round(100 * (1 - ran / max(1, unstarted)), 1)
        report.at_least("of these never run", never, 95, " %")
        report.holds("the one who stayed got its answer", first.recv(12) == b"HTTP/1.1 200")
        first.close()
        base.report(report, server)


def quick(turn: int, number: int) -> str:
    return fake(f"quick {turn} {number}")


def fake(source: str) -> str:
    return f"/api/v1/attention?model=m&source={source.replace(' ', '+')}"


def opened(server: Running, source: str) -> socket.socket:
    connection = server.socket()
    connection.settimeout(60)
    connection.sendall(Request(fake(source)).raw())
    return connection


SCENARIOS = (
    Scenario(
        "share",
        "One client with forty connections",
        f"{STUDENTS} students pause two seconds between their own sentences; a script never pauses,"
        f" on {FLOODING} connections.",
        "all questions of students are answered, 95 % within 2 s.",
        share,
        most=120,
    ),
    Scenario(
        "cookies",
        "One address with 300 cookies",
        f"{STUDENTS} students pause two seconds between their own sentences; a script at another"
        f" address has {COOKIES} connections, each with its own cookie.",
        "all questions of students are answered, 95 % within 3.5 s.",
        cookies,
        most=120,
    ),
    Scenario(
        "overload",
        "Overload",
        "200 clients ask the same question, then 200 different ones.",
        "500 answers a second, 95 % within .6 s; of the different ones, 95 % of the admitted"
        " within 3.5 s, refusals within .25 s, at most 5 % late; health within .15 s.",
        overload,
        most=120,
    ),
    Scenario(
        "disconnects",
        "Clients leave",
        "500 clients leave before their questions are begun, half by a reset.",
        "at least 95 % of the work not begun never runs.",
        disconnects,
        most=90,
    ),
)
