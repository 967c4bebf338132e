"""From a request to a question: the same fields from the address or a JSON body, none repeated, none unknown."""

from typing import Any
from urllib.parse import parse_qsl

from pydantic import ValidationError
from starlette.requests import Request

from app.errors import Problem, error, nearest, short
from app.questions import Question
from app.strict import Refusal, parse_json, unique

MOST_FIELDS = 64


async def read(kind: type[Question], request: Request) -> Question:
    """The question in `request`, a `kind`; raises Problem."""
    strict = request.method == "POST"
    try:
        given = from_body(request, await request.body()) if strict else from_address(request.scope["query_string"])
        if strict and request.scope["query_string"]:
            raise Refusal("", "address", "A POST carries its fields in the body, not in the address.")
        for name, value in request.path_params.items():
            if name in given:
                raise Refusal(f"/{name}", "repeated", f"`{name}` is in the path already.")
            given[name] = value
        return kind.model_validate(given, strict=True) if strict else kind.model_validate_strings(given)
    except Refusal as refusal:
        raise Problem("invalid", refusal.entry["hint"], errors=[refusal.entry]) from None
    except ValidationError as invalid:
        raise refused(kind, invalid) from None


def from_address(query: bytes) -> dict[str, str]:
    """The fields of an address; values are text."""
    try:
        pairs = parse_qsl(query.decode(), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except UnicodeDecodeError:
        raise Refusal("", "encoding", "The address is not UTF-8.") from None
    except ValueError:
        raise Refusal("", "fields", f"The address has more than {MOST_FIELDS} fields.", limit=MOST_FIELDS) from None
    return unique(pairs)


def from_body(request: Request, body: bytes) -> dict[str, Any]:
    """The fields of a JSON object."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise Problem("media_type", f"A POST carries a JSON object as application/json; this one is {short(media_type) or 'of no type'}.")
    try:
        given = parse_json(body.decode())
    except UnicodeDecodeError:
        raise Refusal("", "encoding", "The body is not UTF-8.") from None
    except RecursionError:
        raise Refusal("", "nested", "The body is nested too deeply.") from None
    except ValueError as wrong:
        raise Refusal("", "json", f"The body is not JSON: {short(str(wrong))}.") from None
    if not isinstance(given, dict):
        raise Refusal("", "json", "The body must be a JSON object of fields.", given=type(given).__name__)
    return given


def refused(kind: type[Question], invalid: ValidationError) -> Problem:
    """What pydantic found, in sentences."""
    entries = [entry(kind, found) for found in invalid.errors(include_url=False, include_context=True)]
    more = f" And {len(entries) - 1} more." if len(entries) > 1 else ""
    return Problem("invalid", entries[0]["hint"] + more, errors=entries)


def entry(kind: type[Question], found: dict) -> dict:
    pointer = "".join(f"/{short(str(part))}" for part in found["loc"])
    name, code, given = pointer[1:], found["type"], found["input"]
    if code == "extra_forbidden":
        near = nearest(name, kind.model_fields)
        hint = f"There is no field `{name}` here. " + (
            f"The nearest: {', '.join(near)}." if near else f"There are: {', '.join(kind.model_fields)}."
        )
        return error(pointer, "unknown_field", hint)
    if code == "missing":
        return error(pointer, code, f"`{name}` is missing.")
    if code == "string_unicode":
        return error(pointer, "surrogate", f"`{name}` holds half of a surrogate pair, which is no character.")
    limits = [found.get("ctx", {}).get(key) for key in ("le", "lt", "ge", "gt", "max_length", "min_length", "expected", "pattern")]
    known = next((limit for limit in limits if limit is not None), None)
    of_length = {"string_too_long", "too_long", "string_too_short", "too_short"}
    size = found.get("ctx", {}).get("actual_length", len(given)) if code in of_length else given
    return error(pointer, code, f"`{name}`: {found['msg']}; given {short(str(size))}.", limit=known, given=size)
