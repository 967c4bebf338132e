"""HTTP on one connection: uvicorn's protocol with deadlines for the head and the body of a request, and one shape for what is not HTTP."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from app.errors import Problem
from app.security import RAW_HEADERS
from app.settings import Settings


class Protocol(H11Protocol):
    """A connection is idle, sending a head, sending a body or waiting for its answer; each of the first three has its time."""

    def __init__(self, *args: Any, settings: Settings, **named: Any):
        super().__init__(*args, **named)
        self.settings = settings
        self.deadline: asyncio.TimerHandle | None = None
        self.awaiting = ""

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        if len(self.connections) > self.settings.connections:
            problem = Problem("busy", f"There are {self.settings.connections} connections open already.", headers={"Retry-After": "5"})
            self.refuse(problem)
        else:
            self.arm()

    def connection_lost(self, exc: Exception | None) -> None:
        self.disarm()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self.arm()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.arm()

    def arm(self) -> None:
        """Sets the deadline of what is being waited for; more bytes of the same do not move it."""
        state = self.conn.their_state
        awaiting = {h11.IDLE: "head", h11.SEND_BODY: "body"}.get(state, "")
        if awaiting == "head" and self.timeout_keep_alive_task is not None:
            awaiting = ""  # idle after an answer: uvicorn closes it in its own time
        if awaiting == self.awaiting:
            return
        self.disarm()
        self.awaiting = awaiting
        if awaiting:
            seconds = self.settings.header_seconds if awaiting == "head" else self.settings.body_seconds
            self.deadline = self.loop.call_later(seconds, self.late, awaiting, seconds)

    def disarm(self) -> None:
        self.awaiting = ""
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def late(self, awaiting: str, seconds: float) -> None:
        if self.transport.is_closing():
            return
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE) and not (self.cycle and self.cycle.response_started and awaiting == "body"):
            self.refuse(Problem("slow", f"The {awaiting} of the request did not arrive within {seconds:g} s."))
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """What h11 could not read, or a head over its limit."""
        held = len(self.conn.trailing_data[0])
        if held >= self.settings.head_bytes:
            self.refuse(Problem("head_too_large", f"The address and headers may have {self.settings.head_bytes} bytes together."))
        else:
            self.refuse(Problem("bad_request", "The bytes received are not an HTTP request."))

    def refuse(self, problem: Problem) -> None:
        """Answers outside the application, and closes."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        body = problem.body()
        headers = [
            (b"content-type", b"application/problem+json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            *[(name.lower().encode(), value.encode()) for name, value in problem.headers.items()],
            *RAW_HEADERS,
        ]
        reason = STATUS_PHRASES[problem.status]
        lines = [b"HTTP/1.1 %d %s" % (problem.status, reason), *(name + b": " + value for name, value in headers)]
        self.transport.write(b"\r\n".join(lines) + b"\r\n\r\n" + body)
        self.transport.close()
