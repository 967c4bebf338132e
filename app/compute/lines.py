"""Jobs that wait, in a line for each client. The clients have turns in a circle, so that one who
asks a lot waits behind itself and not in front of the others.
"""

from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.compute.backend import Job


class Lines:
    """Every job in the order in which it is taken, if no other comes."""

    def __init__(self) -> None:
        self.of: OrderedDict[str, deque[Job]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self.of.values()))

    def __contains__(self, job: "Job") -> bool:
        return job in self.of.get(job.client, ())

    def __iter__(self) -> Iterator["Job"]:
        """The jobs in the order of their turns."""
        for place in range(max(map(len, self.of.values()), default=0)):
            yield from (line[place] for line in self.of.values() if place < len(line))

    def append(self, job: "Job") -> None:
        self.of.setdefault(job.client, deque()).append(job)

    def put_back(self, job: "Job") -> None:
        """The job is the next of its client, and its client the next."""
        self.of.setdefault(job.client, deque()).appendleft(job)
        self.of.move_to_end(job.client, last=False)

    def remove(self, job: "Job") -> None:
        line = self.of[job.client]
        line.remove(job)
        if not line:
            del self.of[job.client]

    def next(self) -> "Job | None":
        """The job that `popleft` returns."""
        return next(iter(self.of.values()))[0] if self.of else None

    def popleft(self) -> "Job":
        """Takes the next job; its client is the last in the circle then."""
        client, line = next(iter(self.of.items()))
        job = line.popleft()
        self.of.move_to_end(client)
        if not line:
            del self.of[client]
        return job

    def waiting(self, client: str) -> int:
        """How many jobs of this client wait."""
        return len(self.of.get(client, ()))

    def ahead(self, client: str) -> list["Job"]:
        """The jobs that would be taken before another of this client: all of its own, and of each
        other client as many and one more.
        """
        own = self.waiting(client)
        return [
            job
            for other, line in self.of.items()
            for job in list(line)[: own if other == client else own + 1]
        ]
