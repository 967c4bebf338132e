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

from app.errors import MAX_ERRORS, Problem, abbreviate, error, nearest, sentence
from app.schema.questions import Question, from_commas
from app.schema.strict_json import parse_json, refusal, unique
from app.site.services import services_of
from model.errors import Sentence

SHORT_ADDRESS = 1_000  # bytes
BESIDE_CHOICES = 40  # characters of what was given, in a sentence that names every choice

BOUNDS = {"less_than_equal", "less_than", "greater_than_equal", "greater_than"}
TYPES = {"int", "float", "finite", "bool", "string", "list", "dict", "model"}
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
            raise refusal("", "address", "fields-in-the-address-of-a-post")
        else:
            refuse_compressed(self.headers.get("content-encoding", ""))
            self.given = from_body(self.headers.get("content-type", ""), await self.body())
        if len(self.given) > len(fields):
            raise too_many_fields(len(fields))
        for name in self.path_params.keys() & self.given.keys():
            raise refusal(f"/{name}", "repeated", "in-the-path-already", name=name)

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
        raise refusal("", "encoding", "address-not-utf-8") from None
    except ValueError:
        raise too_many_fields(most) from None
    return unique(pairs)


def refuse_compressed(encoding: str) -> None:
    """Raises Problem for a body that is not sent as it is."""
    if encoding.strip().lower() not in ("", "identity"):
        raise Problem(
            "media_type",
            "body-compressed",
            headers={"Accept-Encoding": "identity"},
            encoding=abbreviate(encoding),
        )


def from_body(content_type: str, body: bytes) -> dict[str, Any]:
    """The fields of a JSON object."""
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type != "application/json":
        if not media_type:
            raise Problem("media_type", "body-of-no-type")
        raise Problem("media_type", "body-of-another-type", type=abbreviate(media_type))
    try:
        given = parse_json(body.decode("utf-8-sig"))  # as PowerShell writes it, with a first mark
    except UnicodeDecodeError:
        raise refusal("", "encoding", "body-not-utf-8") from None
    except ValueError as wrong:
        raise refusal("", "json", "body-no-json", why=abbreviate(str(wrong))) from None
    if not isinstance(given, dict):
        raise refusal("", "json", "body-no-object", given=type(given).__name__)
    return given


def too_many_fields(most: int) -> Problem:
    return refusal("", "fields", "too-many-fields", limit=most)


def validation_problem(found: Sequence[Any], fields: Collection[str]) -> Problem:
    """What pydantic found wrong with a question of these fields, in sentences."""
    entries = [error_entry(one, fields) for one in found[:MAX_ERRORS]]
    detail = entries[0]["hint"]
    if len(found) > 1:
        detail = sentence("and-more", first=detail, n=len(found) - 1)
    return Problem("invalid", detail, errors=entries)


def error_entry(found: dict, fields: Iterable[str]) -> dict:
    """One entry of `errors`; the first part of the place is address, path or body."""
    pointer = "".join(f"/{abbreviate(str(part))}" for part in found["loc"][1:])
    name, code, given = pointer[1:], found["type"], found["input"]
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
    size = (context.get("actual_length") or len(given)) if code in OF_LENGTH else given
    hint = requirement(name, code, found["msg"], limit, str(size))
    return error(pointer, code, hint, limit=limit, given=size)


def requirement(name: str, code: str, why: str, limit: object, given: str) -> Sentence:
    """What the field must be and what was given, in a sentence."""
    known = {"name": name, "given": abbreviate(given) or sentence("nothing")}
    if code in BOUNDS:
        return sentence("must-be-within", bound=code, limit=str(limit), **known)
    if code in OF_LENGTH:
        return sentence("must-be-of-length", code=code, limit=limit, **known)
    if code == "literal_error":
        known["given"] = abbreviate(given, BESIDE_CHOICES) or sentence("nothing")
        return sentence("must-be-one-of", limit=str(limit).replace("'", ""), **known)
    if code == "numbers":
        return sentence("no-numbers", **known)
    if (kind := code.split("_")[0]) in TYPES:
        return sentence("must-be-of-type", kind=kind, **known)
    return sentence("wrong-otherwise", why=why, **known)
