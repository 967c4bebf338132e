"""A log of events as a server-sent event stream, from any event on."""

from collections.abc import AsyncIterator, Callable

from fastapi.sse import EventSourceResponse, format_sse_event
from starlette.requests import Request

from app.compute.streams import EventLog, EventStreams
from app.errors import Problem

UNKEPT = {"cache-control": "no-store", "x-accel-buffering": "no"}
"""No browser keeps a stream, and no proxy holds it back."""


def wants_events(request: Request) -> bool:
    return request.method != "HEAD" and "text/event-stream" in request.headers.get("accept", "")


async def event_response(
    request: Request, streams: EventStreams, word: str, question: dict
) -> EventSourceResponse:
    """Begins once the first event is there, so that a refusal still has its own status."""
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
    """The index after the event that the client has seen last; 0 if it names no event."""
    is_index = last_event_id.isascii() and last_event_id.isdecimal() and len(last_event_id) < 7
    return int(last_event_id) + 1 if is_index else 0


async def framed(
    log: EventLog, position: int, unsubscribe: Callable[[], None]
) -> AsyncIterator[bytes]:
    """The events from `position` on in the form of the standard, then one that says how it
    ended.
    """
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
