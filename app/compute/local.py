"""The backend of this machine: one worker process, whose jobs take turns."""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from app.compute import worker
from app.compute.backend import (
    Dropped,
    Job,
    Load,
    NoAnswer,
    Query,
    State,
    TooLong,
    TooMany,
    WorkerGone,
)
from app.compute.pausable import Progress
from app.compute.service_times import ServiceTimes
from app.compute.supervisor import Supervisor
from app.compute.worker import Outcome

if TYPE_CHECKING:
    from app.settings import Settings

LAST_TURN_SECONDS = 5.0
"""What a turn of a job that pauses may take at least, near the hard limit. Such a job is cancelled
where it pauses next, and the worker, with the runs that it keeps, lives on."""


class LocalBackend:
    """Computes one job at a time.

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
        self.ready = self.supervisor.ready
        self.said: dict[Job, asyncio.Queue[Progress | Outcome | Exception]] = {}
        self.waiting: deque[Job] = deque()
        self.paused: deque[Job] = deque()
        self.ending: deque[Job] = deque()
        self.arrived = asyncio.Event()
        self.running: Job | None = None
        self.service_times = ServiceTimes()
        self.dropped = self.cancelled = 0

    @property
    def state(self) -> State:
        return self.supervisor.state

    @property
    def warm_up_left(self) -> float:
        return self.supervisor.warm_up_left

    def start(self) -> None:
        self.supervisor.start()
        self.dispatcher = asyncio.get_running_loop().create_task(self.dispatch())

    async def stop(self) -> None:
        self.dispatcher.cancel()
        await self.supervisor.stop()

    def answer(self, job: Job) -> AsyncIterator[Progress | Outcome]:
        said = self.said[job] = asyncio.Queue()
        self.waiting.append(job)
        self.arrived.set()
        return until_outcome(said)

    def cancel(self, job: Job) -> None:
        if job in self.waiting:
            self.waiting.remove(job)
            self.dropped += 1
            self.drop(job)
        elif job in self.paused:
            self.paused.remove(job)
            self.end(job)
            self.drop(job)

    def drop(self, job: Job) -> None:
        job.dropped = True
        self.finish(job, Dropped())

    def end(self, job: Job) -> None:
        """Ends a paused job in the worker as soon as the worker is free."""
        self.cancelled += 1
        self.ending.append(job)
        self.arrived.set()

    def finish(self, job: Job, outcome: Outcome | Exception) -> None:
        self.said.pop(job).put_nowait(outcome)

    async def dispatch(self) -> None:
        new_one_first = True
        while True:
            await self.ready.wait()
            while not (self.waiting or self.paused or self.ending):
                self.arrived.clear()
                await self.arrived.wait()
            if not self.ready.is_set():
                continue
            if self.ending:
                await self.forget(self.ending.popleft())
                continue
            if self.waiting and (new_one_first or not self.paused):
                self.running, new_one_first = self.waiting.popleft(), False
            else:
                self.running, new_one_first = self.paused.popleft(), True
            await self.take_turn(self.running)
            self.running = None

    async def forget(self, job: Job) -> None:
        """Ends a paused job in the worker. A worker that was replaced does not know it."""
        with contextlib.suppress(WorkerGone):
            await self.supervisor.call(
                worker.cancel, job.id, timeout=self.settings.hard_seconds, about="cancel"
            )

    async def take_turn(self, job: Job) -> None:
        """Lets the worker compute `job` until it pauses or ends."""
        begun, job.begun = time.monotonic(), True
        left = max(
            self.settings.hard_seconds - job.seconds, LAST_TURN_SECONDS if job.seconds else 0
        )
        function, arguments = call_of(job)
        try:
            result = await self.supervisor.call(
                function, *arguments, timeout=left, about=job.about()
            )
        except WorkerGone as gone:
            self.finish(job, TooLong() if time.monotonic() - begun >= left else gone)
            return
        except Exception as exception:  # whatever it is, the next job must still be taken up
            self.finish(job, exception)
            return
        turn = time.monotonic() - begun
        job.seconds += turn
        self.service_times.record(job.word, turn)
        if isinstance(result, Progress):
            self.pause(job, result)
        else:
            self.finish(job, result)

    def pause(self, job: Job, progress: Progress) -> None:
        if why := self.no_more_turns(job):
            job.dropped = isinstance(why, Dropped)
            self.end(job)
            self.finish(job, why)
        else:
            self.paused.append(job)
            self.said[job].put_nowait(progress)

    def no_more_turns(self, job: Job) -> NoAnswer | None:
        """Why a job that has paused gets no other turn."""
        if not job.wanted:
            return Dropped()
        if job.seconds >= self.settings.hard_seconds:
            return TooLong()
        if len(self.paused) >= self.settings.computations:
            return TooMany()
        return None

    def estimate(self, word: str | None = None) -> float:
        return self.service_times.estimate(word)

    def load(self) -> Load:
        return Load(
            ahead=[job.word for job in (*self.waiting, self.running) if job],
            waiting=len(self.waiting),
            paused=len(self.paused),
            running=int(self.running is not None),
            dropped=self.dropped,
            cancelled=self.cancelled,
            replaced=self.supervisor.replaced,
        )


def call_of(job: Job) -> tuple[Callable[..., Any], tuple]:
    """The function of the worker that computes a job, and its arguments."""
    match job.request:
        case Query(word, question, form, store):
            return worker.answer, (job.id, word, question, form, store)
        case step:
            return worker.event, (step.stream, step.word, step.question, step.step)


async def until_outcome(
    said: asyncio.Queue[Progress | Outcome | Exception],
) -> AsyncIterator[Progress | Outcome]:
    """Yields what is said of a job up to its outcome; raises what ended it."""
    while True:
        one = await said.get()
        if isinstance(one, Exception):
            raise one
        yield one
        if not isinstance(one, Progress):
            return
