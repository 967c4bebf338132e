"""Queueing: whose job is taken next, and how long one takes.

Jobs wait in a line for each client. The addresses have turns in a circle, and so have the clients
of each, so that one who asks a lot waits behind itself and not in front of the others, with however
many cookies. How long the worker takes is measured, so that a question that would wait too long is
refused at once.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from app.clients import address_of

if TYPE_CHECKING:
    from app.compute.backend import Job

LEVELS: tuple[Callable[[str], str], ...] = (address_of, str)
FIRST_GUESS = 0.1  # seconds
ALPHA = 0.1
MANY = 8
SHARE = 0.4
"""A question that is computed with MANY or more is guessed to take this part of its time alone,
until it was measured: the figures of a sentence took 17 ms among 24 sentences, and 43 ms alone.
"""


class Lines:
    """Every job in the order in which it is taken, if no other comes: a circle of lines, each of
    which is such a circle of its own or, on the last level, a queue.
    """

    def __init__(self, jobs: Iterable["Job"] = (), levels: tuple[Callable, ...] = LEVELS) -> None:
        self.key, *below = levels
        self.below = tuple(below)
        self.of: OrderedDict[str, Lines | deque[Job]] = OrderedDict()
        for job in jobs:
            self.append(job)

    def __len__(self) -> int:
        return sum(map(len, self.of.values()))

    def __contains__(self, job: "Job") -> bool:
        return job in self.of.get(self.key(job.client), ())

    def __iter__(self) -> Iterator["Job"]:
        """The jobs in the order of their turns."""
        for turn in zip_longest(*self.of.values()):
            yield from (job for job in turn if job is not None)

    def line(self, client: str) -> "Lines | deque[Job]":
        """The line of a client, or of its address."""
        new = Lines(levels=self.below) if self.below else deque()
        return self.of.setdefault(self.key(client), new)

    def append(self, job: "Job") -> None:
        self.line(job.client).append(job)

    def appendleft(self, job: "Job") -> None:
        """The job is the next of its client, and its client the next."""
        self.line(job.client).appendleft(job)
        self.of.move_to_end(self.key(job.client), last=False)

    def remove(self, job: "Job") -> None:
        line = self.of[key := self.key(job.client)]
        line.remove(job)
        if not line:
            del self.of[key]

    def next(self) -> "Job | None":
        """The job that `popleft` returns."""
        line = next(iter(self.of.values()), None)
        return line.next() if isinstance(line, Lines) else line[0] if line else None

    def popleft(self) -> "Job":
        """Takes the next job; its client is the last in the circle then."""
        key, line = next(iter(self.of.items()))
        job = line.popleft()
        self.of.move_to_end(key)
        if not line:
            del self.of[key]
        return job

    def waiting(self, client: str) -> int:
        """How many jobs of this client wait."""
        line = self.of.get(self.key(client), ())
        return line.waiting(client) if isinstance(line, Lines) else len(line)

    def ahead(self, client: str) -> list["Job"]:
        """The jobs that would be taken before another of this client: all of its own; of each other
        client of its address as many and one more; and of each other address as many as all of
        these and one more.
        """
        client_line = self.of.get(key := self.key(client), ())
        before = client_line.ahead(client) if isinstance(client_line, Lines) else list(client_line)
        others = (line for other, line in self.of.items() if other != key)
        return [*before, *(job for line in others for job in islice(line, len(before) + 1))]


class ServiceTimes:
    """Exponential moving averages of the service time, for each word and for all words (alpha =
    0.1), alone and among many.

    The service time is that of one turn of the worker, because a long computation gives way to
    others after each turn; among many it is the turn's divided by how many had it.
    """

    def __init__(self) -> None:
        self.means: dict[tuple[str | None, bool], tuple[int, float]] = {}

    def record(self, word: str, seconds: float, together: int = 1) -> None:
        for name in (word, None):
            key = name, together >= MANY
            count, mean = self.means.get(key, (0, 0.0))
            weight = max(1 / (count + 1), ALPHA)
            self.means[key] = (count + 1, mean + weight * (seconds - mean))

    def has_measured(self, word: str | None) -> bool:
        return (word, False) in self.means or (word, True) in self.means

    def estimate(self, word: str | None = None, together: int = 1) -> float:
        """Returns the seconds of one turn, and of a question among so many its part of the turn.
        For a word that was never asked, this is the mean of all words.
        """
        single, among = self.means.get((word, False)), self.means.get((word, True))
        if together >= MANY:
            return among[1] if among else SHARE * self.estimate(word)
        if among and not single:
            return among[1] / SHARE
        single = single or self.means.get((None, False))
        return single[1] if single else FIRST_GUESS
