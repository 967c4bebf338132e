"""What a case raises: each error is one sentence. A notebook shows the sentence alone.

CaseError               the server cannot be started or reached, or has no answer in time
├── InvalidQuestion     the question cannot be answered as it stands; also a ValueError
└── Unknown             a tensor, a figure, a field or a word that there is not
Interrupted             the kernel was interrupted; a KeyboardInterrupt
"""

import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

UNPRINTED = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


def printed(text: Any) -> str:
    """A text of a server for one line of a terminal: without control characters, which may clear
    the screen or change the order of the letters.
    """
    return UNPRINTED.sub(" ", str(text))


class Sentence(BaseException):
    """What a notebook shows without a traceback."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows: the sentence. Where it was asked is the cell above it."""
        return [f"{type(self).__name__}: {self}"]


class CaseError(Sentence, Exception):
    """A case has no answer, and the message says why. `problem` is what the API said, if it did."""

    def __init__(self, sentence: str, problem: dict[str, Any] | None = None):
        super().__init__(printed(sentence))
        self.problem = problem or {}


class InvalidQuestion(CaseError, ValueError):
    """The question cannot be answered as it stands. `problem["errors"]` names each field."""


class Unknown(CaseError, AttributeError, KeyError):
    """There is no tensor, figure, field or word of this name."""

    __str__ = Exception.__str__


class Interrupted(Sentence, KeyboardInterrupt):
    """The reader has interrupted what a case did."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Which known names are most like this one, as a sentence; "" where none is."""
    found = get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f" The nearest: {', '.join(found)}." if found else ""


@contextmanager
def reading(server: str) -> Generator[None]:
    """What is read within may come from anything that answers there, as the page of a hotel that
    wants a password. Raises CaseError where it has another shape than Vitrine's.
    """
    try:
        yield
    except CaseError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise CaseError(f"What answers at {server} is no Vitrine of this version.") from None


@contextmanager
def ending(what: str) -> Generator[None]:
    """An interrupt within says that `what` has ended. Raises Interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(f"{what} has ended.") from None
