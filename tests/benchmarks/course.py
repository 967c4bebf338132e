"""A simulated course: how many workers and web processes it needs, and what is too small first.

Students, web processes and workers are queues with the service times that were measured on two
cores; nothing else is taken into account. The same queues with the class of `classroom` stand
beside what was measured of it.
"""

import heapq
import math
import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count

from tests.benchmarks.timing import Row, quantile

WEB = 0.0080
"""Seconds of a web process for the three answers of a page about an own sentence, sent compressed
(`make bench ARGS=classroom`, processor time)."""
WEB_KEPT = 0.0011
"""The same where the answers are kept (`make bench ARGS=service`: 2,733 answers a second)."""
TURN, PAGE = 0.022, 0.021
"""Seconds of a worker for a turn, and for each page of one in it: 43 ms alone, 22 ms among many."""
TOGETHER = 11  # pages of a turn: 32 questions
PATIENCE = 3.0
ROUNDS = 2
"""A page asks two questions, and a third when it has their answers."""
BYTES, BYTES_KEPT, BYTES_FIRST = 24_000, 24_000, 1_900_000
"""Bytes of a page's answers, and of a first visit with Plotly's script."""
WORKER_MB, WEB_MB = 700, 250
GOAL = 1.0  # seconds in which 95 % of the pages are whole


@dataclass(frozen=True)
class Course:
    """`arrivals` are the seconds in which so many students come, evenly or, with `peak`, ever more
    of them towards the end. Each stays for `stay` seconds, thinks about `thought` seconds before a
    page, and of the pages `shared` are about examples that others have asked too.
    """

    name: str
    students: int
    arrivals: float
    stay: float
    thought: float
    shared: float
    peak: bool = False


COURSES = (
    Course("a class of 200, a lecture", 200, 120, 600, 30, 0.3),
    Course("1,000, a lecture", 1_000, 120, 600, 30, 0.3),
    Course("5,000, a lecture", 5_000, 120, 600, 30, 0.3),
    Course("5,000, a homework night of six hours", 5_000, 21_600, 1_200, 40, 0.4, peak=True),
)
MEASURED = {
    Course("60 students, 2 s of thought", 60, 2, 20, 2, 0): "25 a second within .5 s",
    Course("200 students without a pause", 200, 0.1, 12, 0, 0): "57 a second within 4.4 s",
}
"""What `make bench ARGS=classroom` measured of the class with two workers and one web process on
the two cores that the seconds above are of, before together was alone.
"""


@dataclass
class Result:
    """Seconds of whole pages, tries that were refused, kept pages, and seconds of work."""

    pages: list[float] = field(default_factory=list)
    refused: int = 0
    cached: int = 0
    sent: float = 0.0
    web_busy: float = 0.0
    worker_busy: float = 0.0
    last: float = 0.0


class Simulation:
    """Events in the order of their time."""

    def __init__(self, course: Course, workers: int, webs: int, cores: float = math.inf):
        """With fewer `cores` than processes are busy, each is slower by as much."""
        self.course, self.draw, self.result, self.cores = course, random.Random(0), Result(), cores
        self.events: list[tuple[float, int, Callable[[float], None]]] = []
        self.number = count()
        self.webs = [0.0] * webs  # when each is free
        self.lines: list[deque[Callable[[float], None]]] = [deque() for _ in range(workers)]
        self.working = [False] * workers

    def at(self, time: float, event: Callable[[float], None]) -> None:
        heapq.heappush(self.events, (time, next(self.number), event))

    def run(self) -> Result:
        course = self.course
        for _ in range(course.students):
            share = self.draw.random() ** (0.5 if course.peak else 1)
            begin = share * course.arrivals
            self.result.sent += BYTES_FIRST
            self.at(begin, lambda time, ends=begin + course.stay: self.think(time, ends))
        while self.events:
            time, _, event = heapq.heappop(self.events)
            event(time)
            self.result.last = time
        return self.result

    def think(self, time: float, ends: float) -> None:
        thought = self.draw.uniform(0.5, 1.5) * self.course.thought
        if time + thought < ends:
            self.at(time + thought, lambda now: self.ask(now, now, ends, ROUNDS))

    def ask(self, time: float, begun: float, ends: float, rounds: int) -> None:
        """A round of questions: through a web process, and where nothing is kept a worker."""
        is_cached = rounds == ROUNDS and self.draw.random() < self.course.shared
        after = self.through_web(time, WEB_KEPT if is_cached else WEB / ROUNDS)
        if is_cached:
            self.result.cached += 1
            self.at(after, lambda now: self.whole(now, begun, ends, BYTES_KEPT))
        else:
            self.at(after, lambda now: self.to_worker(now, begun, ends, rounds))

    def through_web(self, time: float, seconds: float) -> float:
        web = self.draw.randrange(len(self.webs))
        seconds *= self.slowness(time)
        self.webs[web] = max(self.webs[web], time) + seconds
        self.result.web_busy += seconds
        return self.webs[web]

    def slowness(self, time: float) -> float:
        busy = sum(self.working) + sum(free > time for free in self.webs)
        return max(1.0, busy / self.cores)

    def to_worker(self, time: float, begun: float, ends: float, rounds: int) -> None:
        worker = self.draw.randrange(len(self.lines))
        line = self.lines[worker]
        wait = len(line) / ROUNDS * (PAGE + TURN / TOGETHER)
        if line and wait > PATIENCE:
            self.result.refused += 1
            self.at(time + max(1.0, wait), lambda now: self.ask(now, begun, ends, rounds))
            return
        line.append(lambda now: self.answered(now, begun, ends, rounds))
        if not self.working[worker]:
            self.turn(time, worker)

    def turn(self, time: float, worker: int) -> None:
        line = self.lines[worker]
        taken = [line.popleft() for _ in range(min(len(line), TOGETHER * ROUNDS))]
        self.working[worker] = bool(taken)
        if taken:
            seconds = TURN / ROUNDS + PAGE * len(taken) / ROUNDS
            seconds *= self.slowness(time)
            self.result.worker_busy += seconds

            def ended(now: float) -> None:
                for event in taken:
                    event(now)
                self.turn(now, worker)

            self.at(time + seconds, ended)

    def answered(self, time: float, begun: float, ends: float, rounds: int) -> None:
        if rounds > 1:
            self.ask(time, begun, ends, rounds - 1)
        else:
            self.whole(time, begun, ends, BYTES)

    def whole(self, time: float, begun: float, ends: float, size: int) -> None:
        self.result.pages.append(time - begun)
        self.result.sent += size
        self.think(time, ends)


def needed(course: Course) -> tuple[int, int, Result]:
    """The fewest workers, and with them the fewest web processes, with which 95 % of the pages are
    whole in time.
    """
    workers, webs = 1, 1
    while True:
        result = Simulation(course, workers, webs).run()
        if quantile(result.pages, 0.95) <= GOAL:
            return workers, webs, result
        if result.web_busy / webs > result.worker_busy / workers:
            webs += 1
        else:
            workers += 1


def rows() -> list[Row]:
    return [*checked(), *(row for course in COURSES for row in of_course(course))]


def checked() -> Iterator[Row]:
    """The class that `classroom` measures with two workers, by the same queues."""
    for course, measured in MEASURED.items():
        result = Simulation(course, workers=2, webs=1, cores=2).run()
        note = f"{len(result.pages) / result.last:.0f} whole pages a second; measured: {measured}"
        late = quantile(result.pages, 0.95)
        yield Row(f"simulated: {course.name}: 95 % within", late, unit=" s", note=note)


def of_course(course: Course) -> Iterator[Row]:
    single = Simulation(course, workers=1, webs=1).run()
    workers, webs, result = needed(course)
    first = "the web process" if single.web_busy > single.worker_busy else "the worker"
    yield Row(
        f"{course.name}: 95 % within, one worker",
        quantile(single.pages, 0.95),
        unit=" s",
        note=f"{single.refused} tries refused; {first} is busy first",
    )
    yield Row(
        f"{course.name}: workers for 95 % within {GOAL:g} s",
        workers,
        note=f"{webs} web processes, {workers * WORKER_MB + webs * WEB_MB:,} MB,"
        f" {result.cached / len(result.pages):.0%} of the pages kept,"
        f" {result.sent / result.last / 1e6:.1f} MB a second,"
        f" {len(result.pages) / result.last:.0f} pages a second",
    )
