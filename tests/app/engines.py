"""An engine in the process of a test, with a worker whose analyses do as they are told, or with a
backend that a test makes.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from app.compute.backend import Load, Query, State, Step
from app.compute.engine import Engine, Reply
from app.errors import Problem
from app.settings import Settings
from app.site.services import make_backend
from tests.app.serving import ENGINE


class FakeBackend:
    """A backend in this process, without a queue. A test says how it answers."""

    state: State = "ready"
    warm_up_left = 0.0
    warming = ""

    def start(self) -> None:
        self.state = "ready"

    async def stop(self) -> None:
        self.state = "restarting"

    def estimate(self, word: str | None = None, together: int = 1) -> float:
        return 0.0

    def ahead(self, request: Query | Step, client: str) -> list[str]:
        return []

    def crowds(self, request: Query | Step, client: str) -> bool:
        return False

    def load(self) -> Load:
        return Load(waiting=0, paused=0, running=0, dropped=0, cancelled=0, replaced=0)

    def loads(self) -> dict[str, Load]:
        return {}


@asynccontextmanager
async def fresh_engine(
    *, warm: bool = True, analyses: str = "tests.app.fake_analyses", **limits: object
) -> AsyncIterator[Engine]:
    patient = dict.fromkeys(
        ("deadline_seconds", "patience_seconds", "warm_up_seconds", "silence_seconds"), 120
    )
    settings = Settings(**patient | {"engine": ENGINE} | limits)
    engine = Engine(settings, make_backend(settings, analyses))
    engine.start()
    try:
        if warm:
            await until(lambda: engine.backend.state == "ready")
        yield engine
    finally:
        await engine.stop()


def ask(engine: Engine, source: str, client: str = "") -> Awaitable[Reply]:
    return engine.ask("attention", {"model": "m", "source": source}, client=client)


def waiting(engine: Engine) -> int:
    """How many questions have come to where they wait. Those on their way to a replica have not."""
    backend = engine.backend
    return sum(load.waiting for load in backend.loads().values() or [backend.load()])


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(120):
        while not condition():
            await asyncio.sleep(0.01)


def has_paused(engine: Engine) -> bool:
    """Whether a computation that is under way has had its first turn and done something."""
    return any(job.progress and job.progress.done for job in engine.in_flight.values())


def is_idle(engine: Engine) -> bool:
    load = engine.backend.load()
    return not (load.running or load.paused or load.waiting)


async def killed_and_replaced(engine: Engine, signal_number: signal.Signals) -> None:
    killed = engine.backend.supervisor.pid
    os.kill(killed, signal_number)
    await until(lambda: engine.backend.supervisor.pid not in (None, killed))


async def problem_of(answering: Awaitable[Reply]) -> Problem:
    with pytest.raises(Problem) as caught:
        await answering
    return caught.value
