"""From a question to its response: an event stream, a cached answer, or a new one."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from inspect import isawaitable
from typing import TypeVar

from fastapi.sse import EventSourceResponse, format_sse_event
from starlette.requests import Request
from starlette.responses import Response

from app.api.cost import check_cost, quicker
from app.api.endpoint import Endpoint
from app.compute.backend import Query
from app.compute.engine import Engine, Reply
from app.compute.messages import Numbers, Representation
from app.compute.streams import EventLog, EventStreams
from app.compute.wire import dumps
from app.errors import Problem, busy, error
from app.responses import Document, conditional
from app.schema.questions import Question
from app.site.services import Services

T = TypeVar("T")
UNKEPT = {"cache-control": "no-store", "x-accel-buffering": "no"}
"""Streams are neither cached by browsers nor buffered by proxies."""


async def respond(
    request: Request,
    services: Services,
    endpoint: Endpoint,
    question: Question,
    form: Representation | None = None,
    **in_path: str,
) -> Response:
    """The response to `question`, as numbers or in another form; raises Problem."""
    form = form or Numbers(question.encoding)
    arguments = {**in_path, **question.arguments()}
    if endpoint.local is not None:
        check_cost(question, services.settings.work_seconds, slowness=services.engine.slowness)
        if endpoint.followed is not None and wants_events(request):
            event_stream = endpoint.followed(services, question, request.state.client)
            # The stream counts from its first event on, before anyone else is admitted.
            first = await anext(event_stream, b"")  # empty if the server is stopping
            return EventSourceResponse(with_first(first, event_stream), headers=UNKEPT)
        answer = endpoint.local(services, question, request.state.client)
        if isawaitable(answer):
            answer = await while_connected(request, answer)
        echo = {"question": {**arguments, "encoding": question.encoding}}
        document = Document(dumps({**echo, **answer}), "application/json")
        return await conditional(request, document, {"cache-control": "no-store"})
    training = endpoint.trains and wants_events(request)  # has its own process
    if not training:
        check_cost_unless_kept(services, endpoint, question)
    if wants_events(request):
        return await events(request, services, endpoint, question, arguments, form)
    reply, headers = await answered(
        request, services.engine, endpoint.name, question, form, arguments
    )
    return await conditional(request, reply, headers)


async def with_first(first: bytes, rest: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """The events of a stream whose first event has arrived; closed when the reader leaves."""
    async with aclosing(rest):
        yield first
        async for event in rest:
            yield event


def check_cost_unless_kept(services: Services, endpoint: Endpoint, question: Question) -> None:
    """Raises Problem for a question that is too expensive. A cached training costs nothing."""
    settings = services.settings
    most = settings.work_seconds + (settings.reading_seconds if question.reads_long else 0)
    if not (endpoint.trains and services.trainings.stores(question.arguments())):
        check_cost(question, most, services.engine.slowness, trains=endpoint.trains)


async def answered(
    request: Request,
    engine: Engine,
    word: str,
    question: Question,
    form: Representation,
    arguments: dict,
) -> tuple[Reply, dict[str, str]]:
    """The answer of a word in this form, cached or new, and its headers; raises Problem."""
    begun = time.perf_counter()
    query = Query(word, arguments, form, question.repeatable)
    accepted = request.headers.get("accept-encoding", "")
    try:
        waiting = partial(while_connected, request)
        reply, cached = await engine.reply(query, accepted, waiting, request.state.client)
    except Problem as problem:
        raise with_hints(problem, question) from None
    total = time.perf_counter() - begun
    headers = {"vary": "Accept", "server-timing": server_timing(reply, cached, total)}
    if not question.repeatable:
        headers["cache-control"] = "no-store"
    return reply, headers


def server_timing(reply: Reply, cached: bool, total: float) -> str:
    """Milliseconds: `compute` in the worker, whenever that was; `total` of this request."""
    cache = 'cache;desc="kept", ' if cached else ""
    return f"{cache}compute;dur={1_000 * reply.seconds:.1f}, total;dur={1_000 * total:.1f}"


def with_hints(problem: Problem, question: Question) -> Problem:
    """The problem with an entry for each field that would make the answer faster or smaller."""
    if problem.code == "too_slow":
        hints = quicker(question)
        entries = [error(f"/{name}", "too_slow", hint) for name, hint in hints.items()]
    elif problem.errors and problem.errors[0]["code"] == "answer_too_large":
        hints = question.narrowing()
        (entry,) = problem.entries
        entries = [{**entry, "pointer": f"/{name}", "hint": hint} for name, hint in hints.items()]
    else:
        return problem
    return Problem(problem.code, problem.sentence, errors=entries, headers=problem.headers)


async def events(
    request: Request,
    services: Services,
    endpoint: Endpoint,
    question: Question,
    arguments: dict,
    form: Representation,
) -> Response:
    """An event stream: steps of the answer, steps of a training, or the progress of the answer."""
    query = (endpoint.name, arguments)
    if endpoint.trains:
        if request.method != "POST" and not services.trainings.begun(*query):
            raise Problem("unknown", "training-not-begun")
        return await event_response(request, services.trainings, *query)
    if endpoint.streams and isinstance(form, Numbers):
        return await event_response(request, services.steps, *query)
    followed = {**arguments, "form": form, "store": question.repeatable}
    return await event_response(request, services.progress, endpoint.name, followed)


async def while_connected(request: Request, answer: Awaitable[T]) -> T:
    """The answer; if the client disconnects first, its question is withdrawn."""
    asking = asyncio.ensure_future(answer)
    leaving = asyncio.ensure_future(until_disconnected(request))
    try:
        await asyncio.wait({asking, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            raise busy("client-has-left", 1)  # never read
        return asking.result()
    finally:
        leaving.cancel()
        asking.cancel()


async def until_disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def wants_events(request: Request) -> bool:
    return request.method != "HEAD" and "text/event-stream" in request.headers.get("accept", "")


async def event_response(
    request: Request, streams: EventStreams, word: str, question: dict
) -> EventSourceResponse:
    """Starts once the first event has arrived, so that an error still has its own status."""
    client = request.state.client
    if streams.clients[client] >= streams.settings.streams_per_client:
        raise Problem(
            "too_many",
            "too-many-streams-of-yours",
            headers={"Retry-After": "5"},
            n=streams.clients[client],
        )
    log = streams.subscribe(word, question, client)
    streams.clients[client] += 1
    log.readers += 1

    def unsubscribe() -> None:
        log.readers -= 1
        streams.clients[client] -= 1
        if not streams.clients[client]:
            del streams.clients[client]

    try:
        await log.until(1)
        if log.end is not None and not log.events:
            raise log.end
        position = next_event_index(request.headers.get("last-event-id", ""))
    except BaseException:
        unsubscribe()
        raise
    return EventSourceResponse(
        framed(log, position, unsubscribe),
        headers=UNKEPT,
    )


def next_event_index(last_event_id: str) -> int:
    """The index after the last event that the client received; 0 if it names no event."""
    is_index = last_event_id.isascii() and last_event_id.isdecimal() and len(last_event_id) < 7
    return int(last_event_id) + 1 if is_index else 0


async def framed(
    log: EventLog, position: int, unsubscribe: Callable[[], None]
) -> AsyncIterator[bytes]:
    """The events from `position` on in the standard's format, then how the stream ended."""
    try:
        while True:
            await log.until(position + 1)
            if position >= len(log.events):
                break
            yield format_sse_event(
                event=log.name, id=str(position), data_str=log.events[position].decode()
            )
            position += 1
        if log.end is None:
            yield format_sse_event(event="end", data_str="{}")
        else:
            yield format_sse_event(event="problem", data_str=log.end.body().decode())
    finally:
        unsubscribe()
