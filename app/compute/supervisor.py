"""Keeps one worker process alive: starts it, calls it, and replaces it when it dies or hangs.

It is forked from a process that has imported torch and does nothing else (nursery.py), so that a
worker that dies is replaced within half a second.
"""

import asyncio
import gc
import logging
import os
import sys
import threading
import time
from collections.abc import Coroutine
from contextlib import suppress
from functools import partial
from importlib import import_module
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.process import BaseProcess
from typing import Any

from pebble import ProcessPool

from app.compute import ANALYSES, NURSERY, WORKER
from app.compute.backend import State, WorkerGone
from app.compute.messages import FOR_ALL, Pulse

log = logging.getLogger("vitrine.worker")

WATCH_SECONDS = 0.1
GUESSED_WARM_UP = 5.0
LONGEST_PAUSE = 10.0


def in_worker(name: str, *args: object) -> Any:
    """What the worker's function of this name returns; it is called in its process."""
    return getattr(import_module(WORKER), name)(*args)


class Forking(ForkServerContext):
    """Starts processes, and knows those that it has started."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[BaseProcess] = []
        self.Process: Any = self.process

    def process(self, *args: Any, **kwargs: Any) -> BaseProcess:
        process = ForkServerProcess(*args, **kwargs)
        self.processes.append(process)
        return process

    async def until_it_forks(self) -> None:
        """Returns when the process that workers are forked from has imported what they need. Raises
        OSError or EOFError where it cannot.

        It is waited for in a thread that keeps no server from ending.
        """
        loop, forked = asyncio.get_running_loop(), asyncio.Event()
        failed: list[Exception] = []
        process = ForkServerProcess(target=os.getpid)

        def fork() -> None:
            try:
                process.start()
                process.join()
            except Exception as error:
                failed.append(error)
            with suppress(RuntimeError):  # nobody waits any more: the loop has ended
                loop.call_soon_threadsafe(forked.set)

        threading.Thread(target=fork, daemon=True).start()
        await forked.wait()
        if failed:
            raise failed[0]


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
        self.core_slowness = Forking().Value("d", 1.0, lock=False)
        self.tasks: set[asyncio.Task] = set()
        self.calling = asyncio.Lock()
        # Elsewhere torch may begin threads, and a process that has some is not forked.
        if warm_args[0] == ANALYSES and sys.platform == "linux":
            Forking().set_forkserver_preload([NURSERY])

    def start(self) -> None:
        self.open()
        self.spawn(self.watch())

    async def stop(self) -> None:
        for task in self.tasks:
            task.cancel()
        if self.pool is not None:
            await self.close(self.pool, self.forking)

    @property
    def warm_up_left(self) -> float:
        """Estimated seconds until the worker answers. One that takes longer than the last one did
        is expected to take half as long again as it has taken.
        """
        elapsed = time.monotonic() - self.opened
        left = self.expected_warm_up - elapsed
        return 0.0 if self.ready.is_set() else max(1.0, left if left > 0 else elapsed / 2)

    @property
    def slowness(self) -> float:
        """How many times slower the worker’s core is than the reference core; 1 at first."""
        return self.core_slowness.value

    async def call(self, function: str, *args: object, timeout: float, about: str = "") -> Any:
        """What the function of this name returns in the worker.

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

    async def finish(self, pool: ProcessPool, function: str, args: tuple, timeout: float) -> Any:
        try:
            future = asyncio.wrap_future(
                await asyncio.to_thread(pool.schedule, partial(in_worker, function), args)
            )
        except (RuntimeError, OSError, EOFError) as error:
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
        self.opened, self.pid, self.pool = time.monotonic(), None, None
        self.spawn(self.warm())

    def new_pool(self) -> ProcessPool:
        self.forking = Forking()
        self.pulse = Pulse(
            self.forking.Value("d", time.monotonic(), lock=False),
            self.forking.Value("i", FOR_ALL, lock=False),
            self.core_slowness,
        )
        return ProcessPool(
            max_workers=1,
            context=self.forking,
            initializer=partial(in_worker, "begin"),
            initargs=(self.pulse, dict(os.environ)),
        )

    async def warm(self) -> None:
        pool = None
        try:
            async with asyncio.timeout(self.warm_up_seconds):
                await Forking().until_it_forks()
            begun = time.monotonic()
            pool = self.pool = self.new_pool()
            self.pid = await self.finish(pool, "warm", self.warm_args, self.warm_up_seconds)
        except (WorkerGone, OSError, EOFError) as gone:  # the last two: no memory, no file is left
            self.failures_in_a_row += 1
            log.error("the worker could not start: %s", gone or type(gone).__name__)
            await asyncio.sleep(min(LONGEST_PAUSE, 2.0 ** (self.failures_in_a_row - 1)))
            self.replace(pool, "it could not start")
            return
        if pool is self.pool:
            now = time.monotonic()
            self.expected_warm_up = now - begun  # of the next: what it is forked from stays
            self.failures_in_a_row = 0
            self.state = "ready"
            self.ready.set()
            gc.collect()  # what the one before held until now
            log.info("worker %s is ready after %.1f s", self.pid, now - self.opened)

    def replace(self, pool: ProcessPool | None, reason: str) -> None:
        """Starts a new process in place of the one of `pool`; only the first who notices does."""
        if pool is not self.pool:
            return
        log.warning("worker %s is replaced: %s", self.pid, reason)
        self.ready.clear()
        self.state, self.replaced = "restarting", self.replaced + 1
        if pool is not None:
            closing = self.spawn(self.close(pool, self.forking))
            # The collector closes the pipes of a pool that has ended, which may come much later.
            closing.add_done_callback(lambda done: gc.collect())
        self.open()

    async def close(self, pool: ProcessPool, forking: Forking) -> None:
        for process in [child for child in forking.processes if child.pid is not None]:
            process.kill()  # it holds nothing that must be saved, and may be deep in an import
        pool.stop()
        await asyncio.to_thread(pool.join)

    async def watch(self) -> None:
        """Notices a worker that dies or hangs while nobody asks it anything."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            if not self.ready.is_set() or self.calling.locked():
                continue
            assert self.pool is not None, "it is ready"
            if not self.pool.active:
                self.replace(self.pool, "it ended while nobody asked it anything")
            elif self.silence() > self.silence_seconds:
                self.replace(self.pool, f"it gave no sign of life for {self.silence_seconds:g} s")

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task:
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task
