"""What figures say in `meta`, compared with the types of `app.figures.meta`, and these types as the
scripts of the page read them: `python -m tests.app.contract` writes tests/js/meta.d.ts.
"""

import ast
import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

from app.figures import meta
from app.figures.plot import Plot

FILE = Path(__file__).parents[1] / "js" / "meta.d.ts"
HEAD = "// Written by `python -m tests.app.contract` from app/figures/meta.py: what `meta` says.\n"
PLAIN = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    NoneType: "null",
    Any: "any",
}
RECORDS = {
    name: kind
    for name, kind in vars(meta).items()
    if is_typeddict(kind) and not name.startswith("_") and name != "TypedDict"
}


def breaches(figure: Plot) -> Iterator[str]:
    """Where a figure says in `meta` what is not declared, or not as it is declared. Every note has
    its look.
    """
    layout = figure["layout"]
    yield from unlike(layout["meta"], meta.FigureMeta, "layout.meta")
    if len(layout["meta"].get("notes", [])) != len(layout.get("annotations", [])):
        yield "layout.meta.notes: not one for each annotation"
    for i, trace in enumerate(figure["data"]):
        yield from unlike(trace.get("meta", {}), meta.TraceMeta, f"data[{i}].meta")


def unlike(value: Any, kind: Any, path: str) -> Iterator[str]:
    """Where a value of JSON has another type than is declared, with the path to the place."""
    arguments = get_args(kind)
    if is_typeddict(kind):
        yield from unlike_record(value, kind, path)
    elif get_origin(kind) is UnionType:
        if all(any(unlike(value, argument, path)) for argument in arguments):
            yield f"{path} is {value!r:.60}, not {kind}"
    elif get_origin(kind) is list and isinstance(value, list):
        for i, item in enumerate(value):
            yield from unlike(item, arguments[0], f"{path}[{i}]")
    elif get_origin(kind) is tuple and isinstance(value, list) and len(value) == len(arguments):
        for i, (item, of) in enumerate(zip(value, arguments, strict=True)):
            yield from unlike(item, of, f"{path}[{i}]")
    elif get_origin(kind) is dict and isinstance(value, dict):
        for name, item in value.items():
            yield from unlike(item, arguments[1], f"{path}.{name}")
    elif not is_of(value, kind):
        yield f"{path} is {value!r:.60}, not {kind}"


def unlike_record(value: Any, kind: Any, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path} is {value!r:.60}, no {kind.__name__}"
        return
    types = types_of(kind)
    for name in kind.__required_keys__ - value.keys():
        yield f"{path}.{name} is missing"
    for name, item in value.items():
        if name in types:
            yield from unlike(item, types[name], f"{path}.{name}")
        else:
            yield f"{path}.{name} is not declared"


types_of = cache(get_type_hints)


def is_of(value: Any, kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if kind is float:
        return type(value) in (int, float)
    return kind is Any or type(value) is kind


def declarations() -> str:
    """The types as the scripts read them."""
    return HEAD + "".join(f"\n{as_script(name, kind)}" for name, kind in RECORDS.items())


def as_script(name: str, kind: Any) -> str:
    types, descriptions = get_type_hints(kind), said_of_fields(kind)
    lines = []
    for field, of in types.items():
        mark = "" if field in kind.__required_keys__ else "?"
        lines.append(f"\t{field}{mark}: {spelled(of)};\n")
        if field in descriptions:
            lines.insert(-1, f"\t/** {descriptions[field]} */\n")
    return f"type {name} = {{\n{''.join(lines)}}};\n"


def said_of_fields(kind: Any) -> Mapping[str, str]:
    """What stands under each field of a class, in a line."""
    try:
        (of,) = ast.parse(inspect.getsource(kind)).body
    except (OSError, ValueError, TypeError):
        return {}  # made without a class
    if not isinstance(of, ast.ClassDef):
        return {}
    return {
        statement.target.id: " ".join(text.value.value.split())
        for statement, text in pairwise(of.body)
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    }


def spelled(kind: Any) -> str:
    """A type as the scripts spell it."""
    arguments = get_args(kind)
    match get_origin(kind):
        case None:
            return PLAIN.get(kind) or kind.__name__
        case _ if get_origin(kind) is list:
            of = spelled(arguments[0])
            return f"({of})[]" if "|" in of else f"{of}[]"
        case _ if get_origin(kind) is tuple:
            return f"[{', '.join(map(spelled, arguments))}]"
        case _ if get_origin(kind) is dict:
            return f"Record<string, {spelled(arguments[1])}>"
        case _ if get_origin(kind) is Literal:
            return " | ".join(f'"{argument}"' for argument in arguments)
    return " | ".join(dict.fromkeys(map(spelled, arguments)))


if __name__ == "__main__":
    FILE.write_text(declarations(), encoding="utf-8")
