"""From a question to its response: an event stream, an answer that is kept, or a new one."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from functools import partial
from inspect import isawaitable
from typing import TypeVar

from fastapi.sse import EventSourceResponse
from starlette.requests import Request
from starlette.responses import Response

from app.api.cost import check_cost, quicker
from app.api.endpoint import Endpoint
from app.api.event_streams import UNKEPT, event_response, wants_events
from app.compute.backend import Query
from app.compute.engine import Engine, Reply
from app.compute.representations import Numbers, Representation
from app.compute.wire import dumps
from app.errors import Problem, busy, error
from app.responses import Document, conditional
from app.schema.questions import Question
from app.site.services import Services

T = TypeVar("T")


async def respond(
    request: Request,
    services: Services,
    endpoint: Endpoint,
    question: Question,
    form: Representation | None = None,
    **in_path: str,
) -> Response:
    """The response to `question` and what its path says, as numbers or in another form; raises
    Problem.
    """
    form = form or Numbers(question.encoding)
    arguments = {**in_path, **question.arguments()}
    if endpoint.local is not None:
        check_cost(question, services.settings.work_seconds, slowness=services.engine.slowness)
        if endpoint.followed is not None and wants_events(request):
            told = endpoint.followed(services, question, request.state.client)
            # It is counted from its first event on, before anybody else is admitted.
            first = await anext(told, b"")  # none where the server stops
            return EventSourceResponse(with_first(first, told), headers=UNKEPT)
        answer = endpoint.local(services, question, request.state.client)
        if isawaitable(answer):
            answer = await while_connected(request, answer)
        asked = {"question": {**arguments, "encoding": question.encoding}}
        document = Document(dumps({**asked, **answer}), "application/json")
        return await conditional(request, document, {"cache-control": "no-store"})
    training = endpoint.trains and wants_events(request)  # it has a process of its own
    if not training:
        check_cost_unless_kept(services, endpoint, question)
    if wants_events(request):
        return await events(request, services, endpoint, question, arguments, form)
    reply, headers = await answered(
        request, services.engine, endpoint.name, question, form, arguments
    )
    return await conditional(request, reply, headers)


async def with_first(first: bytes, rest: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """The events of a stream whose first is there already; it ends with whoever reads them."""
    async with aclosing(rest):
        yield first
        async for event in rest:
            yield event


def check_cost_unless_kept(services: Services, endpoint: Endpoint, question: Question) -> None:
    """Raises Problem for a question that costs too much. A training that is kept costs nothing."""
    settings = services.settings
    most = settings.work_seconds + (settings.reading_seconds if question.reads_long else 0)
    if not (endpoint.trains and services.trainings.kept(question.arguments())):
        check_cost(question, most, services.engine.slowness, trains=endpoint.trains)


async def answered(
    request: Request,
    engine: Engine,
    word: str,
    question: Question,
    form: Representation,
    arguments: dict,
) -> tuple[Reply, dict[str, str]]:
    """The answer of a word in that form, kept or new, and the headers it is sent with; raises
    Problem.
    """
    begun = time.perf_counter()
    query = Query(word, arguments, form, question.repeatable)
    accepted = request.headers.get("accept-encoding", "")
    try:
        waiting = partial(while_connected, request)
        reply, kept = await engine.reply(query, accepted, waiting, request.state.client)
    except Problem as problem:
        raise with_hints(problem, question) from None
    total = time.perf_counter() - begun
    headers = {"vary": "Accept", "server-timing": server_timing(reply, kept, total)}
    if not question.repeatable:
        headers["cache-control"] = "no-store"
    return reply, headers


def server_timing(reply: Reply, kept: bool, total: float) -> str:
    """Milliseconds: `compute` of the worker, whenever it was; `total` of this request."""
    cache = 'cache;desc="kept", ' if kept else ""
    return f"{cache}compute;dur={1_000 * reply.seconds:.1f}, total;dur={1_000 * total:.1f}"


def with_hints(problem: Problem, question: Question) -> Problem:
    """The problem with an entry for each field that makes the answer quicker or smaller."""
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
    """An event stream: steps of the answer, steps of a training, or how far the answer is."""
    asked = (endpoint.name, arguments)
    if endpoint.trains:
        if request.method != "POST" and not services.trainings.begun(*asked):
            raise Problem("unknown", "training-not-begun")
        return await event_response(request, services.trainings, *asked)
    if endpoint.streams and isinstance(form, Numbers):
        return await event_response(request, services.steps, *asked)
    followed = {**arguments, "form": form, "store": question.repeatable}
    return await event_response(request, services.progress, endpoint.name, followed)


async def while_connected(request: Request, answer: Awaitable[T]) -> T:
    """The answer; a client that goes away in the meantime takes its question back."""
    asking = asyncio.ensure_future(answer)
    leaving = asyncio.ensure_future(until_disconnected(request))
    try:
        await asyncio.wait({asking, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            raise busy("client-has-left", 1)  # nobody reads this
        return asking.result()
    finally:
        leaving.cancel()
        asking.cancel()


async def until_disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
