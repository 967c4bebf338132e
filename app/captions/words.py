"""The words of a page: its messages, as `model/words.py` reads them, with the fields and conditions
that they name. These are declared: what is not raises WordsError.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fluent.syntax import ast

from app.captions import Question
from app.captions.fields import Condition, Field, printed
from model.words import LANGUAGE, PLURALS, Reading, fault, messages


@dataclass(frozen=True)
class Words:
    """The words of a page, with what its messages may name. Messages that findings judge, as a
    claim and its question, exercises, and links, which are names of pages, are `judged`.
    """

    page: str
    fields: Mapping[str, Field] = field(default_factory=dict)
    conditions: Mapping[str, Condition] = field(default_factory=dict)
    judged: tuple[str, ...] = ("claim", "question", "asks", "links")

    def __call__(
        self,
        name: str,
        answer: Any = None,
        question: Question | None = None,
        values: Mapping[str, Any] | None = None,
    ) -> str:
        """The message, or "message.attribute". `values` stand for fields. Raises WordsError."""
        return "".join(Answered(self, answer, question or {}, dict(values or {})).message(name))

    def __contains__(self, name: str) -> bool:
        return name in messages(self.page, LANGUAGE.get())

    def sentence(self, name: str) -> Callable[[Any, Question], str]:
        """The message as a function of an answer and its question."""
        return lambda answer, question: self(name, answer, question)


@dataclass(frozen=True)
class Answered(Reading):
    """A message of a page as it is read; `values` are of the fields and conditions so far."""

    words: Words
    answer: Any
    question: Question
    values: dict[str, Any]

    @property
    def file(self) -> str:
        return self.words.page

    def value(self, file: str, node: ast.VariableReference) -> Any:
        name = node.id.name
        known = self.words.fields.get(name) or self.words.conditions.get(name)
        if known is None:
            raise fault(file, node, f"no field or condition ${name}")
        if name not in self.values:
            self.values[name] = known.of(self.answer, self.question)
        return self.values[name]

    def printed(self, name: str, value: Any) -> str:
        return printed(self.words.fields[name].kind, value, LANGUAGE.get())

    def keys(self, name: str, value: Any) -> tuple[str, ...]:
        return (value if name in self.words.conditions else PLURALS[LANGUAGE.get()](value),)
