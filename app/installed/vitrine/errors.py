"""What a case raises: each error is one sentence. A notebook shows the sentence alone.

CaseError               the server cannot be started or reached, or has no answer in time
├── InvalidQuestion     the question cannot be answered as it stands; also a ValueError
└── UnknownWord         the API has no such word; also an AttributeError
Interrupted             the kernel was interrupted; a KeyboardInterrupt
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any


class Sentence(BaseException):
    """What a notebook shows without a traceback."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows: the sentence. Where it was asked is the cell above it."""
        return [f"{type(self).__name__}: {self}"]


class CaseError(Sentence, Exception):
    """A case has no answer, and the message says why. `problem` is what the API said, if it did."""

    def __init__(self, sentence: str, problem: dict[str, Any] | None = None):
        super().__init__(sentence)
        self.problem = problem or {}


class InvalidQuestion(CaseError, ValueError):
    """The question cannot be answered as it stands. `problem["errors"]` names each field."""


class UnknownWord(CaseError, AttributeError):
    """A case has no such method."""


class Interrupted(Sentence, KeyboardInterrupt):
    """The reader has interrupted what a case did."""


@contextmanager
def ending(what: str) -> Generator[None]:
    """An interrupt within says that `what` has ended. Raises Interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(f"{what} has ended.") from None
