"""Errors of questions and files. The message of each is one sentence for the person who asked.

VitrineError
├── InvalidInput      the question cannot be answered as it stands
├── UnknownName       a model, an activation or an example that does not exist
├── CorruptWeights    a weights file is not what its card says
└── NotRead           a folder of somebody else's model that cannot be read exactly
"""

import difflib
from collections.abc import Iterable

FEW = 20  # names that one sentence can list
LONGEST = 390  # characters of a sentence that quotes somebody else's file


class VitrineError(Exception):
    """The base of all errors whose message is meant for the person who asked."""


class InvalidInput(VitrineError):
    """A question that cannot be answered. `field` is the part of the question to change, `limit`
    the limit that it violates, and `given` the value that was given.
    """

    def __init__(self, detail: str, *, field: str = "", limit: object = None, given: object = None):
        super().__init__(detail)
        self.field, self.limit, self.given = field, limit, given


class UnknownName(VitrineError):
    """A name that does not exist; `what` says what it should name. The message lists the most
    similar names that exist, or where none is similar, the names themselves if they are few.
    """

    def __init__(self, what: str, name: str, known: Iterable[str]):
        names = list(known)
        self.nearest = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
        hint = f" The nearest: {', '.join(self.nearest)}." if self.nearest else ""
        if names and not hint and len(names) <= FEW:
            hint = f" There {'are' if len(names) > 1 else 'is'}: {', '.join(names)}."
        super().__init__(f"There is no {what} named {name[:80]!r}.{hint}")
        self.what = what


class CorruptWeights(VitrineError):
    """A weights file with a wrong digest, a wrong shape or a number that is not finite."""


class NotRead(VitrineError):
    """A folder as Hugging Face writes it that does not hold a whole model, or one that computes
    something which the parts here cannot say. What the sentence quotes of the folder is cut where
    it is long, and has no character that a terminal would obey.
    """

    def __init__(self, sentence: str):
        line = "".join(sign if sign.isprintable() else "�" for sign in sentence)
        super().__init__(line if len(line) <= LONGEST else f"{line[:LONGEST]}….")
