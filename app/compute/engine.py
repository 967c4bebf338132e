"""The engine answers questions: ask(word, question) returns an answer. It holds the cache and
decides about single flight, admission and deadlines; its backend computes. Answers are kept only
here.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache

from app.compute.backend import (
    NUMBERS,
    Backend,
    Dropped,
    Job,
    NoAnswer,
    Query,
    Step,
    TooLong,
    TooMany,
)
from app.compute.messages import JSON, Failed, Outcome, Refused, Representation
from app.compute.metrics import Metrics
from app.compute.pausable import Progress
from app.errors import Problem, busy, error, failure
from app.responses import BytesInFlight, Document

if TYPE_CHECKING:
    from app.settings import Settings

log = logging.getLogger("vitrine.engine")

REFUSED_KEPT = 256


@dataclass(eq=False)
class Reply(Document):
    """An answer as JSON, with the seconds that the worker took for it."""

    media_type: str = JSON
    seconds: float = 0.0
    key: bytes | None = None


Waiting = Callable[[Awaitable[Reply]], Awaitable[Reply]]


class Engine:
    """Answers all questions with one backend."""

    def __init__(self, settings: "Settings", backend: Backend):
        self.settings, self.backend = settings, backend
        self.cache: LRUCache[bytes, Any] = LRUCache(settings.cache_bytes, getsizeof=len)
        self.refused: LRUCache[bytes, Problem] = LRUCache(REFUSED_KEPT)
        self.sending = BytesInFlight(settings.sending_bytes, settings.sending_bytes_per_client)
        self.in_flight: dict[bytes, Job] = {}
        self.computing: set[asyncio.Task] = set()
        self.metrics = Metrics(self.load, backend.loads)
        self.answered = 0

    def start(self) -> None:
        self.backend.start()

    async def stop(self) -> None:
        for task in self.computing:
            task.cancel()
        await self.backend.stop()

    async def reply(
        self,
        query: Query,
        accept_encoding: str = "",
        waiting: Waiting | None = None,
        client: str = "",
    ) -> tuple[Reply, bool]:
        """Returns the answer, compressed as the client accepts it, and whether it was kept; raises
        Problem. An answer that is not kept is waited for with `waiting`, which may give it up.
        """
        cached = self.cache.get(query.key)
        self.metrics.cache.labels("no" if cached is None else "yes").inc()
        reply = cached
        if reply is None:
            computed = self.computed(query, client)
            reply = await (computed if waiting is None else waiting(computed))
        await reply.encoded(reply.encoding(accept_encoding))
        self.recount(reply)
        return reply, cached is not None

    async def ask(
        self,
        word: str,
        question: dict,
        form: Representation = NUMBERS,
        store: bool = True,
        client: str = "",
    ) -> Reply:
        """Returns the answer as the worker wrote it; raises Problem."""
        query = Query(word, question, form, store)
        cached = self.cache.get(query.key)
        return await self.computed(query, client) if cached is None else cached

    async def computed(self, query: Query, client: str) -> Reply:
        """Returns the answer of a job; raises Problem. Identical questions share one job."""
        return await self.wait(self.job(query, client))

    def job(self, query: Query, client: str) -> Job:
        """The job that computes the answer, new or already under way. Raises Problem."""
        key = query.key
        if (problem := self.refused.get(key)) is not None:
            raise problem
        job = self.in_flight.get(key)
        if job is None or job.dropped:
            self.admit(query, client)
            job = self.in_flight[key] = self.begin(query, client)
        return job

    async def event(self, step: Step, client: str = "") -> bytes | None:
        """Returns an event of a stream, or None after its last; raises Problem."""
        return await self.wait(self.begin(step, client))

    def begin(self, request: Query | Step, client: str) -> Job:
        """Hands a new job to the backend."""
        loop = asyncio.get_running_loop()
        job = Job(request, loop.create_future(), client)
        computing = loop.create_task(self.compute(job, self.backend.answer(job)))
        self.computing.add(computing)
        computing.add_done_callback(self.computing.discard)
        return job

    async def follow(
        self,
        word: str,
        question: dict,
        form: Representation,
        store: bool = True,
        client: str = "",
    ) -> AsyncIterator[Progress]:
        """Yields how far the computation of an answer is, until the answer is kept; raises Problem.

        The computation is cancelled when the last follower stops following and nobody waits for it.
        """
        query = Query(word, question, form, store)
        if query.key in self.cache:
            return
        job = self.job(query, client)
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

    def store(self, key: bytes, value: Any) -> None:
        if len(value) <= self.cache.maxsize:
            self.cache[key] = value

    def recount(self, reply: Reply) -> None:
        """Counts the size of a kept answer again, after it was compressed."""
        if reply.key is not None and self.cache.get(reply.key) is reply:
            self.store(reply.key, reply)

    def admit(self, request: Query | Step, client: str = "") -> None:
        """Raises Problem for a job that would wait too long for its first turn, or whose client has
        enough that waits.

        It waits for the jobs that arrived before it, for a turn of a paused job after each of them,
        and for the rest of a warm-up.
        """
        load, ahead = self.backend.load(), self.backend.ahead(request, client)
        if self.backend.crowds(request, client):
            raise busy("too-many-questions-of-yours", 1, n=self.settings.questions_per_client)
        words = [*ahead, request.timed_as]
        wait = sum(self.backend.estimate(word, len(words)) for word in words)
        if load.paused:
            wait += self.settings.turn_seconds * max(1, len(words) - load.running)
        warm_up, patience = self.backend.warm_up_left, self.settings.patience_seconds
        if ahead and wait > patience:
            raise busy("questions-ahead", wait, n=len(ahead), seconds=wait, most=patience)
        if warm_up and wait + warm_up > self.settings.deadline_seconds:
            raise busy(self.backend.warming, warm_up, "warming")

    async def wait(self, job: Job) -> Any:
        """Returns the job's result within the deadline; raises Problem.

        A job that has begun when the deadline comes goes on. Its answer is kept for whoever asks
        again. It takes too long itself where it had most of the time; else the server was busy.
        """
        job.waiters += 1
        try:
            async with asyncio.timeout(self.settings.deadline_seconds):
                return await asyncio.shield(job.result)
        except TimeoutError:
            job.late = job.begun is not None and job.request.key is not None
            raise self.too_late(job) from None
        finally:
            job.waiters -= 1
            self.drop_if_unwanted(job)

    def too_late(self, job: Job) -> Problem:
        seconds, estimate = self.settings.deadline_seconds, self.backend.estimate(job.word)
        if self.backend.state != "ready":
            left = self.backend.warm_up_left
            return busy("no-answer-in-time", left, "warming", seconds=seconds)
        if job.begun is None or not job.late:
            return busy("no-answer-in-time", estimate, seconds=seconds)
        waited = seconds - (time.monotonic() - job.begun)
        if waited > seconds / 2:
            return busy("waited-most-of-it", estimate, seconds=seconds, waited=waited)
        if job.progress is None:
            return Problem("too_slow", "goes-on", seconds=seconds)
        done = 100 * job.progress.done / job.progress.of
        return Problem("too_slow", "goes-on-from", seconds=seconds, done=done)

    def drop_if_unwanted(self, job: Job) -> None:
        if not (job.wanted or job.result.done()):
            self.backend.cancel(job)

    def forget(self, job: Job) -> None:
        if job.request.key is not None and self.in_flight.get(job.request.key) is job:
            del self.in_flight[job.request.key]

    async def compute(self, job: Job, reports: AsyncIterator[Progress | Outcome]) -> None:
        """Follows a job up to its outcome."""
        try:
            async for report in reports:
                if isinstance(report, Progress):
                    job.progress = report
                    notify(job)
                else:
                    self.answered += 1
                    self.finish(job, self.reply_or_problem(report, job))
        except Dropped:
            self.forget(job)
        except NoAnswer as why:
            self.finish(job, self.problem_of(why, job))
        except Exception as exception:
            self.finish(job, failure(exception))

    def finish(self, job: Job, outcome: Any) -> None:
        """Keeps an answer before it forgets the question, which is then computed only once."""
        if isinstance(outcome, Reply) and outcome.key is not None:
            self.store(outcome.key, outcome)
        self.forget(job)
        status = outcome.code if isinstance(outcome, Problem) else "answered"
        size = len(outcome.body) if isinstance(outcome, Reply) else 0
        self.metrics.computed(job.word, status, job.seconds)
        log.log(
            logging.DEBUG if job.request.key is None else logging.INFO,
            "computed word=%s outcome=%s seconds=%.3f bytes=%d waiting=%d%s",
            *(job.word, status, job.seconds, size, self.backend.load().waiting),
            f" replica={job.replica}" if job.replica else "",
        )
        if isinstance(outcome, Problem):
            job.result.set_exception(outcome)
            job.result.exception()  # seen, also when everyone has left
        else:
            job.result.set_result(outcome)
        notify(job)

    def problem_of(self, why: NoAnswer, job: Job) -> Problem:
        """The problem of a job without an outcome. If the same is asked again as took too long, it
        is refused at once.
        """
        match why:
            case TooLong():
                hard = self.settings.hard_seconds
                problem = Problem("too_slow", "takes-too-long", seconds=hard)
                if job.request.key is not None:
                    self.refused[job.request.key] = problem
                return problem
            case TooMany():
                return busy("too-many-computations", 10, n=self.settings.computations)
        return busy("process-ended", self.backend.warm_up_left, "warming")

    def reply_or_problem(self, outcome: Outcome, job: Job) -> Any:
        """The reply to a question, the event of a stream, or the problem that the client gets."""
        match outcome, job.request:
            case Refused(nearest=None), _:
                pointer = f"/{outcome.field}" if outcome.field else ""
                more = {"limit": outcome.limit, "given": outcome.given}
                entry = error(pointer, outcome.code, outcome.detail, **more)
                return Problem("invalid", outcome.detail, errors=[entry])
            case Refused(), _:
                return Problem("unknown", outcome.detail, nearest=outcome.nearest)
            case Failed(), _:
                return failure(outcome.traceback)
            case bytes(), Query(form=form, key=key, store=store):
                return Reply(
                    outcome,
                    form.media_type,
                    in_flight=self.sending,
                    seconds=job.seconds,
                    key=key if store else None,
                )
        return outcome

    @property
    def slowness(self) -> float:
        """How many seconds of the slowest core do what one of the reference core does."""
        return self.backend.load().slowness

    def load(self) -> dict:
        """Returns what /limits and /metrics say about the present load."""
        load = self.backend.load()
        return {
            "worker": self.backend.state,
            "waiting": load.waiting,
            "paused": load.paused,
            "running": load.running,
            "core_slowness": round(load.slowness, 2),
            "service_seconds": round(self.backend.estimate(), 4),
            "cache_bytes": int(self.cache.currsize),
            "sending_bytes": self.sending.bytes,
            "answered_by_worker": self.answered,
            "dropped_unstarted": load.dropped,
            "cancelled": load.cancelled,
            "workers_replaced": load.replaced,
        }


def notify(job: Job) -> None:
    """Wakes everybody who follows the job."""
    job.changed.set()
    job.changed = asyncio.Event()
