"""JSON as its standard has it: no NaN, no Infinity, no half characters, and here no field twice."""

import json
from typing import Any

from app.errors import error, short


class Refusal(Exception):
    """Something wrong before the fields can be looked at."""

    def __init__(self, pointer: str, code: str, hint: str, **more: object):
        super().__init__(hint)
        self.entry = error(pointer, code, hint, **more)


def parse_json(text: str) -> Any:
    """JSON as its standard has it: no NaN, no Infinity, and here no field twice."""
    return json.loads(text, object_pairs_hook=unique, parse_constant=no_constant)


def no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    given = dict(pairs)
    for name in given:
        if not printable(name):
            raise Refusal("", "surrogate", "The name of a field holds half of a surrogate pair, which is no character.")
    if len(given) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in given if names.count(name) > 1)
        raise Refusal(f"/{short(twice)}", "repeated", f"`{short(twice)}` is given {names.count(twice)} times; each field is given once.")
    return given


def printable(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
