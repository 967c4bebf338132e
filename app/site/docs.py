"""Tables of the API's fields for its page, made from the OpenAPI document."""

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
    """Returns every word of the API: its own address, described, and those of its figures and its
    drawing below it. An address below a word tells only the fields that the word has not.
    """
    found: dict[str, dict] = {}
    for path, item in api["paths"].items():
        section, name = described(api, path, item["get"]), item["get"]["tags"][0]
        if name not in found:
            found[name] = section | {"name": name, "below": []}
            continue
        known = {field.name for field in found[name]["fields"]}
        fields = [field for field in section["fields"] if field.name not in known]
        sentence = section["sentence"].partition(":")[0]
        found[name]["below"].append(section | {"sentence": sentence, "fields": fields})
    return list(found.values())


def described(api: dict[str, Any], path: str, operation: dict[str, Any]) -> dict[str, Any]:
    """A path with its sentence, an example to try, its fields, and the fields of its answer."""
    return {
        "path": path,
        "sentence": operation["summary"],
        "example": operation["x-example"],
        "fields": fields(operation["parameters"]),
        "answer": answer_fields(api, operation["responses"]["200"]),
    }


def fields(parameters: list[dict]) -> list[Row]:
    """Returns the rows of the fields. Those that every word has come last."""
    return [
        row(parameter)
        for parameter in sorted(parameters, key=lambda parameter: parameter["name"] == "encoding")
    ]


def answer_fields(api: dict[str, Any], response: dict) -> list[str]:
    """The names of an answer's fields; those that are in every answer come last."""
    type_of_answer = response["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    names = api["components"]["schemas"][type_of_answer]["properties"]
    return sorted(names, key=lambda name: name in IN_MANY)


IN_MANY = ("question", "kind", "model", "input", "axes", "tensors", "figures", "notes")


def row(parameter: dict) -> Row:
    schema = parameter["schema"]
    default = "needed" if parameter["required"] else format_default(schema.get("default"))
    return Row(
        parameter["name"], kind_of(schema), bounds_of(schema), default, parameter["description"]
    )


def bounds_of(schema: dict) -> str:
    """The bounds of a value, or of each value of a list."""
    bounded = schema["items"] if schema.get("type") == "array" else schema
    bounds = [text.format(bounded[name]) for name, text in BOUNDS.items() if name in bounded]
    return ", ".join(bounds)


def kind_of(schema: dict) -> str:
    if "enum" in schema:
        return ", ".join(schema["enum"])
    if "contentMediaType" in schema:
        return "JSON list"
    if schema["type"] == "array":
        return f"{kind_of(schema['items'])}s with commas between, at most {schema['maxItems']}"
    return KINDS[schema["type"]]


KINDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
}


def format_default(default: object) -> str:
    """Writes a default as it is written in an address."""
    match default:
        case None:
            return ""
        case bool():
            return str(default).lower()
        case list():
            return ",".join(map(str, default))
    return str(default)
