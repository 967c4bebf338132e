"""What the web process and its worker say to each other: questions, outcomes, and representations,
in which the worker writes an answer: its numbers, its figures, one figure, a file that shows one
figure, or a drawing.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Literal

from model.errors import Sentence

JSON, HTML, SVG = "application/json", "text/html", "image/svg+xml"

Encoding = Literal["json", "base64", "levels"]
DisplayFields = tuple[tuple[str, Any], ...]
"""Which part of an answer figures show: names and values that no analysis has a use for."""


Shows = Literal["run", "edited", "difference"]
"""Which numbers figures of an edited run show: those of the run as it is without edits, those with
them, or the second minus the first.
"""


class BaseRepresentation:
    """What every representation says of itself."""

    @property
    def media_type(self) -> str:
        return JSON

    @property
    def cache_key(self) -> str:
        """Tells an answer in this form from the same answer in any other: the kind of the form and
        all its fields.
        """
        return repr(self)


@dataclass(frozen=True)
class Numbers(BaseRepresentation):
    """The whole answer, with its tensors."""

    encoding: Encoding = "json"


@dataclass(frozen=True)
class Figures(BaseRepresentation):
    """The answer with figures in the place of its tensors: those that are named, or all."""

    encoding: Encoding = "json"
    names: tuple[str, ...] | None = None
    display_fields: DisplayFields = ()
    shows: Shows = "edited"
    language: str = "en"


@dataclass(frozen=True)
class Figure(BaseRepresentation):
    """One figure, as `plotly.io.from_json` takes it."""

    name: str
    encoding: Encoding = "json"
    display_fields: DisplayFields = ()
    shows: Shows = "edited"
    language: str = "en"


@dataclass(frozen=True)
class Standalone(BaseRepresentation):
    """One figure as a file of HTML that needs nothing else. The worker writes it with `SCRIPT` in
    the place of Plotly's script, so that only what differs between two files is kept.
    """

    SCRIPT: ClassVar[bytes] = b'<script charset="utf-8" src="plotly.min.js"></script>'

    name: str
    display_fields: DisplayFields = ()
    shows: Shows = "edited"
    language: str = "en"

    @property
    def media_type(self) -> str:
        return HTML


@dataclass(frozen=True)
class Drawing(BaseRepresentation):
    """The answer with a drawing in the place of its tensors, or with a `theme` the drawing alone,
    as a file of SVG. `display_fields` are the size of the drawing; links begin with `root`.
    """

    display_fields: DisplayFields
    root: str = ""
    theme: str | None = None
    language: str = "en"

    @property
    def media_type(self) -> str:
        return JSON if self.theme is None else SVG


Representation = Numbers | Figures | Figure | Standalone | Drawing


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
    core, in seconds that do what one of the reference core does.
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
