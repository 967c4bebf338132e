"""The engine: ask(word, question) -> bytes. Cache, single flight, admission by estimated wait, deadlines; only here are answers kept."""

import asyncio
import hashlib
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from cachetools import LRUCache

from app import worker
from app.errors import Problem, busy, error, failure
from app.settings import Settings
from app.supervisor import Supervisor, WorkerGone

FIRST_GUESS = 0.1  # seconds
WEIGHT_OF_NEWEST = 0.1


class Pace:
    """How long answers take, of each word and of all, for an experiment is slow; in these means the newest weighs a tenth."""

    def __init__(self) -> None:
        self.means: dict[str | None, tuple[int, float]] = {}

    def learn(self, word: str, seconds: float) -> None:
        for of in (word, None):
            known, mean = self.means.get(of, (0, 0.0))
            self.means[of] = (known + 1, mean + max(1 / (known + 1), WEIGHT_OF_NEWEST) * (seconds - mean))

    def expected(self, word: str | None = None) -> float:
        """Seconds; of a word that was not asked yet, those of all."""
        _, mean = self.means.get(word) or self.means.get(None) or (0, FIRST_GUESS)
        return mean


@dataclass(frozen=True)
class Reply:
    """The bytes of an answer and a name for exactly these bytes; weak, since they may be compressed on the way."""

    body: bytes
    etag: str

    @classmethod
    def of(cls, body: bytes) -> "Reply":
        return cls(body, f'W/"{hashlib.sha256(body).hexdigest()[:24]}"')

    def __len__(self) -> int:
        return len(self.body)


@dataclass(eq=False)
class Flight:
    """One piece of work for the worker, and how many wait for it; nobody waiting, it is never begun."""

    word: str
    function: Callable[..., Any]
    args: tuple
    result: asyncio.Future
    key: bytes | None = None
    waiters: int = field(default=0)


class Engine:
    """Where all questions meet. One flight at a time is with the worker; the others wait in the order of their arrival."""

    def __init__(self, settings: Settings, analyses: str = "model.analyses"):
        self.settings = settings
        self.supervisor = Supervisor(analyses, settings.runs_kept, settings.warm_up_seconds)
        self.cache: LRUCache[bytes, Any] = LRUCache(settings.cache_bytes, getsizeof=len)
        self.flights: dict[bytes, Flight] = {}
        self.waiting: deque[Flight] = deque()
        self.arrived = asyncio.Event()
        self.running: Flight | None = None
        self.pace = Pace()
        self.answered = self.dropped = 0

    def start(self) -> None:
        self.supervisor.start()
        self.dispatcher = asyncio.get_running_loop().create_task(self.dispatch())

    async def stop(self) -> None:
        self.dispatcher.cancel()
        await self.supervisor.stop()

    async def ask(self, word: str, question: dict, encoding: worker.wire.Encoding = "json") -> Reply:
        """The answer; raises Problem. Whoever asks what is already asked waits for the same flight."""
        key = canonical(word, question, encoding)
        if (kept := self.cache.get(key)) is not None:
            return kept
        flight = self.flights.get(key)
        if flight is None:
            self.admit(word)
            flight = self.flights[key] = self.enqueue(word, worker.answer, word, question, encoding, key=key)
        return await self.wait(flight)

    def known(self, word: str, question: dict, encoding: worker.wire.Encoding = "json") -> Reply | None:
        """The answer if it is kept."""
        return self.cache.get(canonical(word, question, encoding))

    def keep(self, key: bytes, value: Any) -> None:
        if len(value) <= self.cache.maxsize:
            self.cache[key] = value

    def admit(self, word: str) -> None:
        """Refuses what would have to wait too long: what is ahead and itself, each as long as its word takes, and the rest of a warm-up."""
        ahead = [flight.word for flight in (*self.waiting, self.running) if flight]
        wait = sum(map(self.pace.expected, [*ahead, word]))
        warm_up, patience = self.supervisor.warm_up_left, self.settings.patience_seconds
        if ahead and wait > patience:
            raise busy(f"{len(ahead)} questions are ahead; yours would take about {wait:.1f} s, more than {patience:g} s.", wait)
        if warm_up and wait + warm_up > self.settings.deadline_seconds:
            raise busy(f"The model needs about {warm_up:.0f} s more to load.", warm_up, "warming")

    def enqueue(self, word: str, function: Callable[..., Any], *args: object, key: bytes | None = None) -> Flight:
        flight = Flight(word, function, args, asyncio.get_running_loop().create_future(), key)
        self.waiting.append(flight)
        self.arrived.set()
        return flight

    async def wait(self, flight: Flight) -> Any:
        """The flight's result within the deadline. The last to leave before it is begun takes it out of the queue."""
        flight.waiters += 1
        try:
            async with asyncio.timeout(self.settings.deadline_seconds):
                return await asyncio.shield(flight.result)
        except TimeoutError:
            warming = not self.supervisor.ready.is_set()
            detail = f"There was no answer within {self.settings.deadline_seconds:g} s."
            raise busy(detail, self.supervisor.warm_up_left or self.pace.expected(flight.word), "warming" if warming else "busy") from None
        finally:
            flight.waiters -= 1
            if not flight.waiters and flight in self.waiting:
                self.waiting.remove(flight)
                self.flights.pop(flight.key, None)
                self.dropped += 1

    async def dispatch(self) -> None:
        while True:
            await self.supervisor.ready.wait()
            while not self.waiting:
                self.arrived.clear()
                await self.arrived.wait()
            if not self.supervisor.ready.is_set():
                continue
            self.running = self.waiting.popleft()
            await self.run(self.running)
            self.running = None

    async def run(self, flight: Flight) -> None:
        begun = time.monotonic()
        try:
            result = await self.supervisor.call(flight.function, *flight.args, timeout=self.settings.deadline_seconds)
        except WorkerGone:
            detail = "The process that computes ended while it worked on this question; a new one is starting."
            outcome: Any = busy(detail, self.supervisor.warm_up_left, "warming")
        except Exception as exception:  # whatever it is, the next flight must still be taken up
            outcome = failure(exception)
        else:
            self.answered += 1
            self.pace.learn(flight.word, time.monotonic() - begun)
            outcome = told(result)
        self.flights.pop(flight.key, None)
        if isinstance(outcome, Problem):
            flight.result.set_exception(outcome)
            flight.result.exception()  # seen, also when everyone has left
        else:
            flight.result.set_result(outcome)
            if flight.key is not None:
                self.keep(flight.key, outcome)

    def load(self) -> dict:
        """What /limits says of the moment."""
        return {
            "worker": self.supervisor.state,
            "waiting": len(self.waiting),
            "running": int(self.running is not None),
            "service_seconds": round(self.pace.expected(), 4),
            "cache_bytes": self.cache.currsize,
            "answered_by_worker": self.answered,
            "dropped_unstarted": self.dropped,
            "workers_replaced": self.supervisor.replaced,
        }


def canonical(word: str, question: dict, encoding: str) -> bytes:
    return orjson.dumps([word, question, encoding], option=orjson.OPT_SORT_KEYS)


def told(result: Any) -> Any:
    """A refusal or failure of the worker as the problem the client is told; anything else as it is."""
    match result:
        case worker.Refused(nearest=None):
            pointer = f"/{result.field}" if result.field else ""
            return Problem(
                "invalid", result.detail, errors=[error(pointer, "refused", result.detail, limit=result.limit, given=result.given)]
            )
        case worker.Refused():
            return Problem("unknown", result.detail, nearest=result.nearest)
        case worker.Failed():
            return failure(result.traceback)
        case bytes():
            return Reply.of(result)
    return result
