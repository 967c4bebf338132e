"""Words as data: `templates/words/<language>/<file>.ftl` has messages in the syntax of Project
Fluent, and `parts.ftl` what several files say. They are read strictly: what a message names and is
not given, or has no variant, raises WordsError with its file and line.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fluent.syntax import FluentParser, ast

FOLDER = Path(__file__).resolve().parents[1] / "templates" / "words"
LANGUAGE: ContextVar[str] = ContextVar("language", default="en")
"""The language of who asks."""
PARTS = "parts"
PLURALS: Mapping[str, Callable[[float], str]] = {"en": lambda n: "one" if n == 1 else "other"}
"""The form of a noun beside a number, as CLDR names it, by language."""
JOINS = {"en": {"and": "and", "or": "or"}}
"""What stands between names, by language."""


class WordsError(ValueError):
    """Words that do not fit what they are about: what is wrong, in which file, on which line."""


class Reading:
    """One message of a file as it is read. What a message names is looked up by `value`, and
    printed or chosen by as `printed` and `variant` say.
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
        """The variant that a value names, or the form of the noun beside a number."""
        known = {key_of(variant): variant.value for variant in chosen.variants}
        keys = self.keys(by.id.name, self.value(file, by))
        for key in keys:
            if key in known:
                return known[key]
        raise fault(file, by, f"no variant [{keys[-1]}] of ${by.id.name}")


@dataclass(frozen=True)
class Formatter(Reading):
    """A sentence as it is read. Its values have no declared kinds: a number chooses its own variant
    or the form of the noun beside it, and anything else the variant of its name.
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
    """The message of a file with its values in a language, otherwise in that of who asks. Raises
    WordsError.
    """
    token = LANGUAGE.set(language or LANGUAGE.get())
    try:
        return "".join(Formatter(file, values).message(message))
    except FileNotFoundError:  # the words themselves may be what is missing
        return " ".join(str(part) for part in (message, *values.values()) if part not in (None, ""))
    finally:
        LANGUAGE.reset(token)


def joined(names: Iterable[object], join: str) -> str:
    """a and b and c."""
    return f" {JOINS[LANGUAGE.get()][join]} ".join(map(str, names))


def listed(names: Iterable[object], join: str) -> str:
    """a, b and c."""
    *first, last = map(str, names)
    return joined([", ".join(first), last], join) if first else last


FUNCTIONS: Mapping[str, Callable[..., str]] = {
    "AND": lambda names: joined(names, "and"),
    "COUNT": lambda value: f"{value:,}",
    "DECIMALS": lambda value, most: f"{value:.{most}f}",
    "BOTH": lambda names: listed(names, "and"),
    "EITHER": lambda names: listed(names, "or"),
    "INSIDE": lambda value: str(value).rstrip("."),
    "NUMBER": lambda value, most: f"{value:.{most}g}",
    "OR": lambda names: joined(names, "or"),
    "SPACED": lambda sentences: " ".join(map(str, sentences)),
    "QUOTED": lambda value, most=None: repr(value[:most]),
}
"""What a message may do with a value: print a number with as many digits, quote a text, join names,
or put a sentence inside of another.
"""


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
def messages(file: str, language: str) -> dict[str, tuple[str, ast.Pattern]]:
    """The messages, attributes and terms of a file by name, each with its file: its own, and those
    of `parts.ftl`.
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


@cache
def languages() -> tuple[str, ...]:
    """The languages that have words."""
    return tuple(sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))


def preferred(header: str) -> str:
    """The first of our languages that a header Accept-Language names; English where there is none.
    Ranks are in the order in which they are named, as browsers send them.
    """
    named = (part.partition(";")[0].strip().lower()[:2] for part in header.split(","))
    return next((language for language in named if language in languages()), "en")
