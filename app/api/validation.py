"""Pydantic's validation errors as sentences."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from app.errors import MAX_ERRORS, Problem, abbreviate, error, nearest, sentence
from model.errors import Sentence

BESIDE_CHOICES = 40  # characters of the given value, if the sentence lists every choice

BOUNDS = {"less_than_equal", "less_than", "greater_than_equal", "greater_than"}
TYPES = {"int", "float", "finite", "bool", "string", "list", "dict", "model"}
OF_LENGTH = {"string_too_long", "too_long", "string_too_short", "too_short"}
LIMITS = ("le", "lt", "ge", "gt", "max_length", "min_length", "expected", "pattern")


def validation_problem(found: Sequence[Any], fields: Collection[str]) -> Problem:
    """Pydantic's errors for a question with these fields, as sentences."""
    entries = [error_entry(error, fields) for error in found[:MAX_ERRORS]]
    detail = entries[0]["hint"]
    if len(found) > 1:
        detail = sentence("and-more", first=detail, n=len(found) - 1)
    return Problem("invalid", detail, errors=entries)


def error_entry(found: dict, fields: Iterable[str]) -> dict:
    """One entry of `errors`; its location starts with address, path, or body."""
    pointer = "".join(f"/{abbreviate(str(part))}" for part in found["loc"][1:])
    name, code, value = pointer[1:], found["type"], found["input"]
    if code == "extra_forbidden" and len(found["loc"]) > 2:
        within, _, leaf = name.rpartition("/")
        hint = sentence("no-field-within", leaf=leaf, within=within)
        return error(pointer, "unknown_field", hint)
    if code == "extra_forbidden":
        near = nearest(name, fields)
        message = "no-field-but-near" if near else "no-field-here"
        hint = sentence(message, name=name, known=near or fields)
        return error(pointer, "unknown_field", hint)
    if code == "missing":
        return error(pointer, code, sentence("field-missing", name=name))
    if code == "string_unicode":
        return error(pointer, "surrogate", sentence("half-a-character", name=name))
    context = found.get("ctx", {})
    limit = next((context[key] for key in LIMITS if context.get(key) is not None), None)
    size = (context.get("actual_length") or len(value)) if code in OF_LENGTH else value
    hint = requirement(name, code, found["msg"], limit, str(size))
    return error(pointer, code, hint, limit=limit, given=size)


def requirement(name: str, code: str, why: str, limit: object, value: str) -> Sentence:
    """The requirement on the field and the given value, in a sentence."""
    known = {"name": name, "given": abbreviate(value) or sentence("nothing")}
    if code in BOUNDS:
        return sentence("must-be-within", bound=code, limit=str(limit), **known)
    if code in OF_LENGTH:
        return sentence("must-be-of-length", code=code, limit=limit, **known)
    if code == "literal_error":
        known["given"] = abbreviate(value, BESIDE_CHOICES) or sentence("nothing")
        choices = re.split(", | or ", str(limit).replace("'", ""))
        return sentence("must-be-one-of", limit=choices, **known)
    if code == "numbers":
        return sentence("no-numbers", **known)
    if (kind := code.split("_")[0]) in TYPES:
        return sentence("must-be-of-type", kind=kind, **known)
    return sentence("wrong-otherwise", why=why, **known)
