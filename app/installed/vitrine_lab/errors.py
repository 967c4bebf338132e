"""The errors of a case, each one sentence. A notebook shows only the sentence.

CaseError               the server cannot be started or reached, or does not answer in time
├── InvalidQuestion     the question cannot be answered as asked; also a ValueError
└── Unknown             a tensor, figure, field, or word that does not exist
Interrupted             the kernel was interrupted; a KeyboardInterrupt
"""

import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

UNPRINTED = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


def printed(text: Any) -> str:
    """A server's text as one terminal line: without control characters, which could clear the
    screen or reorder the text.
    """
    return UNPRINTED.sub(" ", str(text))


class Sentence(BaseException):
    """An error that a notebook shows without a traceback."""

    def _render_traceback_(self) -> list[str]:
        """IPython's traceback: only the sentence, because the cell is right above."""
        return [f"{type(self).__name__}: {self}"]


class CaseError(Sentence, Exception):
    """A case has no answer, and the message says why. `problem` is the API's error, if any."""

    def __init__(self, sentence: str, problem: dict[str, Any] | None = None):
        super().__init__(printed(sentence))
        self.problem = problem or {}


class InvalidQuestion(CaseError, ValueError):
    """The question cannot be answered as asked. `problem["errors"]` names each field."""


class Unknown(CaseError, AttributeError, KeyError):
    """No tensor, figure, field, or word has this name."""

    __str__ = Exception.__str__


class Interrupted(Sentence, KeyboardInterrupt):
    """The user interrupted a case."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The most similar known names, as a sentence; "" if there are none."""
    found = get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f" Did you mean {', '.join(found)}?" if found else ""


@contextmanager
def reading(server: str) -> Generator[None]:
    """A context for reading a server's response, which may come from anything, such as the login
    page of a hotel network. Raises CaseError if it does not look like Vitrine's.
    """
    try:
        yield
    except CaseError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise CaseError(f"The server at {server} is not this version of Vitrine.") from None


@contextmanager
def ending(what: str) -> Generator[None]:
    """A context in which an interrupt reports that `what` has ended. Raises Interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(f"{what} has ended.") from None
