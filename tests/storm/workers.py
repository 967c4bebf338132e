"""The process that computes is killed, stopped, and killed by its own question."""

import asyncio
import contextlib
import os
import random
import signal

from tests.app.serving import Running
from tests.storm.client import Answer, Connection, Request, watched
from tests.storm.ground import Ground
from tests.storm.judge import Base, Judge
from tests.storm.load import ask_all, fake, load, p95
from tests.storm.report import Report, Scenario

CLIENTS = 8
KILLED, STOPPED = 15, 5


def workers(report: Report, ground: Ground) -> None:
    with ground.server() as server:
        asyncio.run(ask_all(server.port, lambda number: fake(f"warm {number % 20}"), 1))
        base, pid = Base.of(server), server.process.pid
        answers, health = asyncio.run(storm(server, random.Random(1)))
        server.until_ready()
        report.equal("workers replaced", load(server)["workers_replaced"], KILLED + STOPPED)
        alive = server.process.poll() is None and server.process.pid == pid
        report.holds("the same server process", alive)
        report.at_most("health, 95 % within", p95(health), 0.15, " s")
        Judge(answers=answers).report(report, ground.quiet())
        report.equal("health checks without an answer", Judge(answers=health).without(), 0)
        base.report(report, server)


async def storm(server: Running, chance: random.Random) -> tuple[list[Answer], list[Answer]]:
    """Clients ask as long as workers are killed; the answers, and the health checks."""
    answers: list[Answer] = []
    over = asyncio.Event()

    async def ask(number: int) -> None:
        connection, requests = Connection(server.port), 0
        while not over.is_set():
            requests += 1
            request = Request(fake(f"sleep 0.01 load {number} {requests}"))
            answers.append(await connection.ask(request))
            if answers[-1].status == 503:
                await asyncio.sleep(0.1)
        connection.close()

    async with watched(server.port) as health:
        asking = [asyncio.ensure_future(ask(number)) for number in range(CLIENTS)]
        faults = [signal.SIGKILL] * KILLED + [signal.SIGSTOP] * STOPPED
        chance.shuffle(faults)
        connection = Connection(server.port, source="127.0.0.7")
        for done, fault in enumerate(faults):
            await ready(connection, done)
            await asyncio.sleep(chance.uniform(0.05, 0.3))
            with contextlib.suppress(ProcessLookupError):
                os.kill(await asyncio.to_thread(server.worker), fault)
        await ready(connection, len(faults))
        connection.close()
        over.set()
        await asyncio.gather(*asking)
    return answers, health


async def ready(connection: Connection, replaced: int) -> None:
    """Returns when so many workers were replaced and the last one answers."""
    while True:
        limits = await connection.ask(Request("/api/v1/limits"), 60)
        if b'"workers_replaced":%d' % replaced in limits.body and b'"ready"' in limits.body:
            return
        await asyncio.sleep(0.05)


SCENARIOS = (
    Scenario(
        "workers",
        "Workers are killed or hang",
        f"{KILLED} workers are killed and {STOPPED} stopped at random while {CLIENTS} clients ask"
        " without a pause.",
        "only answers and 503s; the server process survives.",
        workers,
        most=180,
    ),
)
