"""A class whose students type sentences of their own: what the page of /attention really asks about
each, as a browser asks it. Each student is a browser with a cookie of its own. A view is a sentence
with all its figures.
"""

import asyncio
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from tests.app.serving import running
from tests.benchmarks.timing import Row, quantile

WORDS = [
    "i",
    "you",
    "we",
    "they",
    "he",
    "she",
    "tom",
    "mary",
    "am",
    "are",
    "is",
    "want",
    "need",
    "like",
    "see",
    "know",
    "have",
    "cold",
    "hungry",
    "happy",
    "the",
    "a",
    "dog",
    "house",
    "book",
    "friend",
    "car",
    "my",
    "your",
    "his",
    "her",
    "here",
    "today",
    "never",
    "always",
    "very",
    "black",
    "coffee",
]
HEAD = {"kind": "cross", "stack": "decoder", "layer": 2, "head": 1, "stage": "pattern"}
QUESTIONS = (
    {"decimals": 2, "switches": "true", "arranged": "column", "figures": "heads"},
    {**HEAD, "figures": "map"},
    {**HEAD, "forward": 1, "figures": "values,importance"},
)
"""The three questions of a view; the page asks the last when it has the answers to the others."""
RETRIES = 5


@dataclass
class Measures:
    """What the students saw: seconds of every whole view, tries that were refused, students' views,
    and the seconds of health checks.
    """

    views: list[float] = field(default_factory=list)
    begun: int = 0
    refused: int = 0
    twice: int = 0
    by_student: list[int] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    seconds: float = 0.0


class Browser:
    """Connections of one browser, with its cookie; as little work of its own as HTTP allows."""

    def __init__(self, port: int):
        self.port, self.cookie, self.free = port, "", list[tuple]()

    async def get(self, path: str) -> tuple[int, dict[str, str]]:
        self.free = [pair for pair in self.free if not pair[0].at_eof()]  # idle for too long
        reader, writer = (
            self.free.pop()
            if self.free
            else await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
        )
        writer.write(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip, deflate, br\r\n"
            f"{self.cookie}\r\n".encode()
        )
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines if line)
        if cookie := next(
            (line[12:].split(";")[0] for line in lines if "vitrine_client=" in line), ""
        ):
            self.cookie = f"Cookie: {cookie}\r\n"
        await reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            writer.close()
        else:
            self.free.append((reader, writer))
        return int(first.split()[1]), headers

    def close(self) -> None:
        for _, writer in self.free:
            writer.close()


async def figure(browser: Browser, question: dict, measures: Measures) -> bool:
    """Asks as the page does: again after the seconds that a refusal names."""
    address = f"/api/v1/attention/figures?{urlencode({**question, 'encoding': 'base64'})}"
    for attempt in range(RETRIES + 1):
        status, headers = await browser.get(address)
        if status == 200:
            return True
        assert status in (503, 504), status
        measures.refused += 1
        measures.twice += attempt == 1
        wait = float(headers.get("retry-after", 1))
        await asyncio.sleep(min(10, max(0.5, wait)))
    return False


async def view(browser: Browser, sentence: str, measures: Measures) -> bool:
    """Asks the figures of one sentence in the order in which the page does."""
    about = {"model": "translator", "source": sentence}
    heads, head, used = ({**about, **question} for question in QUESTIONS)
    both = await asyncio.gather(figure(browser, heads, measures), figure(browser, head, measures))
    return all(both) and await figure(browser, used, measures)


def sentences(seed: int) -> Iterator[str]:
    """Sentences that nobody else types."""
    draw = random.Random(seed)
    while True:
        yield " ".join(draw.choice(WORDS) for _ in range(draw.randint(3, 8)))


async def lesson(
    port: int, students: int, seconds: float, thought: Callable[[random.Random], float]
) -> Measures:
    """What so many students see in so many seconds. No two lessons have a sentence in common."""
    measures, ends = Measures(), 0.0
    browsers = [Browser(port) for _ in range(students)]
    await asyncio.gather(*(browser.get("/attention") for browser in browsers))
    watcher, begun = Browser(port), time.perf_counter()
    ends = begun + seconds

    async def study(number: int, browser: Browser) -> int:
        draw, whole = random.Random(1_000 + number), 0
        await asyncio.sleep(draw.random() * min(2, thought(draw)))
        for sentence in sentences(students * 1_000 + number):
            if (start := time.perf_counter()) > ends:
                break
            measures.begun += 1
            if await view(browser, sentence, measures):
                measures.views.append(time.perf_counter() - start)
                whole += 1
            await asyncio.sleep(thought(draw))
        return whole

    async def watch() -> None:
        while True:
            start = time.perf_counter()
            await watcher.get("/healthz")
            measures.health.append(time.perf_counter() - start)
            await asyncio.sleep(0.05)

    watching = asyncio.ensure_future(watch())
    measures.by_student = await asyncio.gather(*map(study, range(students), browsers))
    measures.seconds = time.perf_counter() - begun
    watching.cancel()
    for browser in [*browsers, watcher]:
        browser.close()
    return measures


async def numbers(port: int, count: int = 200) -> tuple[float, float]:
    """Different questions for numbers alone, one from each client at once: answers a second, and
    the 95th percentile of the seconds.
    """
    browsers = [Browser(port) for _ in range(count)]
    await asyncio.gather(*(browser.get("/attention") for browser in browsers))
    took, begun = [], time.perf_counter()

    async def ask(browser: Browser, sentence: str) -> None:
        query = urlencode({"model": "translator", "source": sentence, "kind": "cross", "layer": 2})
        start = time.perf_counter()
        while (await browser.get(f"/api/v1/attention?{query}"))[0] != 200:
            await asyncio.sleep(0.5)
        took.append(time.perf_counter() - start)

    typed = (next(sentences(90_000 + number)) for number in range(count))
    await asyncio.gather(*map(ask, browsers, typed))
    for browser in browsers:
        browser.close()
    return count / (time.perf_counter() - begun), quantile(took, 0.95)


def rows() -> list[Row]:
    """The goals are those of two workers on two cores; one worker stands beside them."""
    return [*of_workers(2, goals=True), *of_workers(1, goals=False)]


def of_workers(workers: int, goals: bool) -> list[Row]:
    with (
        TemporaryDirectory() as folder,
        running(Path(folder), "model.analyses", patient=False, workers=workers) as server,
    ):
        server.until_ready(120)
        asyncio.run(lesson(server.port, 8, 4, lambda draw: 0.0))  # what is loaded once
        thinking = asyncio.run(lesson(server.port, 60, 20, lambda draw: draw.uniform(1, 3)))
        without = asyncio.run(lesson(server.port, 200, 12, lambda draw: 0.0))
        rate, late = asyncio.run(numbers(server.port))
    least, most = min(without.by_student), max(without.by_student)
    of = f"{workers} worker{'s' * (workers > 1)}, "
    found = [
        Row(f"{of}60 students, 2 s of thought: tries refused", thinking.refused, 0),
        Row(
            f"{of}60 students, 2 s of thought: 95 % of the whole pages within",
            quantile(thinking.views, 0.95),
            1,
            unit=" s",
            note=f"{len(thinking.views)} of {thinking.begun} pages",
        ),
        Row(
            f"{of}200 students without pause: whole pages a second",
            len(without.views) / without.seconds,
            50,
            at_least=True,
            note=f"{least} to {most} a student, {without.refused} tries refused",
        ),
        Row(
            f"{of}200 students without pause: 95 % of the whole pages within",
            quantile(without.views, 0.95),
            5,
            unit=" s",
        ),
        Row(f"{of}200 students without pause: pages refused twice", without.twice, 0),
        Row(f"{of}200 students, numbers alone: answers a second", rate, 150, at_least=True),
        Row(f"{of}200 students, numbers alone: 95 % within", late, unit=" s"),
        Row(
            f"{of}health check beside them, 95 % within",
            quantile(thinking.health + without.health, 0.95),
            0.15,
            unit=" s",
        ),
    ]
    return found if goals else [replace(row, goal=None) for row in found]
