"""Errors about questions and files. Each is a message in `templates/words/`, identified by its
name, with values: `str(error)` is a sentence in the reader's language, and `error.text("fr")` is
the same sentence in another.

VitrineError
├── InvalidInput      the question cannot be answered as asked
├── UnknownName       a model, activation, or example that does not exist
├── CorruptWeights    a weights file that does not match its card
└── NotRead           an external model folder that cannot be read exactly
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

FEW = 20  # maximum number of names listed in a sentence
LONGEST = 390  # maximum characters of a sentence that quotes an external file


@dataclass(frozen=True)
class Sentence:
    """A message with its values: strings, numbers, sentences, and tuples of these. It can be sent
    to another process, and is formatted in the reader's language.
    """

    file: str
    message: str
    values: Mapping[str, Any]

    def text(self, language: str | None = None) -> str:
        from model.words import text  # load the parser only when a sentence is formatted

        return text(self.file, self.message, self.values, language)

    def __str__(self) -> str:
        return self.text()

    @property
    def why(self) -> str:
        """The reason, from the message's attribute `why`; "" if it has none."""
        from model.words import has, text

        reason = f"{self.message}.why"
        return text(self.file, reason, self.values) if has(self.file, reason) else ""

    @classmethod
    def from_file(cls, file: str, message: str, /, **values: Any) -> "Sentence":
        return cls(file, message, {name: plain(value) for name, value in values.items()})


class VitrineError(Exception):
    """Base of all errors with a message for the user, from the words file `FILE`."""

    FILE: ClassVar[str]
    KIND: ClassVar[type[Sentence]] = Sentence

    def __init__(self, message: str, /, **values: Any):
        super().__init__(message)
        self.sentence = self.KIND.from_file(self.FILE, message, **values)

    def text(self, language: str | None = None) -> str:
        return self.sentence.text(language)

    def __str__(self) -> str:
        return self.text()


def plain(value: object) -> object:
    """A value in the form that a sentence stores."""
    if isinstance(value, VitrineError):
        return value.sentence
    if value is None or isinstance(value, str | int | float | Sentence):
        return value
    return tuple(map(plain, value)) if isinstance(value, Iterable) else str(value)


class InvalidInput(VitrineError):
    """A question that cannot be answered. `field` is the part of the question to change, `limit`
    the limit it violates, and `given` the offending value.
    """

    FILE = "errors-input"

    def __init__(
        self,
        message: str,
        /,
        *,
        field: str = "",
        limit: object = None,
        given: object = None,
        **values: Any,
    ):
        super().__init__(message, field=field, limit=limit, given=given, **values)
        self.field, self.limit, self.given = field, limit, given


class UnknownName(VitrineError):
    """A name that does not exist. The sentence suggests the most similar `known` names, or lists
    all of them if none is similar and there are few.
    """

    FILE = "errors-input"

    def __init__(self, message: str, name: str, known: Iterable[str], /, **values: Any):
        names = list(known)
        self.nearest = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
        few = len(names) if 0 < len(names) <= FEW else "none"
        hint = "nearest" if self.nearest else few
        super().__init__(message, name=name, known=self.nearest or names, hint=hint, **values)


class CorruptWeights(VitrineError):
    """A weights file with a wrong digest, a wrong shape, or a number that is not finite."""

    FILE = "errors-files"


class Quoting(Sentence):
    """Shortens long quotations from an external file and escapes terminal control characters."""

    def text(self, language: str | None = None) -> str:
        sentence = super().text(language)
        line = "".join(sign if sign.isprintable() else "�" for sign in sentence)
        return line if len(line) <= LONGEST else f"{line[:LONGEST]}…."


class NotRead(VitrineError):
    """A Hugging Face folder that is incomplete, or whose model computes something that Vitrine does
    not implement.
    """

    FILE, KIND = "errors-files", Quoting
