"""Event streams. Each event is sent as soon as it is known; it is kept, and sent again to clients
that come back for it.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass, field
from uuid import uuid4

import orjson

from app.clients import used_up
from app.compute.backend import Step, canonical
from app.compute.engine import Engine
from app.errors import Problem, busy, failure

GRACE_SECONDS = 2.0


@dataclass
class EventLog:
    """The events of one question so far, each called `name` in the stream.

    `client` asked first. `ended` is set when there are no more; `end` is then None, or the problem
    that ended the stream.
    """

    name: str = "step"
    client: str = ""
    events: list[bytes] = field(default_factory=list)
    ended: bool = False
    end: Problem | None = None
    readers: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def __len__(self) -> int:
        return sum(map(len, self.events))

    def append(self, event: bytes) -> None:
        self.events.append(event)
        self.notify()

    def notify(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()

    async def until(self, count: int) -> None:
        """Returns when there are `count` events, or all there are."""
        while len(self.events) < count and not self.ended:
            await self.changed.wait()


class EventStreams(ABC):
    """Keeps one log for each question, written while somebody follows it."""

    event_name = "step"

    def __init__(self, engine: Engine):
        self.engine, self.settings = engine, engine.settings
        self.logs: dict[bytes, EventLog] = {}
        self.clients: Counter[str] = Counter()
        self.writers: set[asyncio.Task] = set()

    def subscribe(self, word: str, question: dict, client: str = "") -> EventLog:
        """The log of a question: kept, under way or begun now; raises Problem."""
        key = canonical(word, question, "events")
        log = self.engine.cache.get(key) or self.logs.get(key)
        if log is None:
            self.admit(word, question, client)
            log = self.logs[key] = EventLog(self.event_name, client)
            writer = asyncio.get_running_loop().create_task(self.write(key, log, word, question))
            self.writers.add(writer)
            writer.add_done_callback(self.writers.discard)
        return log

    def admit(self, word: str, question: dict, client: str) -> None:
        """Raises Problem where there is one log more than there may be at once, of all or of this
        address. A client's own are counted where they are read.
        """
        clients, most = (log.client for log in self.logs.values()), self.settings.streams
        share = used_up(clients, client, most, self.settings.streams_per_client)
        if share in ("all", "address"):
            raise busy("too-many-streams", 5, share=share, most=most)

    @abstractmethod
    async def compute(self, log: EventLog, word: str, question: dict) -> bool:
        """Fills the log; raises Problem.

        Returns True if the log is whole and may be kept, False if every reader left.
        """

    async def write(self, key: bytes, log: EventLog, word: str, question: dict) -> None:
        try:
            if await self.compute(log, word, question):
                self.engine.store(key, log)
        except Problem as problem:
            log.end = problem
        except Exception as exception:
            log.end = failure(exception)
        finally:
            del self.logs[key]
            log.ended = True
            log.notify()

    async def until_unread(self, log: EventLog) -> None:
        """Returns when nobody follows the log, and nobody has come back within a short while."""
        while log.readers or await self.wait_for_reader(log):
            await asyncio.sleep(GRACE_SECONDS / 10)

    async def wait_for_reader(self, log: EventLog) -> bool:
        """Whether somebody follows again within a short while; the first reader of a new log is
        waited for as well.
        """
        for _ in range(10):
            await asyncio.sleep(GRACE_SECONDS / 10)
            if log.readers:
                return True
        return False

    def close(self) -> None:
        """Ends every stream with an event that says so, because the server stops."""
        for log in self.logs.values():
            log.ended, log.end = True, busy("server-is-stopping", 5)
            log.notify()
        for writer in self.writers:
            writer.cancel()


class Steps(EventStreams):
    """Streams an answer in steps. The worker computes each step when the one before it is known."""

    def admit(self, word: str, question: dict, client: str) -> None:
        super().admit(word, question, client)
        self.engine.admit(Step("", word, question, 0), client)

    async def compute(self, log: EventLog, word: str, question: dict) -> bool:
        id = uuid4().hex
        while log.readers or await self.wait_for_reader(log):
            step = Step(id, word, question, len(log.events))
            event = await self.engine.event(step, log.client)
            if event is None:
                return True
            log.append(event)
        return False


class ProgressReports(EventStreams):
    """Streams how far the computation of an answer is. When the stream ends, the answer is kept."""

    event_name = "progress"

    async def compute(self, log: EventLog, word: str, question: dict) -> bool:
        following = asyncio.ensure_future(self.follow(log, word, question))
        leaving = asyncio.ensure_future(self.until_unread(log))
        try:
            await asyncio.wait({following, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if following.done():
                following.result()
            return False  # the log is told once; whoever asks later gets the answer itself
        finally:
            leaving.cancel()
            following.cancel()
            await asyncio.gather(following, leaving, return_exceptions=True)

    async def follow(self, log: EventLog, word: str, question: dict) -> None:
        arguments = dict(question)
        how = {name: arguments.pop(name) for name in ("form", "store")}
        async for progress in self.engine.follow(word, arguments, **how, client=log.client):
            log.append(orjson.dumps({"done": progress.done, "of": progress.of}))
