"""Strict request parsing and validation messages.

FastAPI alone takes a repeated field for a list and reads JSON with NaN in it. So every route of the
API reads its fields once, strictly, and hands them to FastAPI as they would have come.
"""

from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from fastapi.routing import APIRoute
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from app.errors import MAX_ERRORS, Problem, abbreviate, error, nearest
from app.schema.questions import Question, from_commas
from app.schema.strict_json import parse_json, refusal, unique
from app.site.services import services_of

SHORT_ADDRESS = 1_000  # bytes
BESIDE_CHOICES = 40  # characters of what was given, in a sentence that names every choice

BOUNDS = {
    "less_than_equal": "at most",
    "less_than": "less than",
    "greater_than_equal": "at least",
    "greater_than": "more than",
}
TYPES = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "bool": "true or false",
    "string": "a text",
    "list": "a list, its parts with commas between",
    "dict": "a JSON object",
    "model": "a JSON object",
}
OF_LENGTH = {"string_too_long", "too_long", "string_too_short", "too_short"}
LIMITS = ("le", "lt", "ge", "gt", "max_length", "min_length", "expected", "pattern")


class StrictRoute(APIRoute):
    """A route whose fields come from the address, or for POST from a JSON object, each once. It
    is answered by a function of the request, the services, the question and what its path names.
    """

    @property
    def fields(self) -> Collection[str]:
        """The names of the fields that may be asked here."""
        params = [*self.dependant.query_params, *self.dependant.body_params]
        questions: list[Any] = [param.field_info.annotation for param in params]
        return [name for question in questions for name in question.model_fields]

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer, fields = super().get_route_handler(), self.fields
        respond = self.dependant.call
        assert respond is not None

        async def read_and_answer(request: Request) -> Response:
            strict = StrictRequest(request.scope, request.receive)
            if (question := strict.known()) is not None:
                known = {"services": services_of(request.app), "question": question}
                return await respond(request=strict, **known, **strict.path_params)
            await strict.read(fields)
            return await answer(strict)

        return read_and_answer


class StrictRequest(Request):
    """A request whose fields have been read: FastAPI finds them where it looks for them.

    The questions of short addresses are remembered, because reading one takes FastAPI longer than
    everything else that a kept answer needs.
    """

    given: Mapping[str, Any] = {}
    """The fields that were read; none of an address that is known."""

    def known(self) -> Question | None:
        """The question that this address was read as before."""
        if self.method == "POST":
            return None
        return services_of(self.app).questions_read.get(
            (self.scope["path"], self.scope["query_string"])
        )

    def remember(self, question: Question) -> None:
        """Keeps what this address was read as, unless something of a model's card was filled in,
        which may be another one soon.
        """
        if question.model_fields_set.intersection(question.read_from) - self.given.keys():
            return
        address = self.scope["path"], self.scope["query_string"]
        if len(address[0]) + len(address[1]) <= SHORT_ADDRESS:
            services_of(self.app).questions_read[address] = question

    async def read(self, fields: Collection[str]) -> None:
        """Reads the address, or for POST the body; raises Problem."""
        query = self.scope["query_string"]
        if self.method != "POST":
            self.given = from_address(query, len(fields))
        elif query:
            raise refusal(
                "",
                "address",
                "A POST carries its fields in its body: leave them out of the address.",
            )
        else:
            refuse_compressed(self.headers.get("content-encoding", ""))
            self.given = from_body(self.headers.get("content-type", ""), await self.body())
        if len(self.given) > len(fields):
            raise too_many_fields(len(fields))
        for name in self.path_params.keys() & self.given.keys():
            raise refusal(
                f"/{name}",
                "repeated",
                f"`{name}` is in the path already: leave it out of the question.",
            )

    @property
    def query_params(self) -> "Address":
        return Address(self.given)

    async def json(self) -> Mapping[str, Any]:
        return self.given


class Address(QueryParams):
    """The fields of an address. A list is one text: JSON, or its parts with commas between."""

    def getlist(self, key: Any) -> list:
        if key not in self:
            return []
        parts = from_commas(self[key])
        return parts if isinstance(parts, list) and parts else [self[key]]


def from_address(query: bytes, most: int) -> dict[str, str]:
    """The fields of an address; values are text. A few more than `most` are read, so that one that
    comes twice is told as such.
    """
    try:
        pairs = parse_qsl(
            query.decode(), keep_blank_values=True, errors="strict", max_num_fields=most + 8
        )
    except UnicodeDecodeError:
        raise refusal("", "encoding", "The address is not UTF-8: encode it as UTF-8.") from None
    except ValueError:
        raise too_many_fields(most) from None
    return unique(pairs)


def refuse_compressed(encoding: str) -> None:
    """Raises Problem for a body that is not sent as it is."""
    if encoding.strip().lower() not in ("", "identity"):
        raise Problem(
            "media_type",
            f"The body comes with Content-Encoding {abbreviate(encoding)}, which is not read: send"
            " it uncompressed, without this header.",
            headers={"Accept-Encoding": "identity"},
        )


def from_body(content_type: str, body: bytes) -> dict[str, Any]:
    """The fields of a JSON object."""
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise Problem(
            "media_type",
            "A POST carries a JSON object as application/json; this one is"
            f" {abbreviate(media_type) or 'of no type'}.",
        )
    try:
        given = parse_json(body.decode("utf-8-sig"))  # as PowerShell writes it, with a first mark
    except UnicodeDecodeError:
        raise refusal("", "encoding", "The body is not UTF-8: encode it as UTF-8.") from None
    except ValueError as wrong:
        raise refusal("", "json", f"The body is not JSON: {abbreviate(str(wrong))}.") from None
    if not isinstance(given, dict):
        raise refusal(
            "", "json", "The body must be a JSON object of fields.", given=type(given).__name__
        )
    return given


def too_many_fields(most: int) -> Problem:
    hint = f"More than the {most} fields that can be asked here are given: leave some out."
    return refusal("", "fields", hint, limit=most)


def validation_problem(found: Sequence[Any], fields: Collection[str]) -> Problem:
    """What pydantic found wrong with a question of these fields, in sentences."""
    entries = [error_entry(one, fields) for one in found[:MAX_ERRORS]]
    more = f" And {len(found) - 1} more." if len(found) > 1 else ""
    return Problem("invalid", entries[0]["hint"] + more, errors=entries)


def error_entry(found: dict, fields: Iterable[str]) -> dict:
    """One entry of `errors`; the first part of the place is address, path or body."""
    pointer = "".join(f"/{abbreviate(str(part))}" for part in found["loc"][1:])
    name, code, given = pointer[1:], found["type"], found["input"]
    if code == "extra_forbidden" and len(found["loc"]) > 2:
        *within, leaf = name.split("/")
        return error(
            pointer,
            "unknown_field",
            f"There is no field `{leaf}` in `{'/'.join(within)}`: leave it out.",
        )
    if code == "extra_forbidden":
        near = nearest(name, fields)
        hint = f"There is no field `{name}` here. " + (
            f"The nearest: {', '.join(near)}." if near else f"There are: {', '.join(fields)}."
        )
        return error(pointer, "unknown_field", hint)
    if code == "missing":
        return error(pointer, code, f"`{name}` is missing: add it to the question.")
    if code == "string_unicode":
        return error(
            pointer, "surrogate", f"`{name}` holds half of a surrogate pair, which is no character."
        )
    context = found.get("ctx", {})
    limit = next((context[key] for key in LIMITS if context.get(key) is not None), None)
    size = (context.get("actual_length") or len(given)) if code in OF_LENGTH else given
    return error(
        pointer,
        code,
        requirement(name, code, found, limit, abbreviate(str(size)) or "nothing"),
        limit=limit,
        given=size,
    )


def requirement(name: str, code: str, found: dict, limit: object, given: object) -> str:
    """What the field must be and what was given, in a sentence."""
    if code in BOUNDS:
        must = f"be {BOUNDS[code]} {limit}"
    elif code in OF_LENGTH:
        noun = "characters" if code.startswith("string") else "entries"
        least = "at least" if code.endswith("short") else "at most"
        return f"`{name}` must have {least} {limit} {noun}; {given} were given."
    elif code == "literal_error":
        must = f"be {str(limit).replace(chr(39), '')}"
        given = abbreviate(given, BESIDE_CHOICES)
    elif (kind := code.split("_")[0]) in TYPES:
        must = f"be {TYPES[kind]}"
    else:
        return f"`{name}`: {found['msg']}; {given} was given."
    return f"`{name}` must {must}; {given} was given."
