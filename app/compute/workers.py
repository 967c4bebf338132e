"""Several workers on a machine with more cores. A question goes to the worker that has the run of
its input, if any has.
"""

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import fields
from tempfile import TemporaryDirectory
from zlib import crc32

import orjson

from app.compute.backend import Backend, Job, Load, Query, State, Step
from app.compute.messages import Outcome
from app.compute.pausable import Progress
from model.errors import Sentence
from model.inputs.input import Input

ABOUT = ("model", *(field.name for field in fields(Input)))
"""The fields of a question that say which run it is about."""


class Workers:
    """Backends that stand side by side, each with a worker of its own."""

    def __init__(self, make: Callable[[str], Backend], number: int):
        """`make` makes one of them, which shares its weights in the folder of this name."""
        self.weights = TemporaryDirectory(prefix="vitrine-weights-")
        self.backends: Sequence[Backend] = [make(self.weights.name) for _ in range(number)]

    @property
    def state(self) -> State:
        """The best of the workers' states: one that is ready takes the questions of all."""
        states = {backend.state for backend in self.backends}
        order: tuple[State, ...] = ("ready", "restarting", "warming")
        return next(state for state in order if state in states)

    @property
    def warm_up_left(self) -> float:
        return min(backend.warm_up_left for backend in self.backends)

    @property
    def warming(self) -> Sentence:
        return min(self.backends, key=lambda backend: backend.warm_up_left).warming

    def start(self) -> None:
        for backend in self.backends:
            backend.start()

    async def stop(self) -> None:
        for backend in self.backends:
            await backend.stop()
        self.weights.cleanup()

    def of(self, request: Query | Step) -> Backend:
        """The worker of a question: the same for all about one input, while it is ready."""
        start, n = place_of(request.question), len(self.backends)
        circle = [self.backends[(start + step) % n] for step in range(n)]
        return next((worker for worker in circle if worker.state == "ready"), circle[0])

    def answer(self, job: Job) -> AsyncIterator[Progress | Outcome]:
        return self.of(job.request).answer(job)

    def cancel(self, job: Job) -> None:
        for backend in self.backends:
            backend.cancel(job)

    def estimate(self, word: str | None = None, together: int = 1) -> float:
        return self.backends[0].estimate(word, together)

    def ahead(self, request: Query | Step, client: str) -> list[str]:
        return self.of(request).ahead(request, client)

    def crowds(self, request: Query | Step, client: str) -> bool:
        return self.of(request).crowds(request, client)

    def load(self) -> Load:
        return total(self.loads().values())

    def loads(self) -> dict[str, Load]:
        return {str(number): backend.load() for number, backend in enumerate(self.backends)}


def total(loads: Collection[Load]) -> Load:
    """Each number summed over the loads; of the slowness the largest."""
    names = {field.name for field in fields(Load)} - {"slowness"}
    sums = {name: sum(getattr(load, name) for load in loads) for name in names}
    return Load(**sums, slowness=max((load.slowness for load in loads), default=1.0))


def place_of(question: dict) -> int:
    """A number shared by all questions about one input; a question about none has its own."""
    about = {name: question[name] for name in ABOUT if question.get(name) is not None}
    return crc32(orjson.dumps(about or question, option=orjson.OPT_SORT_KEYS))
