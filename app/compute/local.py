"""The backend of this machine: one worker process, whose jobs take turns. Short questions that wait
are computed together, and so are the steps of streams.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from app.clients import used_up
from app.compute import ANALYSES
from app.compute.backend import (
    Dropped,
    Job,
    Load,
    NoAnswer,
    Query,
    State,
    Step,
    TooLong,
    TooMany,
    WorkerGone,
)
from app.compute.messages import NO_TURN, Outcome, Sizes, WorkerQuery
from app.compute.pausable import Progress
from app.compute.queueing import Lines, ServiceTimes
from app.compute.supervisor import Supervisor
from app.errors import sentence
from model.errors import Sentence

if TYPE_CHECKING:
    from app.settings import Settings

TOGETHER = 32
"""How many questions are computed together at most, or texts written."""
RUNS_TOGETHER = 96
"""For how many more that wait their runs are made with those of these."""
ROUNDS = 4
"""Rounds of the event loop until streams that have a step ask for the next. These are waited for:
else the streams part into two halves, of which one asks while the other is computed.
"""
LAST_TURN_SECONDS = 5.0
"""What a turn of a job that pauses may take at least, near the hard limit. Such a job is cancelled
where it pauses next, and the worker, with the runs that it keeps, lives on."""


class LocalBackend:
    """Computes one job at a time, or several short ones together.

    New jobs are taken from each client in turn. A job that pauses lets new ones go first and then
    has its next turn, so that neither waits for the whole of the other.
    """

    def __init__(
        self,
        settings: "Settings",
        analyses: str = ANALYSES,
        service_times: ServiceTimes | None = None,
        weights: str = "",
    ):
        """`weights` is a folder in which several workers share them, each of which says with the
        others how long questions take.
        """
        self.settings = settings
        sizes = Sizes(
            settings.runs_kept,
            settings.runs_bytes,
            settings.turn_seconds,
            settings.answer_bytes,
            settings.work_seconds,
            settings.model_bytes,
        )
        warm_args = (analyses, sizes, str(settings.runs), weights, str(settings.models))
        self.supervisor = Supervisor(warm_args, settings.warm_up_seconds, settings.silence_seconds)
        self.ready = self.supervisor.ready
        self.reports: dict[Job, asyncio.Queue[Progress | Outcome | Exception]] = {}
        self.waiting, self.paused = Lines(), Lines()
        self.ending: deque[Job] = deque()
        self.arrived = asyncio.Event()
        self.running: list[Job] = []
        self.service_times = service_times or ServiceTimes()
        self.dropped = self.cancelled = 0

    @property
    def state(self) -> State:
        return self.supervisor.state

    @property
    def warm_up_left(self) -> float:
        return self.supervisor.warm_up_left

    @property
    def warming(self) -> Sentence:
        return sentence("model-is-loading", seconds=self.warm_up_left)

    def start(self) -> None:
        self.supervisor.start()
        self.dispatcher = asyncio.get_running_loop().create_task(self.dispatch())

    async def stop(self) -> None:
        self.dispatcher.cancel()
        await self.supervisor.stop()

    def answer(self, job: Job) -> AsyncIterator[Progress | Outcome]:
        reports = self.reports[job] = asyncio.Queue()
        self.waiting.append(job)
        self.arrived.set()
        return until_outcome(reports)

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
        self.reports.pop(job).put_nowait(outcome)

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
                self.running, new_one_first = self.together(), False
            else:
                self.running, new_one_first = [self.paused.popleft()], True
            rounds = ROUNDS if isinstance(self.running[0].request, Step) else 0
            await self.take_turn(self.running)
            self.running = []
            for _ in range(rounds):
                await asyncio.sleep(0)

    def together(self) -> list[Job]:
        """Takes the next new job, and with a short one those behind it that are short too: as many
        as one turn has time for. With a step of a stream it takes the steps of others that wait.
        """
        taken = [self.waiting.popleft()]
        if isinstance(step := taken[0].request, Step):
            return [*taken, *self.beside(step)] if self.is_short(taken[0], Step) else taken
        left = self.settings.turn_seconds - self.estimate(taken[0].word)
        while (
            self.is_short(taken[-1])
            and len(taken) < TOGETHER
            and (following := self.waiting.next())
            and self.is_short(following)
            and (left := left - self.estimate(following.word, len(taken) + 1)) > 0
        ):
            taken.append(self.waiting.popleft())
        return taken

    def beside(self, step: Step) -> Iterator[Job]:
        """Takes the short steps that wait, of at most TOGETHER texts with those of this step."""
        texts = step.texts
        for job in [each for each in self.waiting if self.is_short(each, Step)]:
            other = job.request
            if isinstance(other, Step) and texts + other.texts <= TOGETHER:
                texts += other.texts
                self.waiting.remove(job)
                yield job

    def is_short(self, job: Job, kind: type = Query) -> bool:
        """Whether a job may be computed with others of its kind."""
        return isinstance(job.request, kind) and not job.solo and self.has_room_for_two(job.word)

    def has_room_for_two(self, word: str | None) -> bool:
        """Whether a turn has room for two questions of this word, by what was measured."""
        times = self.service_times
        return times.has_measured(word) and 2 * times.estimate(word) <= self.settings.turn_seconds

    def following(self) -> list[Job]:
        """Short jobs that wait, the next first."""
        return list(islice(filter(self.is_short, self.waiting), RUNS_TOGETHER))

    async def forget(self, job: Job) -> None:
        """Ends a paused job in the worker. A worker that was replaced does not know it."""
        with contextlib.suppress(WorkerGone):
            await self.supervisor.call(
                "cancel", job.id, timeout=self.settings.hard_seconds, about="cancel"
            )

    async def take_turn(self, jobs: list[Job]) -> None:
        """Lets the worker compute `jobs`, each until it pauses or ends. Those whose turn did not
        come are the next. Where the worker ends, so does the one that it was at; where it was at
        none, each is computed again alone.
        """
        begun = time.monotonic()
        for job in jobs:
            job.begun = job.begun or begun
        spent = max(job.seconds for job in jobs)
        left = max(self.settings.hard_seconds - spent, LAST_TURN_SECONDS if spent else 0)
        about = jobs[0].about() + (f" and {len(jobs) - 1} others" if len(jobs) > 1 else "")
        waiting = self.following() if self.is_short(jobs[0]) else []
        try:
            results = await self.call(jobs, waiting, left, about)
        except WorkerGone as gone:
            at = 0 if len(jobs) == 1 else gone.at
            why = TooLong() if time.monotonic() - begun >= left else gone
            if at is not None:
                self.finish(jobs.pop(at), why)
            for job in [*jobs, *waiting]:
                job.solo = job.solo or at is None
            results = [NO_TURN] * len(jobs)
        except Exception as exception:  # whatever it is, the next job must still be taken up
            results = [exception] * len(jobs)
        had = [
            (job, result)
            for job, result in zip(jobs, results, strict=True)
            if result is not NO_TURN
        ]
        turn = (time.monotonic() - begun) / max(len(had), 1)
        for word in {job.word for job, _ in had}:
            self.service_times.record(word, turn, len(had))
        for job, result in had:
            job.seconds += turn
            if isinstance(result, Progress):
                self.pause(job, result)
            else:
                self.finish(job, result)
        for job in reversed(jobs[len(had) :]):
            self.wait_again(job)

    def wait_again(self, job: Job) -> None:
        """A job whose turn did not come is the next, if somebody still wants it."""
        job.begun = None
        if job.wanted:
            self.waiting.appendleft(job)
        else:
            self.dropped += 1
            self.drop(job)

    async def call(
        self, jobs: list[Job], waiting: list[Job], timeout: float, about: str
    ) -> list[Any]:
        """What the worker answers to each of the jobs; NO_TURN to one whose turn did not come. It
        may make runs of those `waiting` too. Raises WorkerGone.
        """
        call = partial(self.supervisor.call, timeout=timeout, about=about)
        if isinstance(jobs[0].request, Step):
            steps = [step_of(job) for job in jobs]
            if len(steps) == 1:
                return [await call("event", *steps[0])]
            return await call("events", steps)
        later = [(job.request.word, job.request.question) for job in waiting]
        return await call("answers", [query_of(job) for job in jobs], later)

    def pause(self, job: Job, progress: Progress) -> None:
        if why := self.no_more_turns(job):
            job.dropped = isinstance(why, Dropped)
            self.end(job)
            self.finish(job, why)
        else:
            self.paused.append(job)
            self.reports[job].put_nowait(progress)

    def no_more_turns(self, job: Job) -> NoAnswer | None:
        """Why a job that has paused gets no other turn."""
        if not job.wanted:
            return Dropped()
        if job.seconds >= self.settings.hard_seconds:
            return TooLong()
        most, each = self.settings.computations, self.settings.computations_per_client
        share = used_up((paused_job.client for paused_job in self.paused), job.client, most, each)
        client_jobs = self.paused.waiting(job.client) + self.waiting.waiting(job.client)
        is_only_client = len(self.paused) + len(self.waiting) == client_jobs
        return TooMany() if share and not (share == "own" and is_only_client) else None

    def estimate(self, word: str | None = None, together: int = 1) -> float:
        return self.service_times.estimate(word, together if self.has_room_for_two(word) else 1)

    def ahead(self, request: Query | Step, client: str) -> list[str]:
        return [job.word for job in (*self.running, *self.waiting.ahead(client))]

    def crowds(self, request: Query | Step, client: str) -> bool:
        client_jobs = self.waiting.waiting(client)
        return client_jobs >= self.settings.questions_per_client and len(self.waiting) > client_jobs

    def load(self) -> Load:
        return Load(
            waiting=len(self.waiting),
            paused=len(self.paused),
            running=len(self.running),
            dropped=self.dropped,
            cancelled=self.cancelled,
            replaced=self.supervisor.replaced,
            slowness=self.supervisor.slowness,
        )

    def loads(self) -> dict[str, Load]:
        return {}


def query_of(job: Job) -> WorkerQuery:
    """What the worker is told of a question."""
    assert isinstance(job.request, Query), "steps are computed with steps"
    query = job.request
    return WorkerQuery(job.id, query.word, query.question, query.form, query.store)


def step_of(job: Job) -> tuple[str, str, dict, int]:
    """What the worker is told of a step."""
    assert isinstance(job.request, Step), "questions are computed with questions"
    step = job.request
    return step.stream, step.word, step.question, step.step


async def until_outcome(
    reports: asyncio.Queue[Progress | Outcome | Exception],
) -> AsyncIterator[Progress | Outcome]:
    """Yields what is said of a job up to its outcome; raises what ended it."""
    while True:
        report = await reports.get()
        if isinstance(report, Exception):
            raise report
        yield report
        if not isinstance(report, Progress):
            return
