"""What the web process and its worker say to each other."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from app.compute.representations import Representation
from model.errors import Sentence


@dataclass(frozen=True)
class Refused:
    """The question was at fault; `nearest` is set where a name is unknown."""

    detail: Sentence
    field: str = ""
    limit: Any = None
    given: Any = None
    nearest: list[str] | None = None
    code: str = "refused"


@dataclass(frozen=True)
class Failed:
    """The server was at fault; the traceback is for its log."""

    traceback: str


Outcome = bytes | Refused | Failed | None
"""What an answer or an event is; None stands behind the last event."""


class NoTurn(Enum):
    """Says of a question that those before it took the whole turn."""

    NO_TURN = "no turn"


NO_TURN = NoTurn.NO_TURN


@dataclass(frozen=True)
class WorkerQuery:
    """A question as the engine asks it. If `store` is false, the answer is not kept, because it
    cannot be repeated.
    """

    id: str
    word: str
    question: dict
    form: Representation
    store: bool = True


FOR_ALL = -1


@dataclass(frozen=True)
class Pulse:
    """What the process says of itself in shared memory: the time of its last `beat`, and `at` which
    of several questions it is, or FOR_ALL where it is at none of them; and the `slowness` of its
    core, in seconds that do what one of the usual core does.
    """

    beat: Any
    at: Any
    slowness: Any


@dataclass(frozen=True)
class Sizes:
    """The limits of the settings, as `/limits` explains them, that hold in this process."""

    runs_kept: int
    runs_bytes: int
    turn_seconds: float
    answer_bytes: int
    work_seconds: float
    model_bytes: int
