"""The methods of a case, generated from the API's OpenAPI document: one per word, with its fields
as arguments, their types, and their descriptions.
"""

import math
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import Parameter, Signature
from numbers import Integral
from types import GenericAlias
from typing import Any, Literal, Union

from vitrine_lab.errors import InvalidQuestion, printed

WORD = re.compile(r"/api/v1/([a-z-]+)")
INPUTS = ("source", "text", "image", "row")
"""The fields for a model's input; which one applies depends on its card."""
OF_THE_FORM = ("encoding", "figures")
"""Fields that a case sets itself."""
TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict}
WIDTH = 92


@dataclass(frozen=True)
class Word:
    """A word of the API: its `fields` and those of its figures as described in the document, each
    with `required` and with the `parts` of list items; the default `model`; and whether it has
    `figures` or a `drawing`.
    """

    name: str
    sentence: str
    fields: dict[str, Any]
    of_figures: dict[str, Any]
    model: str | None
    figures: bool
    drawing: bool

    def as_sent(self, name: str, value: Any) -> Any:
        """A value in the API's format: a list becomes one text if the field uses commas, and a
        single edit or index becomes a list. Raises InvalidQuestion.
        """
        field = self.fields.get(name) or self.of_figures.get(name) or {}
        if name == "edits":
            edits = [value] if isinstance(value, dict) else value
            return (
                [edit_as_sent(edit) for edit in edits]
                if isinstance(edits, (list, tuple))
                else edits
            )
        if isinstance(value, (list, tuple)) and "commas" in field.get("description", ""):
            kinds = {choice.get("type") for choice in [field, *field.get("anyOf", [])]}
            return value if "array" in kinds else ",".join(map(str, value))
        if isinstance(value, float) and not math.isfinite(value):
            raise InvalidQuestion(f"`{name}` must be a finite number, not {value}.")
        return value

    @property
    def path(self) -> str:
        return f"/api/v1/{self.name}"

    @property
    def method(self) -> str:
        return self.name.replace("-", "_")

    @property
    def reads(self) -> list[str]:
        """The fields that an unnamed argument may be for."""
        return [name for name in INPUTS if name in self.fields]


def edit_as_sent(edit: Any) -> Any:
    """An edit with lists as indices."""
    if not isinstance(edit, dict) or not isinstance(edit.get("where"), dict):
        return edit
    where = {axis: [at] if isinstance(at, Integral) else at for axis, at in edit["where"].items()}
    return edit | {"where": where}


def words(document: dict[str, Any]) -> Iterator[Word]:
    """Every word of the document, in order."""
    paths = document["paths"]
    for path, operations in paths.items():
        if not (found := WORD.fullmatch(path)) or "post" not in operations:
            continue
        fields = fields_of(document, operations["post"])
        figures = paths.get(f"{path}/figures")
        yield Word(
            name=found[1],
            sentence=operations["post"]["summary"],
            fields=fields,
            of_figures=fields_of(document, figures["post"]) if figures else {},
            model=fields.get("model", {}).get("default"),
            figures=figures is not None,
            drawing=f"{path}/drawing" in paths,
        )


def fields_of(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    """The fields of a question, by name."""
    schema = resolved(document, operation["requestBody"]["content"]["application/json"]["schema"])
    required = schema.get("required", ())
    return {
        name: field | {"required": name in required, "parts": parts_of(document, field)}
        for name, field in schema.get("properties", {}).items()
    }


def parts_of(document: dict[str, Any], field: dict[str, Any]) -> dict[str, Any]:
    """The fields of the objects in a list."""
    for choice in field.get("anyOf", [field]):
        if "$ref" in choice.get("items", {}):
            return resolved(document, choice["items"]).get("properties", {})
    return {}


def resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in schema:
        return schema
    return document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]


def method(word: Word, ask: Callable[..., Any]) -> Callable[..., Any]:
    """The method of a word: `ask` with its name, signature, and documentation."""
    fields = {
        name: field
        for name, field in (word.fields | word.of_figures).items()
        if name not in OF_THE_FORM
    }

    def query(*values: Any, **fields: Any) -> Any:
        return ask(word, *values, **fields)

    first = [Parameter("given", Parameter.POSITIONAL_ONLY, default=None, annotation=Any)]
    named = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field["required"] else field.get("default"),
            annotation=type_of(field),
        )
        for name, field in fields.items()
    ]
    query.__name__ = query.__qualname__ = word.method
    query.__doc__ = documentation(word, fields)
    signature: Any = query
    signature.__signature__ = Signature(first[: len(word.reads)] + named)
    signature.__annotations__ = {parameter.name: parameter.annotation for parameter in named}
    return query


def type_of(schema: dict[str, Any]) -> Any:
    """The Python notation of a field's type."""
    if "enum" in schema:
        return Literal.__getitem__(tuple(schema["enum"]))
    if "anyOf" in schema:
        return Union.__getitem__(tuple(type_of(choice) for choice in schema["anyOf"]))
    if schema.get("type") == "null":
        return None
    if schema.get("type") == "array":
        return GenericAlias(list, (type_of(schema.get("items", {})),))
    return TYPES.get(schema.get("type", "object" if "$ref" in schema else ""), Any)


def documentation(word: Word, fields: dict[str, Any]) -> str:
    """The description of a word, and a paragraph for each of its arguments."""
    lines = [f"{word.sentence.rstrip('.')}."]
    if word.reads:
        what = "text" if word.reads == ["text"] else f"one of {', '.join(word.reads)}"
        lines += ["", *wrapped(f"The first argument without a name is the model’s input: {what}.")]
    lines += ["", "Arguments:"]
    for name, field in fields.items():
        default = field.get("default")
        lines += described(name, field, "" if default is None else f" ({default!r})")
        for part, of_part in field.get("parts", {}).items():
            lines += described(part, of_part, level=2)
    return "\n".join(map(printed, lines))


def described(name: str, field: dict[str, Any], default: str = "", level: int = 1) -> list[str]:
    """The paragraph of an argument, with its examples."""
    text = " ".join(field.get("description", field.get("title", "")).split())
    examples = field.get("examples", [])
    listing = f" Examples: {'; '.join(map(str, examples))}" if examples else ""
    return wrapped(f"{name}: {text}{default}{listing}", level)


def wrapped(text: str, level: int = 0) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent="    " * level,
        subsequent_indent="    " * (level + 1 if level else 0),
        break_on_hyphens=False,
    )
