"""Keeps one worker process alive: starts it, calls it, and puts a new one in its place when it dies, hangs or cannot start."""

import asyncio
import contextlib
import logging
import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from typing import Any, Literal

from pebble import ProcessPool

from app import worker

log = logging.getLogger("vitrine")

WATCH_SECONDS = 0.1
PING_SECONDS = 5.0
PING_TIMEOUT = 3.0
GUESSED_WARM_UP = 5.0
LONGEST_PAUSE = 10.0


class WorkerGone(Exception):
    """The worker ended, or was ended, before it answered."""


class Supervisor:
    """One call at a time. The pool is thrown away with its only worker: one killed in the middle of a write leaves its pipe locked."""

    def __init__(self, analyses: str, runs_kept: int, warm_up_seconds: float):
        self.warm_args, self.warm_up_seconds = (analyses, runs_kept), warm_up_seconds
        self.state: Literal["warming", "ready", "restarting"] = "warming"
        self.ready = asyncio.Event()
        self.trouble = ""
        self.pid: int | None = None
        self.replaced = 0
        self.expected_warm_up = GUESSED_WARM_UP
        self.failures_in_a_row = 0
        self.pool: ProcessPool | None = None
        self.tasks: set[asyncio.Task] = set()
        self.calling = asyncio.Lock()

    def start(self) -> None:
        self.open()
        self.spawn(self.watch())

    async def stop(self) -> None:
        for task in self.tasks:
            task.cancel()
        if self.pool is not None:
            await self.close(self.pool, multiprocessing.active_children())

    @property
    def warm_up_left(self) -> float:
        """Estimated seconds until the worker answers."""
        return 0.0 if self.ready.is_set() else max(1.0, self.expected_warm_up - (time.monotonic() - self.opened))

    async def call(self, function: Callable[..., Any], *args: object, timeout: float) -> Any:
        """What the function gives in the worker; raises WorkerGone when there is no answer in time."""
        async with self.calling:
            await self.ready.wait()
            pool = self.pool
            try:
                result = await self.finish(pool, function, args, timeout)
            except WorkerGone:
                self.replace(pool)
                raise
            return result

    async def finish(self, pool: ProcessPool, function: Callable[..., Any], args: tuple, timeout: float) -> Any:
        try:
            future = asyncio.wrap_future(await asyncio.to_thread(pool.schedule, function, args))
        except RuntimeError as error:
            raise WorkerGone(str(error)) from error
        # Not cancelled when late: the process is replaced, and its future then fails unheard.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        done, _ = await asyncio.wait({future}, timeout=timeout)
        if not done:
            raise WorkerGone(f"no answer in {timeout:g} seconds")
        if error := future.exception():
            raise WorkerGone(repr(error)) from error
        return future.result()

    def open(self) -> None:
        self.opened, self.pid = time.monotonic(), None
        self.pool = ProcessPool(max_workers=1, context=multiprocessing.get_context("spawn"))
        self.spawn(self.warm(self.pool))

    async def warm(self, pool: ProcessPool) -> None:
        try:
            self.pid = await self.finish(pool, worker.warm, self.warm_args, self.warm_up_seconds)
        except WorkerGone as error:
            self.failures_in_a_row += 1
            log.error("the worker could not start: %s", error)
            await asyncio.sleep(min(LONGEST_PAUSE, 2.0 ** (self.failures_in_a_row - 1)))
            self.replace(pool)
            return
        if pool is self.pool:
            self.expected_warm_up = time.monotonic() - self.opened
            self.failures_in_a_row = 0
            self.state = "ready"
            self.ready.set()

    def replace(self, pool: ProcessPool) -> None:
        """A new process for the one of `pool`; only the first who notices does it."""
        if pool is not self.pool:
            return
        log.warning("the worker %s is replaced", self.pid)
        self.ready.clear()
        self.state, self.replaced = "restarting", self.replaced + 1
        self.spawn(self.close(pool, multiprocessing.active_children()))
        self.open()

    async def close(self, pool: ProcessPool, processes: list[BaseProcess]) -> None:
        for process in processes:
            process.kill()  # it holds nothing that must be saved, and may be deep in an import
        pool.stop()
        await asyncio.to_thread(pool.join)

    async def watch(self) -> None:
        """Notices a worker that dies or hangs while nobody asks it anything."""
        asked = time.monotonic()
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            if not self.ready.is_set() or self.calling.locked():
                asked = time.monotonic()
                continue
            if not self.pool.active:
                self.replace(self.pool)
            elif time.monotonic() - asked > PING_SECONDS:
                with contextlib.suppress(WorkerGone):
                    await self.call(worker.ping, timeout=PING_TIMEOUT)

    def spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
