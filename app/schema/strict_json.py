"""JSON as in the standard: no NaN, no Infinity, no unpaired surrogates, and here no duplicate
fields.

Everything takes a single pass, because it runs in the event loop.
"""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from app.errors import Problem, abbreviate, error, sentence

# The most deeply nested question is a list of rows of cells: an object, a list, a list. The
# largest is a painted mask. Both bounds are far above that.
MAX_LEVELS = 16
MAX_VALUES = 32_768


def refusal(
    pointer: str, code: str, message: str, limit: object = None, given: object = None, **values: Any
) -> Problem:
    """The problem of a question that is malformed. The message may use `limit` and `given`."""
    hint = sentence(message, limit=limit, given=given, **values)
    return Problem("invalid", hint, errors=[error(pointer, code, hint, limit=limit, given=given)])


def parse_json(text: str) -> Any:
    """The value of a JSON text; raises ValueError if it is not JSON, otherwise Problem."""
    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=no_constant)
    except RecursionError:
        raise nested() from None
    check_size(value)
    return value


def no_constant(name: str) -> None:
    raise ValueError(sentence("no-json-number", name=name))


def check_size(value: Any) -> None:
    """Raises Problem for a value that is nested too deeply or contains too many others."""
    level, level_values, values = 0, [value], 0
    while level_values := [inner for outer in level_values for inner in contents(outer)]:
        level, values = level + 1, values + len(level_values)
        if level > MAX_LEVELS:
            raise nested()
        if values > MAX_VALUES:
            raise refusal("", "values", "json-of-too-many-values", limit=MAX_VALUES)


def contents(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def nested() -> Problem:
    return refusal("", "nested", "json-too-deep", limit=MAX_LEVELS)


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields by name; raises Problem for a duplicate name or an unpaired surrogate."""
    fields = dict(pairs)
    if not all(map(printable, fields)):
        raise refusal("", "surrogate", "half-a-character-in-a-name")
    if len(fields) < len(pairs):
        ((name, times),) = Counter(name for name, _ in pairs).most_common(1)
        short = abbreviate(name)
        raise refusal(f"/{short}", "repeated", "given-several-times", name=short, n=times)
    return fields


def printable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
