"""A class of 200 on one machine: all with the same question, then each with its own. Bounded, and
only this machine is asked.
"""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote_plus

from tests.app.serving import running
from tests.benchmarks.timing import Row, quantile

CLIENTS = 200
SECONDS = 8
WHO = ("i", "you", "we", "they", "he", "she", "tom", "mary")
VERBS = ("am", "are", "want", "need", "like", "see", "know", "have")
THINGS = ("cold", "hungry", "happy", "the dog", "a house", "your book", "my friend")
SAME = "/api/v1/attention?model=translator&source=i+am+cold&kind=cross"


def question_of(number: int) -> str:
    """A sentence for each client that nobody else asks about."""
    words = [WHO[number % 8], VERBS[number // 8 % 8], THINGS[number // 64 % 7], str(number)]
    return f"/api/v1/attention?model=translator&source={quote_plus(' '.join(words))}&kind=cross"


class Client:
    """One kept connection, with as little of its own work as HTTP allows: the server is what is
    measured.
    """

    async def open(self, port: int) -> "Client":
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port)
        return self

    async def get(self, path: str) -> tuple[int, float]:
        """Status and seconds; the body is read whole."""
        start = time.perf_counter()
        self.writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = next(
            int(line.split(":")[1])
            for line in head.split("\r\n")
            if line.startswith("content-length")
        )
        await self.reader.readexactly(length)
        return int(head.split()[1]), time.perf_counter() - start

    def close(self) -> None:
        self.writer.close()


async def storm(
    port: int, path: Callable[[int], str], requests: int
) -> tuple[list[tuple[int, float]], float, list[float]]:
    """Every client asks `requests` times, or until time is over. Answers, the seconds it took, and
    what a health check took meanwhile.
    """
    clients = [await Client().open(port) for _ in range(CLIENTS)]
    watcher = await Client().open(port)
    answers: list[tuple[int, float]] = []
    health: list[float] = []
    start = time.perf_counter()

    async def ask(number: int, client: Client) -> None:
        for _ in range(requests):
            if time.perf_counter() - start > SECONDS:
                break
            answers.append(await client.get(path(number)))

    async def watch() -> None:
        while True:
            health.append((await watcher.get("/healthz"))[1])
            await asyncio.sleep(0.05)

    watching = asyncio.ensure_future(watch())
    await asyncio.gather(*(ask(number, client) for number, client in enumerate(clients)))
    seconds = time.perf_counter() - start
    watching.cancel()
    for client in [*clients, watcher]:
        client.close()
    return answers, seconds, health


def same_question(port: int) -> list[Row]:
    """Against the emptiest answer the same server has."""
    rates: dict[str, list[float]] = {"same": [], "empty": []}
    for _ in range(3):
        for name, path in {"same": SAME, "empty": "/healthz"}.items():
            answers, seconds, health = asyncio.run(
                storm(port, lambda _, path=path: path, requests=10)
            )
            assert {status for status, _ in answers} == {200}
            rates[name].append(len(answers) / seconds)
            if name == "same":
                late = quantile([took for _, took in answers], 0.95), quantile(health, 0.95)
    same, empty = (sorted(rates[name])[1] for name in ("same", "empty"))
    return [
        Row("200 clients, one question: answers a second", same, 500, at_least=True),
        Row(
            "200 clients, one question: against an empty route",
            same / empty,
            0.8,
            at_least=True,
            note=f"empty: {empty:.0f} a second",
        ),
        Row("200 clients, one question: 95 % answered within", late[0], 0.6, unit=" s"),
        Row("200 clients, one question: health check, 95 % within", late[1], 0.15, unit=" s"),
    ]


def own_questions(port: int) -> list[Row]:
    answers, _, health = asyncio.run(storm(port, question_of, requests=1))
    admitted = [took for status, took in answers if status == 200]
    refused = [took for status, took in answers if status == 503]
    assert len(admitted) + len(refused) == CLIENTS
    note = f"{len(refused)} refused with Retry-After"
    rows = [Row("200 clients, 200 questions: answered", len(admitted), note=note)]
    if admitted:
        rows.append(
            Row(
                "200 clients, 200 questions: 95 % of the admitted within",
                quantile(admitted, 0.95),
                3.5,
                unit=" s",
            )
        )
    if refused:
        rows.append(
            Row(
                "200 clients, 200 questions: 95 % of the refused within",
                quantile(refused, 0.95),
                0.25,
                unit=" s",
            )
        )
    return [
        *rows,
        Row(
            "200 clients, 200 questions: health check, 95 % within",
            quantile(health, 0.95),
            0.15,
            unit=" s",
        ),
    ]


def rows() -> list[Row]:
    with (
        TemporaryDirectory() as folder,
        running(Path(folder), "model.analyses", patient=False) as server,
    ):
        server.until_ready(120)
        return same_question(server.port) + own_questions(server.port)
