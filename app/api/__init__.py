"""The words of the API: each file beside this one declares its questions in `WORDS`; adding a word is adding its file."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from fastapi import FastAPI
from starlette.datastructures import State
from starlette.requests import Request
from starlette.responses import Response

from app.engine import Engine, Reply
from app.errors import busy
from app.questions import Question
from app.reading import read
from app.streams import event_response, wants_events
from app.wire import dumps

PREFIX = "/api/v1"


@dataclass(frozen=True)
class Word:
    """One path and the question asked there; `example` is a query to try. `local` answers in the web process what needs no model.

    The stream of a word that `trains` is written by a process of its own, and survives this one.
    """

    name: str
    question: type[Question]
    sentence: str
    example: str = ""
    path: str = ""
    streams: bool = False
    trains: bool = False
    local: Callable[[State], dict] | None = None

    @property
    def address(self) -> str:
        return PREFIX + (self.path or f"/{self.name}")


def words() -> list[Word]:
    found = sorted(module.name for module in iter_modules(__path__))
    return [word for name in found for word in import_module(f"{__name__}.{name}").WORDS]


def register(app: FastAPI) -> None:
    """GET and POST for every word, with the same fields."""
    for word in words():
        for method in ("GET", "POST", "HEAD"):
            app.add_api_route(
                word.address,
                endpoint(word),
                methods=[method],
                summary=word.sentence,
                tags=[word.name],
                operation_id=f"{method.lower()}_{word.question.__name__.lower() if word.path else word.name}",
                include_in_schema=method != "HEAD",
                openapi_extra=described(word, method),
            )


def endpoint(word: Word) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        question = await read(word.question, request)
        engine: Engine = request.app.state.engine
        if word.local is not None:
            return Response(dumps(word.local(request.app.state)), headers={"cache-control": "no-store"}, media_type="application/json")
        if word.streams and wants_events(request):
            streams = request.app.state.trainings if word.trains else request.app.state.streams
            return await event_response(request, streams, word.name, question.asked())
        asked = word.name, question.asked(), question.encoding
        reply = engine.known(*asked) or await while_connected(request, engine.ask(*asked))
        return told(request, reply)

    return answer


def told(request: Request, reply: Reply) -> Response:
    """200 with the answer, or 304 where the client has it."""
    headers = {"etag": reply.etag, "cache-control": "no-cache", "vary": "Accept"}
    if request.method != "POST" and reply.etag in [tag.strip() for tag in request.headers.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(reply.body, headers=headers, media_type="application/json")


async def while_connected(request: Request, answer: Awaitable[Reply]) -> Reply:
    """The answer; a client that goes away in the meantime takes its question back."""
    asking = asyncio.ensure_future(answer)
    leaving = asyncio.ensure_future(left(request))
    try:
        await asyncio.wait({asking, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            raise busy("The client has left.", 1)  # nobody reads this
        return asking.result()
    finally:
        leaving.cancel()
        asking.cancel()


async def left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def described(word: Word, method: str) -> dict[str, Any]:
    """What the OpenAPI document says of a word, from its question's schema."""
    schema = word.question.model_json_schema(ref_template="#/components/schemas/{model}")
    in_path = [part[1:-1] for part in word.address.split("/") if part.startswith("{")]
    required = schema.get("required", [])
    parameters = [
        {
            "name": name,
            "in": "path" if name in in_path else "query",
            "required": name in required,
            "schema": field,
            "description": field.get("description", ""),
        }
        for name, field in schema.get("properties", {}).items()
        if name in in_path or method != "POST"
    ]
    body = {key: value for key, value in schema.items() if key != "properties"} | {
        "properties": {name: field for name, field in schema.get("properties", {}).items() if name not in in_path},
        "required": [name for name in required if name not in in_path],
    }
    content: dict[str, Any] = {"application/json": {"schema": {"type": "object"}}}
    if word.streams:
        content["text/event-stream"] = {"schema": {"type": "string"}}
    problem = {"description": "Why there is no answer", "content": {"application/problem+json": {"schema": {"type": "object"}}}}
    posted = {"requestBody": {"required": True, "content": {"application/json": {"schema": body}}}} if method == "POST" else {}
    example = {"x-example": f"{word.address.replace('{id}', 'translator')}{'?' * bool(word.example)}{word.example}"}
    return {
        "parameters": parameters,
        **posted,
        **example,
        "responses": {"200": {"description": "The answer", "content": content}, "default": problem},
    }
