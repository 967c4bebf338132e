"""Keeps one worker process alive: starts it, calls it, and replaces it when it dies or hangs."""

import asyncio
import gc
import logging
import time
from collections.abc import Callable, Coroutine
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from typing import Any

from pebble import ProcessPool

from app.compute import worker
from app.compute.backend import State, WorkerGone

log = logging.getLogger("vitrine.worker")

WATCH_SECONDS = 0.1
GUESSED_WARM_UP = 5.0
LONGEST_PAUSE = 10.0


class Spawning(SpawnContext):
    """Starts processes, and knows those that it has started."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[BaseProcess] = []
        self.Process: Any = self.process

    def process(self, *args: Any, **kwargs: Any) -> BaseProcess:
        process = SpawnProcess(*args, **kwargs)
        self.processes.append(process)
        return process


class Supervisor:
    """One call at a time.

    The pool is thrown away with its only worker, because a worker that is killed in the middle of a
    write leaves its pipe locked.
    """

    def __init__(self, warm_args: tuple, warm_up_seconds: float, silence_seconds: float):
        self.warm_args, self.warm_up_seconds = warm_args, warm_up_seconds
        self.silence_seconds = silence_seconds
        self.state: State = "warming"
        self.ready = asyncio.Event()
        self.pid: int | None = None
        self.replaced = 0
        self.expected_warm_up = GUESSED_WARM_UP
        self.failures_in_a_row = 0
        self.pool: ProcessPool | None = None
        self.core_slowness = Spawning().Value("d", 1.0, lock=False)
        self.tasks: set[asyncio.Task] = set()
        self.calling = asyncio.Lock()

    def start(self) -> None:
        self.open()
        self.spawn(self.watch())

    async def stop(self) -> None:
        for task in self.tasks:
            task.cancel()
        if self.pool is not None:
            await self.close(self.pool, self.spawning)

    @property
    def warm_up_left(self) -> float:
        """Estimated seconds until the worker answers."""
        elapsed = time.monotonic() - self.opened
        return 0.0 if self.ready.is_set() else max(1.0, self.expected_warm_up - elapsed)

    @property
    def slowness(self) -> float:
        """How many seconds of the worker's core do what one of the usual core does, as it was last
        measured; 1 before.
        """
        return self.core_slowness.value

    async def call(
        self, function: Callable[..., Any], *args: object, timeout: float, about: str = ""
    ) -> Any:
        """What the function returns in the worker.

        Raises WorkerGone when there is no answer in `timeout` seconds; the log then says `about`
        what the worker was asked.
        """
        async with self.calling:
            await self.ready.wait()
            pool = self.pool
            assert pool is not None, "it was opened before anybody could ask"
            try:
                return await self.finish(pool, function, args, timeout)
            except WorkerGone as gone:
                gone.at = None if (at := self.pulse.at.value) < 0 else at
                self.replace(pool, f"{gone}; it was computing {about or 'nothing'}")
                raise

    async def finish(
        self, pool: ProcessPool, function: Callable[..., Any], args: tuple, timeout: float
    ) -> Any:
        try:
            future = asyncio.wrap_future(await asyncio.to_thread(pool.schedule, function, args))
        except RuntimeError as error:
            raise WorkerGone(str(error)) from error
        # Not cancelled when late: the process is replaced, and its future then fails unheard.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        end = time.monotonic() + timeout
        while not future.done():
            left = end - time.monotonic()
            if left <= 0:
                raise WorkerGone(f"it gave no answer in {timeout:g} s")
            if self.silence() > self.silence_seconds:
                raise WorkerGone(f"it gave no sign of life for {self.silence_seconds:g} s")
            await asyncio.wait({future}, timeout=min(left, self.silence_seconds / 5))
        if error := future.exception():
            raise WorkerGone(f"it ended with {error!r}") from error
        return future.result()

    def silence(self) -> float:
        """Seconds since the last heartbeat; while the worker starts, nothing is expected of it."""
        return time.monotonic() - self.pulse.beat.value if self.ready.is_set() else 0.0

    def open(self) -> None:
        self.opened, self.pid = time.monotonic(), None
        self.spawning = Spawning()
        self.pulse = worker.Pulse(
            self.spawning.Value("d", self.opened, lock=False),
            self.spawning.Value("i", worker.FOR_ALL, lock=False),
            self.core_slowness,
        )
        self.pool = ProcessPool(
            max_workers=1,
            context=self.spawning,
            initializer=worker.begin,
            initargs=(self.pulse,),
        )
        self.spawn(self.warm(self.pool))

    async def warm(self, pool: ProcessPool) -> None:
        try:
            self.pid = await self.finish(pool, worker.warm, self.warm_args, self.warm_up_seconds)
        except WorkerGone as gone:
            self.failures_in_a_row += 1
            log.error("the worker could not start: %s", gone)
            await asyncio.sleep(min(LONGEST_PAUSE, 2.0 ** (self.failures_in_a_row - 1)))
            self.replace(pool, "it could not start")
            return
        if pool is self.pool:
            self.expected_warm_up = time.monotonic() - self.opened
            self.failures_in_a_row = 0
            self.state = "ready"
            self.ready.set()
            gc.collect()  # what the one before held until now
            log.info("worker %s is ready after %.1f s", self.pid, self.expected_warm_up)

    def replace(self, pool: ProcessPool, reason: str) -> None:
        """Starts a new process in place of the one of `pool`; only the first who notices does."""
        if pool is not self.pool:
            return
        log.warning("worker %s is replaced: %s", self.pid, reason)
        self.ready.clear()
        self.state, self.replaced = "restarting", self.replaced + 1
        closing = self.spawn(self.close(pool, self.spawning))
        # The pipes of a pool that has ended are closed by the collector, which may come much later.
        closing.add_done_callback(lambda done: gc.collect())
        self.open()

    async def close(self, pool: ProcessPool, spawning: Spawning) -> None:
        for process in [one for one in spawning.processes if one.pid is not None]:
            process.kill()  # it holds nothing that must be saved, and may be deep in an import
        pool.stop()
        await asyncio.to_thread(pool.join)

    async def watch(self) -> None:
        """Notices a worker that dies or hangs while nobody asks it anything."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            assert self.pool is not None, "it is watched from its opening on"
            if not self.ready.is_set() or self.calling.locked():
                continue
            if not self.pool.active:
                self.replace(self.pool, "it ended while nobody asked it anything")
            elif self.silence() > self.silence_seconds:
                self.replace(self.pool, f"it gave no sign of life for {self.silence_seconds:g} s")

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task:
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task
