"""The fields of the OpenAPI document, said briefly enough for a table."""

from dataclasses import dataclass
from typing import Any

BOUNDS = {
    "minimum": "≥ {}",
    "exclusiveMinimum": "> {}",
    "maximum": "≤ {}",
    "exclusiveMaximum": "< {}",
    "maxLength": "at most {} characters",
}


@dataclass(frozen=True)
class Row:
    """One field of a question."""

    name: str
    kind: str
    bounds: str
    default: str
    sentence: str


def words(api: dict[str, Any]) -> list[dict]:
    """Every path with its sentence, an example to try, and its fields."""
    return [
        {"path": path, "sentence": item["get"]["summary"], "example": item["get"]["x-example"], "fields": fields(item["get"]["parameters"])}
        for path, item in api["paths"].items()
    ]


def fields(parameters: list[dict]) -> list[Row]:
    """The fields of every word come last."""
    return [row(parameter) for parameter in sorted(parameters, key=lambda parameter: parameter["name"] == "encoding")]


def row(parameter: dict) -> Row:
    schema = parameter["schema"]
    kinds = choices(schema)
    bounds = [text.format(kind[name]) for kind in kinds for name, text in BOUNDS.items() if name in kind]
    default = "needed" if parameter["required"] else said(schema.get("default"))
    return Row(parameter["name"], " or ".join(map(kind_of, kinds)), ", ".join(dict.fromkeys(bounds)), default, parameter["description"])


def choices(schema: dict) -> list[dict]:
    """What a value may be, null left out: a field that may be null may be left out."""
    if "anyOf" in schema:
        return [kind for part in schema["anyOf"] for kind in choices(part)]
    return [] if schema.get("type") == "null" else [schema]


def kind_of(schema: dict) -> str:
    if "enum" in schema:
        return ", ".join(schema["enum"])
    if "const" in schema:
        return schema["const"]
    if schema["type"] == "array":
        return f"list of {kind_of(schema['items'])}" if schema.get("items") else "JSON list"
    return KINDS[schema["type"]]


KINDS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "object": "JSON object"}


def said(default: object) -> str:
    return "" if default is None else str(default).lower() if isinstance(default, bool) else str(default)
