"""Messages as data: `templates/words/<language>/<file>.ftl` contains messages in the syntax of
Project Fluent, and `parts.ftl` those shared by several files. Reading is strict: a missing value or
variant raises WordsError with file and line.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fluent.syntax import FluentParser, ast

FOLDER = Path(__file__).resolve().parents[1] / "templates" / "words"
LANGUAGE: ContextVar[str] = ContextVar("language", default="en")
"""The reader's language."""
PARTS = "parts"
PLURALS: Mapping[str, Callable[[float], str]] = {
    "en": lambda n: "one" if n == 1 else "other",
    "fr": lambda n: "one" if abs(n) < 2 else "other",
}
"""The plural category of a number, as named by CLDR, for each language."""
QUOTES = {"en": ("“", "”"), "fr": ("«\u00a0", "\u00a0»")}
"""The quotation marks around a token or text, for each language."""
THOUSANDS = {"en": ",", "fr": "\u202f"}
"""The separator of groups of three digits, for each language."""
JOINS = {"en": {"and": "and", "or": "or"}, "fr": {"and": "et", "or": "ou"}}
"""The conjunctions in lists of names, for each language."""


class WordsError(ValueError):
    """Words and values that don't match: what is wrong, in which file, on which line."""


class Reading:
    """Formats one message of a file. Subclasses define how a variable is looked up (`value`),
    printed (`printed`), and matched with variants (`keys`).
    """

    @property
    def file(self) -> str:
        raise NotImplementedError

    def value(self, file: str, node: ast.VariableReference) -> Any:
        raise NotImplementedError

    def printed(self, name: str, value: Any) -> str:
        raise NotImplementedError

    def keys(self, name: str, value: Any) -> tuple[str, ...]:
        raise NotImplementedError

    def called(self, file: str, node: ast.FunctionReference) -> str:
        raise fault(file, node, f"{node.id.name} is no function")

    def message(self, name: str) -> Iterator[str]:
        known = messages(self.file, LANGUAGE.get())
        if name not in known:
            raise WordsError(f"{LANGUAGE.get()}/{self.file}.ftl: no message {name}")
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
                    yield self.printed(id.name, self.value(file, reference))
                case ast.TermReference() | ast.MessageReference() as reference:
                    yield from self.message(target(reference))
                case ast.FunctionReference() as function:
                    yield self.called(file, function)
                case ast.SelectExpression(selector=ast.VariableReference() as by) as chosen:
                    yield from self.pieces(file, self.variant(file, by, chosen))
                case other:
                    raise fault(file, other, f"{type(other).__name__} is not read")

    def variant(
        self, file: str, by: ast.VariableReference, chosen: ast.SelectExpression
    ) -> ast.Pattern:
        """The variant selected by a value, or by the plural category of a number."""
        known = {key_of(variant): variant.value for variant in chosen.variants}
        keys = self.keys(by.id.name, self.value(file, by))
        for key in keys:
            if key in known:
                return known[key]
        raise fault(file, by, f"no variant [{keys[-1]}] of ${by.id.name}")


@dataclass(frozen=True)
class Formatter(Reading):
    """Formats a message without declared types: numbers select a variant by their value or plural
    category, and other values by their name.
    """

    in_file: str
    values: Mapping[str, Any]

    @property
    def file(self) -> str:
        return self.in_file

    def value(self, file: str, node: ast.VariableReference) -> Any:
        if node.id.name not in self.values:
            raise fault(file, node, f"${node.id.name} is not given")
        return self.values[node.id.name]

    def printed(self, name: str, value: Any) -> str:
        if isinstance(value, tuple):
            return ", ".join(self.printed(name, item) for item in value)
        return f"{value:g}" if isinstance(value, float) else str(value)

    def keys(self, name: str, value: Any) -> tuple[str, ...]:
        counts = isinstance(value, int) and not isinstance(value, bool)
        return (str(value), PLURALS[LANGUAGE.get()](value)) if counts else (str(value),)

    def called(self, file: str, node: ast.FunctionReference) -> str:
        if node.id.name not in FUNCTIONS:
            return super().called(file, node)
        arguments: Any = node.arguments
        values = [self.value(file, argument) for argument in arguments.positional]
        named = {argument.name.name: int(argument.value.value) for argument in arguments.named}
        return FUNCTIONS[node.id.name](*values, **named)


def text(file: str, message: str, values: Mapping[str, Any], language: str | None = None) -> str:
    """A message with its values, in the given language or that of the reader. Raises WordsError."""
    token = LANGUAGE.set(language or LANGUAGE.get())
    try:
        return "".join(Formatter(file, values).message(message))
    except FileNotFoundError:  # the missing message may be in the words files themselves
        return " ".join(str(part) for part in (message, *values.values()) if part not in (None, ""))
    finally:
        LANGUAGE.reset(token)


def joined(names: Iterable[object], join: str) -> str:
    """Joined as "a and b and c"."""
    return f" {JOINS[LANGUAGE.get()][join]} ".join(map(str, names))


def listed(names: Collection[object], join: str) -> str:
    """Listed as "a, b and c"; "" if there are no names."""
    *first, last = map(str, names) if names else [""]
    return joined([", ".join(first), last], join) if first else last


def quoted(text: str) -> str:
    """A text in the reader's quotation marks."""
    before, after = QUOTES[LANGUAGE.get()]
    return f"{before}{text}{after}"


def escaped(value: Any, most: int | None = None) -> str:
    """User input with control characters escaped; in English in straight quotation marks."""
    literal = repr(value[:most])
    return literal if LANGUAGE.get() == "en" else quoted(literal[1:-1])


FUNCTIONS: Mapping[str, Callable[..., str]] = {
    "AND": lambda names: joined(names, "and"),
    "COUNT": lambda value: f"{value:,}".replace(",", THOUSANDS[LANGUAGE.get()]),
    "DECIMALS": lambda value, most: f"{value:.{most}f}",
    "BOTH": lambda names: listed(names, "and"),
    "EITHER": lambda names: listed(names, "or"),
    "INSIDE": lambda value: str(value).rstrip("."),
    "NUMBER": lambda value, most: f"{value:.{most}g}",
    "OR": lambda names: joined(names, "or"),
    "SHELL": repr,
    "SPACED": lambda sentences: " ".join(map(str, sentences)),
    "QUOTED": escaped,
}
"""The functions that a message can apply to a value: format a number, quote a text, join names, or
insert a sentence into another.
"""


def target(reference: ast.TermReference | ast.MessageReference) -> str:
    """The name of the message that a reference points to."""
    dash = "-" if isinstance(reference, ast.TermReference) else ""
    part = f".{reference.attribute.name}" if reference.attribute else ""
    return f"{dash}{reference.id.name}{part}"


def key_of(variant: ast.Variant) -> str:
    key = variant.key
    return key.name if isinstance(key, ast.Identifier) else key.value


def fault(file: str, node: ast.BaseNode, what: str) -> WordsError:
    """An error at a node, with its location."""
    span = getattr(node, "span", None)
    source = (FOLDER / LANGUAGE.get() / f"{file}.ftl").read_text("utf-8")
    line = source.count("\n", 0, span.start if span else 0) + 1
    return WordsError(f"{LANGUAGE.get()}/{file}.ftl:{line}: {what}")


@cache
def messages(file: str, language: str) -> dict[str, tuple[str, ast.Pattern]]:
    """The messages, attributes, and terms by name, each with its file: those of the file and of
    `parts.ftl`.
    """
    path = FOLDER / language / f"{file}.ftl"
    known = {} if file == PARTS else dict(messages(PARTS, language))
    for entry in FluentParser().parse(path.read_text("utf-8")).body:
        if isinstance(entry, ast.Junk):
            problem = entry.annotations[0]
            raise fault(file, problem, str(problem.message))
        if isinstance(entry, ast.Message | ast.Term):
            name = f"-{entry.id.name}" if isinstance(entry, ast.Term) else entry.id.name
            parts = {f"{name}.{part.id.name}": part.value for part in entry.attributes}
            whole = {name: entry.value} if entry.value else {}
            known |= {each: (file, pattern) for each, pattern in (whole | parts).items()}
    return known


def has(file: str, message: str) -> bool:
    """Whether a file has a message in the reader's language."""
    try:
        return message in messages(file, LANGUAGE.get())
    except FileNotFoundError:
        return False


@cache
def languages() -> tuple[str, ...]:
    """The available languages."""
    return tuple(sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))


def preferred(header: str) -> str:
    """The first available language in an Accept-Language header, or English. Languages are taken in
    the order given, which is how browsers rank them.
    """
    named = (part.partition(";")[0].strip().lower()[:2] for part in header.split(","))
    return next((language for language in named if language in languages()), "en")
