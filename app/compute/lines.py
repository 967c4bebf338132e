"""Jobs that wait, in a line for each client. The addresses have turns in a circle, and so have the
clients of each, so that one who asks a lot waits behind itself and not in front of the others, with
however many cookies.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from app.clients import address_of

if TYPE_CHECKING:
    from app.compute.backend import Job

LEVELS: tuple[Callable[[str], str], ...] = (address_of, str)


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
        own = self.of.get(key := self.key(client), ())
        before = own.ahead(client) if isinstance(own, Lines) else list(own)
        others = (line for other, line in self.of.items() if other != key)
        return [*before, *(job for line in others for job in islice(line, len(before) + 1))]
