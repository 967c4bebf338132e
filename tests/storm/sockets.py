"""Connections that give too little or too much, and names that are not the server's."""

import asyncio
import itertools
import time

from tests.app.test_security import METHODS, ORIGINS, OTHERS, OURS, ROUTES
from tests.storm.client import HOST, Answer, Connection, Request, read_body, watched
from tests.storm.ground import FAKES, Ground
from tests.storm.judge import Base, Judge, forget_peak, resident
from tests.storm.load import ask_all, fake, p95
from tests.storm.report import Report, Scenario

SLOW, IDLE, USERS = 300, 300, 20
LARGE, BODIES = 100_000_000, 50
PIECE = b" " * 65_536
HEAD = b"POST /api/v1/attention HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def hosts(report: Report, ground: Ground) -> None:
    server = ground.shared(FAKES)
    judge = Judge(refusals=(400, 403, 404, 405, 415, 422))

    async def ask_everything() -> tuple[list[str], list[str]]:
        connection, wrong, crossed = Connection(server.port), [], []
        for host, route, method in itertools.product([*OURS, *OTHERS], ROUTES, METHODS):
            answer = await connection.ask(Request(route, method, headers=(("Host", host),)))
            judge.answers.append(answer)
            if (answer.status == 400) != (host in OTHERS):
                wrong.append(f"{method} {route} at {host}: {answer.status}")
        for method, (headers, allowed) in itertools.product(METHODS[2:6], ORIGINS.values()):
            named = {"Host": "localhost:8000", **headers, "Content-Type": "application/json"}
            named = {name.lower(): value for name, value in named.items()}
            del named["host"]
            pairs = (("Host", "localhost:8000"), *named.items())
            answer = await connection.ask(Request("/api/v1/limits", method, b"{}", pairs))
            judge.answers.append(answer)
            if (answer.status != 403) != allowed:
                crossed.append(f"{method} {headers}: {answer.status}")
        connection.close()
        return wrong, crossed

    wrong, crossed = asyncio.run(ask_everything())
    report.note("combinations asked", len(judge.answers))
    report.equal("hosts let in or kept out wrongly", len(wrong), 0)
    report.equal("origins let in or kept out wrongly", len(crossed), 0)
    for line in [*wrong, *crossed][:3]:
        report.note("wrongly", line)
    judge.report(report)


def slow(report: Report, ground: Ground) -> None:
    with ground.server() as server:
        asyncio.run(ask_all(server.port, lambda number: fake(f"warm {number % 20}"), 1))
        base = Base.of(server)
        judge = Judge(refusals=())
        closed: list[Answer] = []

        async def hold(number: int) -> None:
            """Half of the slow ones trickle a head, half a body; the idle ones send nothing."""
            answer = Answer(Request("/slow"))
            reader, writer = await asyncio.open_connection(HOST, server.port)
            begun = time.perf_counter()
            head = HEAD + b"Content-Length: 1000\r\n\r\n" if number % 2 else b"GET /healthz HTTP"
            trickling = asyncio.ensure_future(trickle(writer, head if number < SLOW else b""))
            try:
                async with asyncio.timeout(60):
                    answer.head = await reader.readuntil(b"\r\n\r\n")
                    answer.status = int(answer.head[9:12])
                    answer.body = await read_body(reader, "GET", answer)
            except (TimeoutError, ConnectionError, asyncio.IncompleteReadError) as error:
                answer.trouble = type(error).__name__
            answer.seconds = time.perf_counter() - begun
            trickling.cancel()
            writer.close()
            closed.append(answer)

        async def use(number: int, holding: asyncio.Future) -> None:
            connection, number_asked = Connection(server.port, source="127.0.0.6"), 0
            while not holding.done():
                number_asked += 1
                source = fake(f"user {number} {number_asked % 20}")
                judge.answers.append(await connection.ask(Request(source)))
                await asyncio.sleep(0.25)
            connection.close()

        async def storm() -> list[Answer]:
            async with watched(server.port) as health:
                holding = asyncio.gather(*(hold(number) for number in range(SLOW + IDLE)))
                await asyncio.gather(holding, *(use(number, holding) for number in range(USERS)))
            return health

        health = asyncio.run(storm())
        report.at_most("health, 95 % within", p95(health), 0.15, " s")
        timed_out = sum(answer.status == 408 for answer in closed)
        report.equal("slow and idle sockets told 408", timed_out, SLOW + IDLE)
        report.at_most("the last of them after", max(a.seconds for a in closed), 10.5, " s")
        judge.report(report, ground.quiet())
        base.report(report, server)


async def trickle(writer: asyncio.StreamWriter, head: bytes) -> None:
    """The head at once, and then a byte a second, which does not move the deadline."""
    try:
        writer.write(head)
        while head:
            await asyncio.sleep(1)
            writer.write(b"x")
            await writer.drain()
    except ConnectionError:
        return


def bodies(report: Report, ground: Ground) -> None:
    with ground.server() as server:
        asyncio.run(ask_all(server.port, lambda number: fake(f"warm {number % 20}"), 1))
        base = Base.of(server)
        forget_peak(server)
        before = resident(server)
        judge = Judge(refusals=(413,), deadline=20)
        sent: list[int] = []

        async def pour(number: int) -> None:
            """Half of them say the length; half of them go on when they are refused."""
            chunked, stubborn = number % 2 == 0, number % 4 < 2
            answer = Answer(Request("/api/v1/attention", "POST"))
            begun = time.perf_counter()
            reader, writer = await asyncio.open_connection(HOST, server.port)
            length = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % LARGE
            writer.write(HEAD + length + b"\r\n\r\n")
            piece = b"%x\r\n%s\r\n" % (len(PIECE), PIECE) if chunked else PIECE
            pouring = asyncio.ensure_future(send(writer, piece, sent))
            try:
                async with asyncio.timeout(judge.deadline + 1):
                    answer.head = await reader.readuntil(b"\r\n\r\n")
                    answer.status = int(answer.head[9:12])
                    answer.body = await read_body(reader, "POST", answer)
            except (TimeoutError, ConnectionError, asyncio.IncompleteReadError) as error:
                answer.trouble = type(error).__name__
            answer.seconds = time.perf_counter() - begun
            judge.answers.append(answer)
            if not stubborn:
                pouring.cancel()
            await asyncio.gather(pouring, return_exceptions=True)
            writer.close()

        async def storm() -> list[Answer]:
            async with watched(server.port) as health:
                await asyncio.gather(*(pour(number) for number in range(BODIES)))
            return health

        health = asyncio.run(storm())
        refused = sum(answer.status == 413 for answer in judge.answers)
        report.equal("clients told 413", refused, BODIES)
        report.note("megabytes that they sent", sum(sent) / 1e6)
        grown = (resident(server, "VmHWM") - before) / 1e6
        report.at_most("memory at its peak, more than before", grown, 10, " MB")
        report.note("health, 95 % within, s", p95(health))
        judge.report(report)
        base.report(report, server)


async def send(writer: asyncio.StreamWriter, piece: bytes, sent: list[int]) -> None:
    try:
        for _ in range(LARGE // len(PIECE)):
            writer.write(piece)
            await writer.drain()
            sent.append(len(PIECE))
    except ConnectionError:
        return


SCENARIOS = (
    Scenario(
        "hosts",
        "DNS rebinding and cross-site posts",
        f"{len(OURS) + len(OTHERS)} hosts x {len(ROUTES)} routes x {len(METHODS)} methods, and"
        f" {len(ORIGINS)} origins x 4 methods.",
        "the server answers only to its own names; other sites change nothing.",
        hosts,
        most=60,
    ),
    Scenario(
        "slow",
        "Slow and idle sockets",
        f"{SLOW} sockets trickle and {IDLE} send nothing while {USERS} clients ask.",
        "no error for the clients; 408 in time for the others.",
        slow,
        most=90,
    ),
    Scenario(
        "bodies",
        "Large bodies",
        f"{BODIES} clients send 100 MB each, half in chunks; half continue when refused.",
        "413 for each; at most 10 MB more memory.",
        bodies,
        most=90,
    ),
)
