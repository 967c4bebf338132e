"""Where answers are computed. The engine decides what is computed; a `Backend` computes it: the one
in local.py with a process beside this one, the one in workers.py with several of these.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol
from uuid import uuid4

import orjson

from app.compute.messages import Numbers, Outcome, Representation
from app.compute.pausable import Progress
from app.errors import abbreviate
from model.errors import Sentence
from model.zoo import cards

State = Literal["warming", "ready", "restarting"]
NUMBERS = Numbers()


@dataclass(frozen=True)
class Query:
    """A question, and the form of its answer. With `store` false the answer is not kept, because it
    cannot be repeated.
    """

    word: str
    question: dict
    form: Representation = NUMBERS
    store: bool = True

    @cached_property
    def key(self) -> bytes:
        return canonical(self.word, self.question, self.form.cache_key)

    @property
    def timed_as(self) -> str:
        return self.word


RUN_TEXTS = 4
"""A text whose every step is a whole run takes about as long as so many."""


@dataclass(frozen=True)
class Step:
    """Event number `step` of the answer that is sent as the stream with this id."""

    stream: str
    word: str
    question: dict
    step: int

    key = None

    @property
    def timed_as(self) -> str:
        """A step is shorter than the whole answer, and has a time of its own."""
        return f"a step of {self.word}"

    @property
    def texts(self) -> int:
        """How many texts are written side by side for it. One that is written with edits, whose
        steps are whole runs, counts as RUN_TEXTS.
        """
        beams = self.question.get("beams", 1) if self.question.get("strategy") == "beam" else 1
        plain = not any(self.question.get(name) for name in ("edits", "order", "positions", "pad"))
        return beams if plain else beams * RUN_TEXTS


@dataclass(eq=False)
class Job:
    """One computation for the first `client` that asked for it, and how many wait for it.

    A job that nobody waits for is dropped before it begins, and cancelled where it pauses. A job
    that somebody was told to ask for again (`late`) goes on without anybody waiting. The backend
    says when it has `begun`, by the clock of this process, how many seconds it took so far, that it
    was `dropped`, that it is computed `alone`, because a worker ended that computed it with others,
    and which `replica` has answered, where there are several.
    """

    request: Query | Step
    result: asyncio.Future
    client: str = ""
    id: str = field(default_factory=lambda: uuid4().hex)
    waiters: int = 0
    late: bool = False
    begun: float | None = None
    dropped: bool = False
    solo: bool = False
    replica: str = ""
    seconds: float = 0.0
    progress: Progress | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def word(self) -> str:
        return self.request.timed_as

    @property
    def wanted(self) -> bool:
        return self.waiters > 0 or self.late

    def about(self) -> str:
        """Returns the question, and how long it has been computed in the turns before, short enough
        for a line of the log.
        """
        before = f" (for {self.seconds:.1f} s before)" if self.seconds else ""
        return f"{self.word} {abbreviate((self.request.key or b'').decode())}".strip() + before


@dataclass(frozen=True)
class Load:
    """What a backend has to do and has done; `paused` counts the jobs that wait for another
    turn. `slowness` is that of the slowest core.
    """

    waiting: int
    paused: int
    running: int
    dropped: int
    cancelled: int
    replaced: int
    slowness: float = 1.0


class NoAnswer(Exception):
    """A job has ended without an outcome."""


class Dropped(NoAnswer):
    """Nobody waited for it."""


class TooLong(NoAnswer):
    """It takes longer than any job may."""


class TooMany(NoAnswer):
    """It paused, and as many jobs as may be had paused before it."""


class WorkerGone(NoAnswer):
    """The worker ended, or was ended, before it answered. The message says why, and `at` which of
    several questions it was computing; None where it was computing for all of them.
    """

    at: int | None = None


class Backend(Protocol):
    """Computes jobs, each from its first turn to its outcome."""

    @property
    def state(self) -> State:
        """Jobs are taken up while it is "ready"."""
        ...

    @property
    def warm_up_left(self) -> float:
        """Estimated seconds until jobs are taken up."""
        ...

    @property
    def warming(self) -> Sentence:
        """A sentence on what jobs wait for until they are taken up."""
        ...

    def start(self) -> None: ...

    async def stop(self) -> None: ...

    def answer(self, job: Job) -> AsyncIterator[Progress | Outcome]:
        """Takes the job up. Yields how far it is after each turn but the last, and then its
        outcome. Raises NoAnswer where there is none.
        """
        ...

    def cancel(self, job: Job) -> None:
        """Drops a job that has not begun, and ends one that has paused. A job that has its turn is
        ended when it pauses, if nobody wants it then.
        """
        ...

    def estimate(self, word: str | None = None, together: int = 1) -> float:
        """Estimated seconds of one turn of a job of this word, or of any; of a short one, where so
        many wait together, its part of the turn.
        """
        ...

    def ahead(self, request: Query | Step, client: str) -> list[str]:
        """The words of the jobs whose first turn comes before that of this client's request."""
        ...

    def crowds(self, request: Query | Step, client: str) -> bool:
        """Whether this client has as many jobs waiting as it may while others wait."""
        ...

    def load(self) -> Load: ...

    def loads(self) -> dict[str, Load]:
        """The load of each part by its name, where there are several."""
        ...


def canonical(word: str, question: dict, representation: str) -> bytes:
    """Returns the key of what is kept, the same in whichever order the fields are, and another as
    soon as a model of one's own that the question is about is another.
    """
    key = orjson.dumps([word, question, representation], option=orjson.OPT_SORT_KEYS)
    return key + cards.version_of(word, question).encode()
