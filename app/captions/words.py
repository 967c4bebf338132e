"""Words: what a page says, as data. `templates/words/<language>/<page>.ftl` has its messages in the
syntax of Project Fluent, and `parts.ftl` what several pages say; Python declares the fields and
conditions that they name. They are read strictly: what is not declared, or has no variant, raises
WordsError with its file and line.
"""

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from fluent.syntax import FluentParser, ast

from app.captions import Question
from app.captions.fields import PLURALS, Condition, Field, printed
from app.paths import folder

FOLDER = folder("templates") / "words"
LANGUAGE: ContextVar[str] = ContextVar("language", default="en")
"""The language of who asks."""
PARTS = "parts"


class WordsError(ValueError):
    """Words that do not fit their page: what is wrong, in which file, on which line."""


@dataclass(frozen=True)
class Words:
    """The words of a page, with what its messages may name. Messages that findings judge, as a
    claim, questions, and links, which are names of pages, are `judged`.
    """

    page: str
    fields: Mapping[str, Field] = field(default_factory=dict)
    conditions: Mapping[str, Condition] = field(default_factory=dict)
    judged: tuple[str, ...] = ("claim", "asks", "links")

    def __call__(
        self,
        name: str,
        answer: Any = None,
        question: Question | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> str:
        """The message, or "message.attribute"; `given` are fields and variants told outright.
        Raises WordsError.
        """
        return "".join(Reading(self, answer, question or {}, dict(given or {})).message(name))

    def __contains__(self, name: str) -> bool:
        return name in messages(self.page, LANGUAGE.get())

    def sentence(self, name: str) -> Callable[[Any, Question], str]:
        """The message as a function of an answer and its question."""
        return lambda answer, question: self(name, answer, question)


@dataclass(frozen=True)
class Reading:
    """One message as it is read: `values` are those of the fields and conditions on the way."""

    words: Words
    answer: Any
    question: Question
    values: dict[str, Any]

    def message(self, name: str) -> Iterator[str]:
        known = messages(self.words.page, LANGUAGE.get())
        if name not in known:
            raise WordsError(f"{LANGUAGE.get()}/{self.words.page}.ftl: no message {name}")
        file, pattern = known[name]
        return self.pieces(file, pattern)

    def pieces(self, file: str, pattern: ast.Pattern) -> Iterator[str]:
        for element in pattern.elements:
            match getattr(element, "expression", element):
                case ast.TextElement(value=text):
                    yield text
                case ast.StringLiteral() as literal:
                    yield literal.parse()["value"]
                case ast.VariableReference(id=id) as reference:
                    value = self.value(file, reference, id.name, self.words.fields)
                    yield printed(self.words.fields[id.name].kind, value, LANGUAGE.get())
                case ast.TermReference() | ast.MessageReference() as reference:
                    yield from self.message(target(reference))
                case ast.SelectExpression(selector=ast.VariableReference() as by) as chosen:
                    yield from self.pieces(file, self.variant(file, by, chosen))
                case other:
                    raise fault(file, other, f"{type(other).__name__} is not read")

    def variant(
        self, file: str, by: ast.VariableReference, chosen: ast.SelectExpression
    ) -> ast.Pattern:
        """The variant of a condition, or the form of the noun beside a number."""
        name = by.id.name
        if name in self.words.conditions:
            key = self.value(file, by, name, self.words.conditions)
        else:
            key = PLURALS[LANGUAGE.get()](self.value(file, by, name, self.words.fields))
        for one in chosen.variants:
            if key_of(one) == key:
                return one.value
        raise fault(file, by, f"no variant [{key}] of ${name}")

    def value(
        self, file: str, node: ast.SyntaxNode, name: str, known: "Mapping[str, Field | Condition]"
    ) -> Any:
        if name not in known:
            raise fault(file, node, f"no field or condition ${name}")
        if name not in self.values:
            self.values[name] = known[name].of(self.answer, self.question)
        return self.values[name]


def target(reference: ast.TermReference | ast.MessageReference) -> str:
    """The name of the message that a reference names."""
    dash = "-" if isinstance(reference, ast.TermReference) else ""
    part = f".{reference.attribute.name}" if reference.attribute else ""
    return f"{dash}{reference.id.name}{part}"


def key_of(variant: ast.Variant) -> str:
    key = variant.key
    return key.name if isinstance(key, ast.Identifier) else key.value


def fault(file: str, node: ast.BaseNode, what: str) -> WordsError:
    """What is wrong at a node, with its place."""
    span = getattr(node, "span", None)
    source = (FOLDER / LANGUAGE.get() / f"{file}.ftl").read_text("utf-8")
    line = source.count("\n", 0, span.start if span else 0) + 1
    return WordsError(f"{LANGUAGE.get()}/{file}.ftl:{line}: {what}")


@cache
def messages(page: str, language: str) -> dict[str, tuple[str, ast.Pattern]]:
    """The messages, attributes and terms of a page by name, each with its file: its own, and those
    of `parts.ftl`.
    """
    path = FOLDER / language / f"{page}.ftl"
    known = {} if page == PARTS else dict(messages(PARTS, language))
    for entry in FluentParser().parse(path.read_text("utf-8")).body:
        if isinstance(entry, ast.Junk):
            problem = entry.annotations[0]
            raise fault(page, problem, str(problem.message))
        if isinstance(entry, ast.Message | ast.Term):
            name = f"-{entry.id.name}" if isinstance(entry, ast.Term) else entry.id.name
            parts = {f"{name}.{one.id.name}": one.value for one in entry.attributes}
            whole = {name: entry.value} if entry.value else {}
            known |= {each: (page, pattern) for each, pattern in (whole | parts).items()}
    return known


@cache
def languages() -> tuple[str, ...]:
    """The languages that have words."""
    return tuple(sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))


def preferred(header: str) -> str:
    """The first of our languages that a header Accept-Language names; English where there is none.
    Ranks are in the order in which they are named, as browsers send them.
    """
    named = (part.partition(";")[0].strip().lower()[:2] for part in header.split(","))
    return next((one for one in named if one in languages()), "en")
