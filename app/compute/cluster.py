"""The backend of several machines: replicas behind Ray Serve, each with a worker and its turns.

A replica holds a `LocalBackend`, so that turns, batches, cancelling and the end of a poisoned
question are those of one machine. This file says what lies between: which replica a question goes
to, what comes back from it, and what becomes of its questions when it is lost.
"""

import asyncio
import logging
import logging.config
import os
import signal
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any
from zlib import crc32

import ray
from pydantic import SecretStr
from ray import serve
from ray.exceptions import RayError
from ray.serve.config import AutoscalingConfig, RequestRouterConfig
from ray.serve.exceptions import RayServeException
from ray.serve.request_router import PendingRequest, RequestRouter, RunningReplica

from app.compute import ANALYSES, backend
from app.compute.backend import Dropped, Job, Load, NoAnswer, Query, State, Step, WorkerGone
from app.compute.local import LocalBackend
from app.compute.messages import Outcome
from app.compute.pausable import Progress
from app.compute.queueing import Lines, ServiceTimes
from app.compute.workers import place_of, total
from app.errors import sentence
from app.logs import logging_of
from model.errors import Sentence

if TYPE_CHECKING:
    from app.settings import Settings

log = logging.getLogger("vitrine.cluster")

APPLICATION = "vitrine"
GUESSED_START = 60.0  # seconds, on two busy cores
LONGEST_PAUSE = 10.0
WATCH_SECONDS = 1.0
GONE_SECONDS = 5.0
AT_ONCE = 1_000
"""How many questions a replica takes: they wait in its lines, in which clients have turns."""
BUSY_AT = 24
"""With more questions in each replica another one is started, where there may be one."""
OBJECTS = 100_000_000
"""Bytes of the memory that processes of Ray share. Answers do not pass through it."""


@dataclass(frozen=True)
class Ended:
    """What a replica says last of a job: its outcome or, by the name of a `NoAnswer`, why there is
    none; and of itself its name and its load.
    """

    replica: str
    load: Load
    seconds: float
    outcome: Outcome = None
    why: str = ""
    detail: str = ""


class Replica:
    """A worker on some machine, and its turns."""

    async def __init__(self, settings: "Settings", analyses: str):
        self.name = serve.get_replica_context().replica_id.unique_id
        logging.config.dictConfig(logging_of(settings, f"replica {self.name}: "))
        self.backend = LocalBackend(settings, analyses)
        self.backend.start()
        await self.backend.ready.wait()

    async def answer(
        self, request: Query | Step, client: str, id: str, place: int
    ) -> AsyncGenerator[Progress | Ended]:
        """Yields what the backend says of a job; `place` is read by the router alone. Whoever
        closes the generator takes the job back.
        """
        job = Job(request, asyncio.get_running_loop().create_future(), client, id, waiters=1)
        try:
            async for report in self.backend.answer(job):
                yield report if isinstance(report, Progress) else self.ended(job, outcome=report)
        except NoAnswer as why:
            yield self.ended(job, why=type(why).__name__, detail=str(why))
        finally:
            job.waiters = 0
            self.backend.cancel(job)

    def ended(self, job: Job, **more: Any) -> Ended:
        return Ended(self.name, self.backend.load(), job.seconds, **more)

    async def load(self, place: str) -> tuple[str, Load]:
        """Its name, which `place` was if it still lives, and its load."""
        return self.name, self.backend.load()


class ByInput(RequestRouter):
    """Sends all questions about one input to one replica, which has its run. When replicas come or
    go, only those inputs move that must: rendezvous hashing (Thaler and Ravishankar 1998). What is
    for a replica goes to it by its name.
    """

    async def choose_replicas(
        self,
        candidate_replicas: list[RunningReplica],
        pending_request: PendingRequest | None = None,
    ) -> list[list[RunningReplica]]:
        """Ranks the replicas, each alone in its rank."""
        place = pending_request.kwargs["place"] if pending_request else 0

        def score(replica: RunningReplica) -> tuple[bool, int]:
            name = replica.replica_id.unique_id
            return name != place, crc32(f"{place} {name}".encode())

        return [[replica] for replica in sorted(candidate_replicas, key=score)]


class RayBackend:
    """Hands jobs to the replicas of the cluster whose address the settings have; without an address
    to those of one on this machine, which begins and ends with this process.

    A cluster whose head is lost ends this process too, by Ray's own rule, a minute later.
    """

    def __init__(self, settings: "Settings", analyses: str = ANALYSES):
        self.settings, self.analyses = settings, analyses
        self.ready = asyncio.Event()
        self.service_times = ServiceTimes()
        self.streams: dict[Job, Any] = {}
        self.replicas: dict[str, Load] = {}
        self.lost = self.taken_back = 0

    @property
    def state(self) -> State:
        return "ready" if self.ready.is_set() else "warming"

    @property
    def warm_up_left(self) -> float:
        elapsed = time.monotonic() - self.opened
        return 0.0 if self.ready.is_set() else max(1.0, GUESSED_START - elapsed)

    @property
    def warming(self) -> Sentence:
        if self.settings.address:
            return sentence("ray-is-starting-at", address=self.settings.address)
        return sentence("ray-is-starting")

    def start(self) -> None:
        self.opened = time.monotonic()
        self.tasks = [
            asyncio.get_running_loop().create_task(task) for task in (self.join(), self.watch())
        ]

    async def join(self) -> None:
        """Joins the cluster, and tries again until it is there."""
        pause = 1.0
        while not self.ready.is_set():
            try:
                self.handle = await asyncio.to_thread(deployed, self.settings, self.analyses)
                take_signals_back()
                self.ready.set()
                log.info("the cluster is ready after %.0f s", time.monotonic() - self.opened)
            except Exception as error:  # whatever it is, the cluster may be there a moment later
                log.error("the cluster does not answer: %s", error)
                await asyncio.sleep(pause)
                pause = min(LONGEST_PAUSE, 2 * pause)

    async def watch(self) -> None:
        """Asks every replica for its load, and forgets one that is gone. A place that is drawn
        leads to one that is new.
        """
        await self.ready.wait()
        while True:
            for name in [*self.replicas, token_hex(4)]:
                loads = await self.load_of(name)
                if name not in loads:
                    self.replicas.pop(name, None)
                self.replicas |= loads
            await asyncio.sleep(WATCH_SECONDS)

    async def load_of(self, place: str) -> dict[str, Load]:
        """The load of the replica of this name, or of the one that the router takes in its place;
        nothing where none answers.
        """
        try:
            async with asyncio.timeout(GONE_SECONDS):
                name, load = await self.handle.options(stream=False).load.remote(place=place)
        except (TimeoutError, RayError, RayServeException):
            return {}
        return {name: load}

    async def stop(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.to_thread(leave, self.settings)

    def answer(self, job: Job) -> AsyncIterator[Progress | Outcome]:
        self.streams[job] = None
        return self.stream(job)

    async def stream(self, job: Job) -> AsyncIterator[Progress | Outcome]:
        """What a replica says of a job. It counts as begun when it is on its way: whoever is told
        that it is late is told that it goes on.
        """
        try:
            await self.ready.wait()
            if job.dropped:
                raise Dropped
            place = place_of(job.request.question)
            stream = self.streams[job] = self.handle.answer.remote(
                request=job.request, client=job.client, id=job.id, place=place
            )
            job.begun = time.monotonic()
            async for report in stream:
                yield report if isinstance(report, Progress) else self.outcome(job, report)
        except (RayError, RayServeException) as error:
            if job.dropped:
                raise Dropped from error
            self.lost += 1
            log.warning("a replica is lost: %s; it had %s", type(error).__name__, job.about())
            raise WorkerGone(f"the replica was lost: {type(error).__name__}") from error
        finally:
            self.streams.pop(job, None)

    def outcome(self, job: Job, ended: Ended) -> Outcome:
        """The outcome of a job that has ended, which is ahead of nobody any more: its stream is
        closed a while later. Raises why there is none.
        """
        self.streams.pop(job, None)
        self.replicas[ended.replica] = ended.load
        job.seconds, job.replica = ended.seconds, ended.replica
        turn = min(ended.seconds, self.settings.turn_seconds)
        self.service_times.record(job.word, turn, ended.load.running)
        if ended.why:
            raise getattr(backend, ended.why)(ended.detail)
        return ended.outcome

    def cancel(self, job: Job) -> None:
        if job in self.streams:
            job.dropped = True
            self.taken_back += 1
            if (stream := self.streams[job]) is not None:
                stream.cancel()

    def estimate(self, word: str | None = None, together: int = 1) -> float:
        return self.service_times.estimate(word, together)

    def ahead(self, request: Query | Step, client: str) -> list[str]:
        """Of this process's jobs ahead the part that falls to one replica: inputs are spread over
        all, and each has the turns of one machine.
        """
        ahead = Lines(self.streams).ahead(client)
        return [job.word for job in ahead][:: max(1, len(self.replicas))]

    def crowds(self, request: Query | Step, client: str) -> bool:
        client_jobs = sum(job.client == client for job in self.streams)
        return client_jobs >= self.settings.questions_per_client and len(self.streams) > client_jobs

    def load(self) -> Load:
        """The sums over the replicas, by what each last said. Of this process's jobs, those that
        they do not compute wait, and those that were taken back and are not among the cancelled
        had not begun.
        """
        sums = total(self.replicas.values())
        waiting = max(0, len(self.streams) - sums.running - sums.paused)
        dropped = max(0, self.taken_back - sums.cancelled)
        replaced = sums.replaced + self.lost
        return replace(sums, waiting=waiting, dropped=dropped, replaced=replaced)

    def loads(self) -> dict[str, Load]:
        return self.replicas


def deployed(settings: "Settings", analyses: str) -> Any:
    """A handle to the replicas, which are started where the cluster has none yet. Returns when they
    answer; raises where they do not.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
    here: dict[str, Any] = {
        "address": "local",  # whatever else of Ray runs on this machine, or was left behind
        "_node_ip_address": "127.0.0.1",
        "include_dashboard": False,
        "num_cpus": max(os.cpu_count() or 1, int(settings.replicas.rpartition("-")[2])),
        "object_store_memory": OBJECTS,
    }
    cluster = {"address": settings.address} if settings.address else here
    ray.init(**cluster, namespace=APPLICATION, configure_logging=False, ignore_reinit_error=True)
    serve.start(http_options={"location": "NoServer"})
    if APPLICATION in serve.status().applications:
        handle = serve.get_app_handle(APPLICATION)
    else:
        # Everybody in the cluster can read what a replica is made of.
        public = settings.model_copy(update={"secret": SecretStr("")})
        replicas = deployment(settings).bind(public, analyses)
        handle = serve.run(replicas, name=APPLICATION, route_prefix=None)
    return handle.options(stream=True)


def take_signals_back() -> None:
    """Ray puts itself before the handlers of Python, and aborts the process 3 s after SIGTERM,
    whatever it still answers. Set anew, each is the first again.
    """
    if threading.current_thread() is threading.main_thread():  # no other may set any
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.getsignal(number))
            signal.siginterrupt(number, False)


def deployment(settings: "Settings") -> Any:
    """How replicas are started, watched and ended."""
    least, _, most = settings.replicas.partition("-")
    env = {name: value for name, value in os.environ.items() if name.startswith("VITRINE_")}
    env.pop("VITRINE_SECRET", None)
    variables = {**env, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[2])}
    router: dict[str, Any] = {"request_router_class": ByInput}
    scale: dict[str, Any] = {"num_replicas": int(least)}
    if most:
        scale = {
            "autoscaling_config": AutoscalingConfig(
                min_replicas=int(least), max_replicas=int(most), target_ongoing_requests=BUSY_AT
            )
        }
    return serve.deployment(
        Replica,
        **scale,
        max_ongoing_requests=AT_ONCE,
        ray_actor_options={"num_cpus": 1, "runtime_env": {"env_vars": variables}},
        health_check_period_s=2,
        graceful_shutdown_wait_loop_s=0.5,
        graceful_shutdown_timeout_s=settings.drain_seconds,
        request_router_config=RequestRouterConfig(**router),
        logging_config={"enable_access_log": False, "log_level": "WARNING"},
    )


def leave(settings: "Settings") -> None:
    """Ends what this process has started: a cluster of its own."""
    if ray.is_initialized():
        if not settings.address:
            serve.shutdown()
        ray.shutdown()
