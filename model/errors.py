"""Errors of questions and files. Each is a message of `templates/words/`, by its name and the
values that it names, so that `str(error)` is a sentence for the person who asked, and
`error.text("fr")` the same in another language.

VitrineError
├── InvalidInput      the question cannot be answered as it stands
├── UnknownName       a model, an activation or an example that does not exist
├── CorruptWeights    a weights file is not what its card says
└── NotRead           a folder of somebody else's model that cannot be read exactly
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

FEW = 20  # names that one sentence can list
LONGEST = 390  # characters of a sentence that quotes somebody else's file


@dataclass(frozen=True)
class Sentence:
    """A message of a file of words, with the values that it names: texts, numbers, sentences, and
    tuples of these. It can be sent to another process, and reads in the language of who asks.
    """

    file: str
    message: str
    values: Mapping[str, Any]

    def text(self, language: str | None = None) -> str:
        from model.words import text  # the parser is needed only where a sentence is read

        return text(self.file, self.message, self.values, language)

    def __str__(self) -> str:
        return self.text()

    @classmethod
    def from_file(cls, file: str, message: str, /, **values: Any) -> "Sentence":
        return cls(file, message, {name: plain(value) for name, value in values.items()})


class VitrineError(Exception):
    """The base of all errors whose message is meant for the person who asked: one of the words'
    file `FILE`.
    """

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
    """A value as a sentence holds it."""
    if isinstance(value, VitrineError):
        return value.sentence
    if value is None or isinstance(value, str | int | float | Sentence):
        return value
    return tuple(map(plain, value)) if isinstance(value, Iterable) else str(value)


class InvalidInput(VitrineError):
    """A question that cannot be answered. `field` is the part of the question to change, `limit`
    the limit that it violates, and `given` the value that was given.
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
    """A name that does not exist. The sentence lists the most similar names that are `known`, or
    where none is similar, the known names themselves if they are few.
    """

    FILE = "errors-input"

    def __init__(self, message: str, name: str, known: Iterable[str], /, **values: Any):
        names = list(known)
        self.nearest = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
        few = len(names) if 0 < len(names) <= FEW else "none"
        hint = "nearest" if self.nearest else few
        super().__init__(message, name=name, known=self.nearest or names, hint=hint, **values)


class CorruptWeights(VitrineError):
    """A weights file with a wrong digest, a wrong shape or a number that is not finite."""

    FILE = "errors-files"


class Quoting(Sentence):
    """What the sentence quotes of somebody else's file is cut where it is long, and has no
    character that a terminal would obey.
    """

    def text(self, language: str | None = None) -> str:
        sentence = super().text(language)
        line = "".join(sign if sign.isprintable() else "�" for sign in sentence)
        return line if len(line) <= LONGEST else f"{line[:LONGEST]}…."


class NotRead(VitrineError):
    """A folder as Hugging Face writes it that does not hold a whole model, or one that computes
    something which the parts here cannot say.
    """

    FILE, KIND = "errors-files", Quoting
