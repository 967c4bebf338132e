"""Event streams: each step is sent as soon as it is computed, kept, and sent again to whoever comes back for it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from uuid import uuid4

from fastapi.sse import EventSourceResponse, format_sse_event
from starlette.requests import Request

from app import worker
from app.engine import Engine, Reply, canonical
from app.errors import Problem, busy, failure

GRACE_SECONDS = 2.0


@dataclass
class Log:
    """The events of one question so far. `end` is set when there are no more: None for a good end, else what went wrong."""

    events: list[bytes] = field(default_factory=list)
    ended: bool = False
    end: Problem | None = None
    readers: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def __len__(self) -> int:
        return sum(map(len, self.events))

    def append(self, event: bytes) -> None:
        self.events.append(event)
        self.tell()

    def tell(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()

    async def until(self, count: int) -> None:
        """Returns when there are `count` events, or all there are."""
        while len(self.events) < count and not self.ended:
            await self.changed.wait()


class Streams:
    """One log a question, however many follow it; it is written while somebody does."""

    def __init__(self, engine: Engine):
        self.engine, self.settings = engine, engine.settings
        self.logs: dict[bytes, Log] = {}
        self.clients: Counter[str] = Counter()
        self.writers: set[asyncio.Task] = set()

    def follow(self, word: str, question: dict) -> Log:
        """The log of a question: kept, under way or begun now; raises Problem."""
        key = canonical(word, question, "events")
        log = self.engine.cache.get(key) or self.logs.get(key)
        if log is None:
            self.admit(word)
            log = self.logs[key] = Log()
            writer = asyncio.get_running_loop().create_task(self.write(key, log, word, question))
            self.writers.add(writer)
            writer.add_done_callback(self.writers.discard)
        return log

    def admit(self, word: str) -> None:
        """Refuses one more log than there may be at once."""
        if len(self.logs) >= self.settings.streams:
            raise busy(f"{len(self.logs)} streams are open; there may be {self.settings.streams}.", 5)
        self.engine.admit(a_step_of(word))

    async def write(self, key: bytes, log: Log, word: str, question: dict) -> None:
        try:
            if await self.compute(log, word, question):
                self.engine.keep(key, log)
        except Problem as problem:
            log.end = problem
        except Exception as exception:
            log.end = failure(exception)
        finally:
            del self.logs[key]
            log.ended = True
            log.tell()

    async def compute(self, log: Log, word: str, question: dict) -> bool:
        """Fills the log; whether it came to the end, rather than to the last of its readers."""
        id = uuid4().hex
        while log.readers or await self.comes_back(log):
            event = await self.engine.wait(self.engine.enqueue(a_step_of(word), worker.event, id, word, question, len(log.events)))
            if event is None:
                return True
            log.append(event.body if isinstance(event, Reply) else event)
        return False

    async def comes_back(self, log: Log) -> bool:
        """Whether someone follows again within a short while; a new log has not been followed yet either."""
        for _ in range(10):
            await asyncio.sleep(GRACE_SECONDS / 10)
            if log.readers:
                return True
        return False

    def close(self) -> None:
        """The server stops: every stream ends with an event that says so."""
        for log in self.logs.values():
            log.ended, log.end = True, busy("The server is stopping.", 5)
            log.tell()
        for writer in self.writers:
            writer.cancel()


def a_step_of(word: str) -> str:
    """What is timed: a step is not as long as the whole answer."""
    return f"a step of {word}"


def wants_events(request: Request) -> bool:
    return request.method != "HEAD" and "text/event-stream" in request.headers.get("accept", "")


async def event_response(request: Request, streams: Streams, word: str, question: dict) -> EventSourceResponse:
    """Begins once the first event is there, so that a refusal still has its own status."""
    client = request.client.host if request.client else ""
    if streams.clients[client] >= streams.settings.streams_per_client:
        raise Problem(
            "too_many", f"This address has {streams.clients[client]} streams open, as many as it may.", headers={"Retry-After": "5"}
        )
    log = streams.follow(word, question)
    streams.clients[client] += 1
    log.readers += 1

    def leave() -> None:
        log.readers -= 1
        streams.clients[client] -= 1
        if not streams.clients[client]:
            del streams.clients[client]

    try:
        await log.until(1)
        if log.end is not None and not log.events:
            raise log.end
        position = after(request.headers.get("last-event-id", ""))
    except BaseException:
        leave()
        raise
    return EventSourceResponse(framed(log, position, leave), headers={"cache-control": "no-store", "x-accel-buffering": "no"})


def after(last_event_id: str) -> int:
    """Where to go on for a client that has seen this event; from the beginning for one that says nothing sensible."""
    return int(last_event_id) + 1 if last_event_id.isascii() and last_event_id.isdecimal() and len(last_event_id) < 7 else 0


async def framed(log: Log, position: int, leave: Callable[[], None]) -> AsyncIterator[bytes]:
    """The events from `position` on in the form of the standard, then one that says how it ended."""
    try:
        while True:
            await log.until(position + 1)
            if position >= len(log.events):
                break
            yield format_sse_event(event="step", id=str(position), data_str=log.events[position].decode())
            position += 1
        if log.end is None:
            yield format_sse_event(event="end", data_str="{}")
        else:
            yield format_sse_event(event="problem", data_str=log.end.body().decode())
    finally:
        leave()
