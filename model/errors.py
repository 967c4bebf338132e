"""What can be wrong with a question or a file, each said in a sentence.

VitrineError
├── InvalidInput     the question cannot be answered as it stands
├── UnknownName      a model, an activation or an example that does not exist
└── CorruptWeights   a weights file is not what its card says
"""

import difflib
from collections.abc import Iterable


class VitrineError(Exception):
    """Base of everything that is refused in a sentence."""


class InvalidInput(VitrineError):
    """The question cannot be answered; `field` points at the part to change, with the limit and
    what was given.
    """

    def __init__(self, detail: str, *, field: str = "", limit: object = None, given: object = None):
        super().__init__(detail)
        self.field, self.limit, self.given = field, limit, given


class UnknownName(VitrineError):
    """No such `what`; the message names the nearest of those that exist."""

    def __init__(self, what: str, name: str, known: Iterable[str]):
        self.nearest = difflib.get_close_matches(name, list(known), n=3, cutoff=0.4)
        hint = f" The nearest: {', '.join(self.nearest)}." if self.nearest else ""
        super().__init__(f"There is no {what} named {name[:80]!r}.{hint}")
        self.what = what


class CorruptWeights(VitrineError):
    """A weights file was refused: wrong digest, wrong shape or a number that is not finite."""
