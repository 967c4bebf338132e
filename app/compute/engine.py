"""The engine answers questions: ask(word, question) returns an answer. It holds the cache and
decides about single flight, admission, turns and deadlines. Answers are kept only here.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import orjson
from cachetools import LRUCache

from app.compute import worker
from app.compute.forms import JSON, Form, Numbers
from app.compute.metrics import Metrics
from app.compute.pausable import Progress
from app.compute.service_times import ServiceTimes
from app.compute.supervisor import Supervisor, WorkerGone
from app.errors import Problem, abbreviate, busy, error, failure
from app.responses import BytesInFlight, Document

if TYPE_CHECKING:
    from app.settings import Settings

log = logging.getLogger("vitrine.engine")

REFUSED_KEPT = 256
LAST_TURN_SECONDS = 5.0
"""What a turn of a job that pauses may take at least, near the hard limit. Such a job is cancelled
where it pauses next, and the worker, with the runs that it keeps, lives on."""
NUMBERS = Numbers()


@dataclass(frozen=True)
class Query:
    """A question, and the form of its answer. With `store` false the answer is not kept, because it
    cannot be repeated.
    """

    word: str
    question: dict
    form: Form = NUMBERS
    store: bool = True

    @cached_property
    def key(self) -> bytes:
        return canonical(self.word, self.question, self.form.cache_key)


@dataclass(eq=False)
class Reply(Document):
    """An answer as JSON, with the seconds that the worker took for it."""

    media_type: str = JSON
    seconds: float = 0.0
    key: bytes | None = None


@dataclass(eq=False)
class Job:
    """One computation for the worker, and how many wait for it.

    A job that nobody waits for is dropped before it starts, and cancelled where it pauses. A job
    that somebody was told to ask for again (`late`) goes on without anybody waiting.
    """

    word: str
    function: Callable[..., Any]
    args: tuple
    result: asyncio.Future
    key: bytes | None = None
    media_type: str = JSON
    id: str = field(default_factory=lambda: uuid4().hex)
    waiters: int = 0
    begun: bool = False
    late: bool = False
    seconds: float = 0.0
    progress: Progress | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def wanted(self) -> bool:
        return self.waiters > 0 or self.late

    def about(self) -> str:
        """Returns the question, and how long it has been computed in the turns before, short enough
        for a line of the log.
        """
        before = f" (for {self.seconds:.1f} s before)" if self.seconds else ""
        return f"{self.word} {abbreviate((self.key or b'').decode())}".strip() + before


Waiting = Callable[[Awaitable[Reply]], Awaitable[Reply]]


class Engine:
    """Answers all questions with one worker, which computes one job at a time.

    New jobs are taken in the order of their arrival. A job that pauses lets one new job go first
    and then has its next turn, so that neither waits for the whole of the other.
    """

    def __init__(self, settings: "Settings", analyses: str = "model.analyses"):
        self.settings = settings
        sizes = worker.Sizes(
            settings.runs_kept,
            settings.runs_bytes,
            settings.turn_seconds,
            settings.answer_bytes,
            settings.work_seconds,
        )
        warm_args = (analyses, sizes, str(settings.runs))
        self.supervisor = Supervisor(warm_args, settings.warm_up_seconds, settings.silence_seconds)
        self.cache: LRUCache[bytes, Any] = LRUCache(settings.cache_bytes, getsizeof=len)
        self.refused: LRUCache[bytes, Problem] = LRUCache(REFUSED_KEPT)
        self.sending = BytesInFlight(settings.sending_bytes)
        self.in_flight: dict[bytes, Job] = {}
        self.waiting: deque[Job] = deque()
        self.paused: deque[Job] = deque()
        self.arrived = asyncio.Event()
        self.running: Job | None = None
        self.service_times = ServiceTimes()
        self.metrics = Metrics(self.load)
        self.answered = self.dropped = self.cancelled = 0

    def start(self) -> None:
        self.supervisor.start()
        self.dispatcher = asyncio.get_running_loop().create_task(self.dispatch())

    async def stop(self) -> None:
        self.dispatcher.cancel()
        await self.supervisor.stop()

    async def reply(
        self, query: Query, accept_encoding: str = "", waiting: Waiting | None = None
    ) -> tuple[Reply, bool]:
        """Returns the answer, compressed as its client accepts it, and whether it was kept; raises
        Problem. An answer that is not kept is waited for with `waiting`, which may give it up.
        """
        kept = self.cache.get(query.key)
        self.metrics.cache.labels("no" if kept is None else "yes").inc()
        reply = kept
        if reply is None:
            computed = self.computed(query)
            reply = await (computed if waiting is None else waiting(computed))
        if not self.sending.has_room(len(reply.body)):
            raise busy("Too many large answers are on their way to clients.", 2)
        await reply.encoded(reply.encoding(accept_encoding))
        self.recount(reply)
        return reply, kept is not None

    async def ask(
        self, word: str, question: dict, form: Form = NUMBERS, store: bool = True
    ) -> Reply:
        """Returns the answer as the worker wrote it; raises Problem."""
        query = Query(word, question, form, store)
        kept = self.cache.get(query.key)
        return await self.computed(query) if kept is None else kept

    async def computed(self, query: Query) -> Reply:
        """Returns the answer of a job; raises Problem. Identical questions share one job."""
        return await self.wait(self.job(query))

    def job(self, query: Query) -> Job:
        """Returns the job that computes the answer. It may be under way already; else it is new.
        Raises Problem.
        """
        key, word = query.key, query.word
        if (problem := self.refused.get(key)) is not None:
            raise problem
        job = self.in_flight.get(key)
        if job is None:
            self.admit(word)
            arguments = (word, query.question, query.form, query.store)
            job = self.enqueue(word, worker.answer, *arguments, key=key, with_id=True)
            job.media_type = query.form.media_type
            if query.store:
                job.result.add_done_callback(lambda done: self.store_result(key, done))
            self.in_flight[key] = job
        return job

    async def follow(
        self, word: str, question: dict, form: Form, store: bool = True
    ) -> AsyncIterator[Progress]:
        """Yields how far the computation of an answer is, until the answer is kept; raises Problem.

        The computation is cancelled when the last follower stops following and nobody waits for it.
        """
        query = Query(word, question, form, store)
        if query.key in self.cache:
            return
        job = self.job(query)
        job.waiters += 1
        try:
            while not job.result.done():
                changed = job.changed
                if job.progress is not None:
                    yield job.progress
                await changed.wait()
            job.result.result()
        finally:
            # Whoever follows was told more than "late": when the last leaves, the job ends.
            job.waiters -= 1
            job.late = False
            self.drop_if_unwanted(job)

    def store_result(self, key: bytes, done: asyncio.Future) -> None:
        if not done.cancelled() and done.exception() is None:
            self.store(key, done.result())

    def store(self, key: bytes, value: Any) -> None:
        if len(value) <= self.cache.maxsize:
            self.cache[key] = value

    def recount(self, reply: Reply) -> None:
        """Counts the size of a kept answer again, after it was compressed."""
        if reply.key is not None and self.cache.get(reply.key) is reply:
            self.store(reply.key, reply)

    def admit(self, word: str) -> None:
        """Raises Problem for a job that would wait too long for its first turn.

        It waits for the jobs that arrived before it, for a turn of a paused job after each of them,
        and for the rest of a warm-up.
        """
        ahead = [job.word for job in (*self.waiting, self.running) if job]
        wait = sum(map(self.service_times.estimate, [*ahead, word]))
        if self.paused:
            wait += self.settings.turn_seconds * (len(self.waiting) + 1)
        warm_up, patience = self.supervisor.warm_up_left, self.settings.patience_seconds
        if ahead and wait > patience:
            detail = (
                f"{len(ahead)} questions are ahead; yours would take about {wait:.1f} s, more than"
                f" {patience:g} s."
            )
            raise busy(detail, wait)
        if warm_up and wait + warm_up > self.settings.deadline_seconds:
            raise busy(f"The model needs about {warm_up:.0f} s more to load.", warm_up, "warming")

    def enqueue(
        self,
        word: str,
        function: Callable[..., Any],
        *args: object,
        key: bytes | None = None,
        with_id: bool = False,
    ) -> Job:
        job = Job(word, function, args, asyncio.get_running_loop().create_future(), key)
        if with_id:
            job.args = (job.id, *args)
        self.waiting.append(job)
        self.arrived.set()
        return job

    async def wait(self, job: Job) -> Any:
        """Returns the job's result within the deadline; raises Problem.

        A job that has begun when the deadline comes goes on. Its answer is kept for whoever asks
        again.
        """
        job.waiters += 1
        try:
            async with asyncio.timeout(self.settings.deadline_seconds):
                return await asyncio.shield(job.result)
        except TimeoutError:
            job.late = job.begun and job.key is not None
            raise self.too_late(job) from None
        finally:
            job.waiters -= 1
            self.drop_if_unwanted(job)

    def too_late(self, job: Job) -> Problem:
        deadline = f"There was no answer within {self.settings.deadline_seconds:g} s"
        if not self.supervisor.ready.is_set():
            return busy(f"{deadline}.", self.supervisor.warm_up_left, "warming")
        if not job.late:
            return busy(f"{deadline}.", self.service_times.estimate(job.word))
        done = f", and {job.progress.done / job.progress.of:.0%} is done" if job.progress else ""
        detail = f"{deadline}. The computation goes on{done}; ask the same again in a while."
        return Problem("too_slow", detail)

    def drop_if_unwanted(self, job: Job) -> None:
        if job.wanted or job.result.done() or job is self.running:
            return
        if job in self.waiting:
            self.waiting.remove(job)
            self.dropped += 1
        elif job in self.paused:
            self.paused.remove(job)
            self.cancel(job)
        self.forget(job)

    def cancel(self, job: Job) -> None:
        """Ends a paused job in the worker as soon as the worker is free."""
        self.cancelled += 1
        cancelling = self.enqueue("cancel", worker.cancel, job.id)
        cancelling.late = True  # nobody waits for it

    def forget(self, job: Job) -> None:
        if job.key is not None and self.in_flight.get(job.key) is job:
            del self.in_flight[job.key]

    async def dispatch(self) -> None:
        new_one_first = True
        while True:
            await self.supervisor.ready.wait()
            while not self.waiting and not self.paused:
                self.arrived.clear()
                await self.arrived.wait()
            if not self.supervisor.ready.is_set():
                continue
            if self.waiting and (new_one_first or not self.paused):
                self.running, new_one_first = self.waiting.popleft(), False
            else:
                self.running, new_one_first = self.paused.popleft(), True
            await self.take_turn(self.running)
            self.running = None

    async def take_turn(self, job: Job) -> None:
        """Lets the worker compute `job` until it pauses or ends."""
        begun, job.begun = time.monotonic(), True
        left = max(
            self.settings.hard_seconds - job.seconds, LAST_TURN_SECONDS if job.progress else 0
        )
        try:
            result = await self.supervisor.call(
                job.function, *job.args, timeout=left, about=job.about()
            )
        except WorkerGone:
            outcome: Any = self.worker_gone(job, time.monotonic() - begun >= left)
        except Exception as exception:  # whatever it is, the next job must still be taken up
            outcome = failure(exception)
        else:
            turn = time.monotonic() - begun
            job.seconds += turn
            self.service_times.record(job.word, turn)
            if isinstance(result, Progress):
                self.pause(job, result)
                return
            self.answered += 1
            outcome = self.reply_or_problem(result, job)
        self.finish(job, outcome)

    def pause(self, job: Job, progress: Progress) -> None:
        job.progress = progress
        if not job.wanted:
            self.cancel(job)
            self.forget(job)
        elif job.seconds >= self.settings.hard_seconds:
            self.cancel(job)
            self.finish(job, self.never(job))
        elif len(self.paused) >= self.settings.computations:
            self.cancel(job)
            n = self.settings.computations
            self.finish(job, busy(f"{n} long computations are under way, as many as may be.", 10))
        else:
            self.paused.append(job)
            tell(job)

    def finish(self, job: Job, outcome: Any) -> None:
        self.forget(job)
        status = outcome.code if isinstance(outcome, Problem) else "answered"
        size = len(outcome.body) if isinstance(outcome, Reply) else 0
        self.metrics.computed(job.word, status, job.seconds)
        log.log(
            logging.DEBUG if job.key is None else logging.INFO,
            "computed word=%s outcome=%s seconds=%.3f bytes=%d waiting=%d",
            *(job.word, status, job.seconds, size, len(self.waiting)),
        )
        if isinstance(outcome, Problem):
            job.result.set_exception(outcome)
            job.result.exception()  # seen, also when everyone has left
        else:
            job.result.set_result(outcome)
        tell(job)

    def worker_gone(self, job: Job, too_long: bool) -> Problem:
        if too_long:
            return self.never(job)
        detail = (
            "The process that computes ended while it worked on this question; a new one is"
            " starting."
        )
        return busy(detail, self.supervisor.warm_up_left, "warming")

    def never(self, job: Job) -> Problem:
        """Returns the problem of a job over the hard limit. If the same is asked again, it is
        refused at once.
        """
        hard = self.settings.hard_seconds
        problem = Problem("too_slow", f"The answer takes longer than {hard:g} s to compute.")
        if job.key is not None:
            self.refused[job.key] = problem
        return problem

    def reply_or_problem(self, result: Any, job: Job) -> Any:
        """Translates a refusal or a failure of the worker into the problem that the client gets."""
        match result:
            case worker.Refused(nearest=None):
                pointer = f"/{result.field}" if result.field else ""
                more = {"limit": result.limit, "given": result.given}
                entry = error(pointer, result.code, result.detail, **more)
                return Problem("invalid", result.detail, errors=[entry])
            case worker.Refused():
                return Problem("unknown", result.detail, nearest=result.nearest)
            case worker.Failed():
                return failure(result.traceback)
            case bytes():
                return Reply(
                    result, job.media_type, in_flight=self.sending, seconds=job.seconds, key=job.key
                )
        return result

    def load(self) -> dict:
        """Returns what /limits and /metrics say about the present load."""
        return {
            "worker": self.supervisor.state,
            "waiting": len(self.waiting),
            "paused": len(self.paused),
            "running": int(self.running is not None),
            "service_seconds": round(self.service_times.estimate(), 4),
            "cache_bytes": int(self.cache.currsize),
            "sending_bytes": self.sending.bytes,
            "answered_by_worker": self.answered,
            "dropped_unstarted": self.dropped,
            "cancelled": self.cancelled,
            "workers_replaced": self.supervisor.replaced,
        }


def tell(job: Job) -> None:
    """Wakes everybody who follows the job."""
    job.changed.set()
    job.changed = asyncio.Event()


def canonical(word: str, question: dict, representation: str) -> bytes:
    """Returns the key of what is kept, the same in whichever order the fields are."""
    return orjson.dumps([word, question, representation], option=orjson.OPT_SORT_KEYS)
