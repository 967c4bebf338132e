"""The routes of one API address, and the requests that they read.

FastAPI treats a repeated field as a list and accepts JSON with NaN. So every API route parses its
fields once, strictly, and passes them to FastAPI in the form it expects.

The question and answer types of one address take 8 ms, and Vitrine has 140 addresses: building them
all would delay a server's start by a second. So the routes of an address are built when it is first
requested or described.
"""

from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from copy import copy
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, compile_path, get_route_path
from starlette.types import Receive, Scope, Send

from app.errors import Problem, abbreviate
from app.schema.questions import Question, from_commas
from app.schema.strict_json import parse_json, refusal, unique
from app.site.services import services_of

SHORT_ADDRESS = 1_000  # bytes
MAKING = Lock()  # the document is built in a thread, while the event loop serves requests


class StrictRoute(APIRoute):
    """A route whose fields come from the query string, or for POST from a JSON object, each at most
    once. It is answered by a function of the request, the services, the question, and the values in
    its path.
    """

    @property
    def fields(self) -> Collection[str]:
        """The names of the valid fields."""
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


class Address(BaseRoute):
    """`make` returns the route of GET and possibly others. HEAD is handled like GET, and the API
    document does not list it.
    """

    def __init__(self, path: str, make: Callable[[], list[StrictRoute]]):
        self.path, self.make = path, make
        self.path_regex, self.path_format, _ = compile_path(path)
        self.cached_routes: list[StrictRoute] = []

    @property
    def routes(self) -> list[StrictRoute]:
        with MAKING:
            if not self.cached_routes:
                get, *others = self.make()
                head = copy(get)
                head.methods, head.include_in_schema = {"HEAD"}, False
                self.cached_routes = [get, *others, head]
        return self.cached_routes

    @property
    def methods(self) -> set[str]:
        """All methods of the routes."""
        return {method for route in self.routes for method in route.methods or ()}

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Matches like the router would: the first route that has the method, or else the first."""
        if scope["type"] != "http" or not self.path_regex.match(get_route_path(scope)):
            return Match.NONE, {}
        matches = [route.matches(scope) for route in self.routes]
        return next((match for match in matches if match[0] is Match.FULL), matches[0])

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await scope["route"].handle(scope, receive, send)


def routes_of(app: FastAPI) -> Sequence[BaseRoute]:
    """Every route of the application, building those of addresses not requested yet."""
    return [
        inner
        for route in app.routes
        for inner in (route.routes if isinstance(route, Address) else [route])
    ]


class StrictRequest(Request):
    """A request whose fields are parsed already: FastAPI finds them where it looks for them.

    The questions of short addresses are cached, because FastAPI's parsing takes longer than
    everything else that a cached answer needs.
    """

    field_values: Mapping[str, Any] = {}
    """The parsed fields; empty for a cached address."""

    def known(self) -> Question | None:
        """The cached question of this address."""
        if self.method == "POST":
            return None
        return services_of(self.app).questions_read.get(
            (self.scope["path"], self.scope["query_string"])
        )

    def remember(self, question: Question) -> None:
        """Caches this address's question, unless a default came from a card, which may change."""
        if question.model_fields_set.intersection(question.read_from) - self.field_values.keys():
            return
        address = self.scope["path"], self.scope["query_string"]
        if len(address[0]) + len(address[1]) <= SHORT_ADDRESS:
            services_of(self.app).questions_read[address] = question

    async def read(self, fields: Collection[str]) -> None:
        """Parses the query string, or for POST the body; raises Problem."""
        query = self.scope["query_string"]
        if self.method != "POST":
            self.field_values = from_address(query, len(fields))
        elif query:
            raise refusal("", "address", "fields-in-the-address-of-a-post")
        else:
            refuse_compressed(self.headers.get("content-encoding", ""))
            self.field_values = from_body(self.headers.get("content-type", ""), await self.body())
        if len(self.field_values) > len(fields):
            raise too_many_fields(len(fields))
        for name in self.path_params.keys() & self.field_values.keys():
            raise refusal(f"/{name}", "repeated", "in-the-path-already", name=name)

    @property
    def query_params(self) -> "Fields":
        return Fields(self.field_values)

    async def json(self) -> Mapping[str, Any]:
        return self.field_values


class Fields(QueryParams):
    """The fields of a query string. A list is one text: JSON, or separated by commas."""

    def getlist(self, key: Any) -> list:
        if key not in self:
            return []
        parts = from_commas(self[key])
        return parts if isinstance(parts, list) and parts else [self[key]]


def from_address(query: bytes, most: int) -> dict[str, str]:
    """The fields of a query string; values are text. A few more than `most` are parsed, so that
    duplicates are reported as such.
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
    """Raises Problem for a compressed body."""
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
        fields = parse_json(body.decode("utf-8-sig"))  # PowerShell adds a byte order mark
    except UnicodeDecodeError:
        raise refusal("", "encoding", "body-not-utf-8") from None
    except ValueError as wrong:
        raise refusal("", "json", "body-no-json", why=abbreviate(str(wrong))) from None
    if not isinstance(fields, dict):
        raise refusal("", "json", "body-no-object", given=type(fields).__name__)
    return fields


def too_many_fields(most: int) -> Problem:
    return refusal("", "fields", "too-many-fields", limit=most)
