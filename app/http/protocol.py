"""HTTP on one connection: uvicorn's protocol with deadlines for reading and writing, limits of
connections and of chunks, and one shape for what is not HTTP.
"""

import asyncio
import fcntl
import re
import sys
import termios
from collections import Counter
from typing import Any, NoReturn, cast

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from app.clients import network_of
from app.errors import Problem, busy
from app.http.security import RAW_HEADERS
from app.settings import Settings


class LingeringTransport:
    """A transport whose `close` waits for a client that is still sending.

    A socket that is closed while bytes arrive sends a reset, and the client may lose the answer
    that it has not read yet. So only our side is closed at first; what still arrives is thrown
    away, until the client closes its side or `seconds` are over.
    """

    def __init__(self, transport: asyncio.Transport, protocol: "Protocol", seconds: float):
        self.transport, self.protocol, self.seconds = transport, protocol, seconds
        self.lingering = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)

    def is_closing(self) -> bool:
        return self.lingering or self.transport.is_closing()

    def close(self) -> None:
        if self.is_closing():
            return
        sending = self.protocol.conn.their_state in (h11.SEND_BODY, h11.ERROR)
        if sending and self.transport.can_write_eof():
            self.lingering = True
            self.transport.write_eof()
            self.transport.resume_reading()
            self.protocol.loop.call_later(self.seconds, self.transport.abort)
        else:
            self.transport.close()


ABSOLUTE = re.compile(rb"https?://([^/?#]*)(.*)", re.IGNORECASE)


class Connection(h11.Connection):
    """What h11 knows of one connection, and the `problem` of what it reads and this server does
    not.

    At most `most` chunks of a body are read, because each costs the event loop as much as kilobytes
    do: a body of one-byte chunks would stop it.
    """

    def __init__(self, most: int, head_bytes: int):
        super().__init__(h11.SERVER, head_bytes)
        self.most, self.chunks = most, 0
        self.problem: Problem | None = None

    def next_event(self) -> Any:
        """Raises RemoteProtocolError for the first chunk too many, and for a head that says the
        length of its body in two ways: a proxy may have believed the other.
        """
        event = super().next_event()
        match event:
            case h11.Request(headers=headers):
                self.chunks = 0
                if {b"content-length", b"transfer-encoding"} <= {name for name, _ in headers}:
                    self.refuse(Problem("bad_request", "two-lengths"))
                return in_origin_form(event)
            case h11.Data(chunk_start=True):
                self.chunks += 1
                if self.chunks > self.most:
                    self.refuse(Problem("too_large", "too-many-chunks", most=self.most))
        return event

    def refuse(self, problem: Problem) -> NoReturn:
        self.problem = problem
        raise h11.RemoteProtocolError(problem.detail)


def in_origin_form(request: h11.Request) -> h11.Request:
    """The request with a path as its target. Where it is a whole address, its host stands for what
    the Host header says (RFC 9112, 3.2.2).
    """
    whole = ABSOLUTE.fullmatch(request.target)
    if whole is None:
        return request
    host, path = whole.groups()
    others = [(name, value) for name, value in request.headers if name != b"host"]
    return h11.Request(
        method=request.method,
        target=path if path.startswith(b"/") else b"/" + path,
        headers=[(b"host", host), *others],
        http_version=request.http_version,
    )


class Protocol(H11Protocol):
    """One connection. It is idle, receives a head or a body, computes, or sends its answer.

    Each of these states but the computing has a deadline. `clients` counts the connections of each
    address, over all protocols. Requests carry their connection in their state, so that a response
    may say that it `sends_large`: then the client is held to a rate.
    """

    def __init__(self, *args: Any, settings: Settings, clients: Counter[str], **named: Any):
        super().__init__(*args, **named)
        self.settings, self.clients = settings, clients
        self.conn: Connection = Connection(settings.chunks, settings.head_bytes)
        self.deadline: asyncio.TimerHandle | None = None
        self.awaiting = ""
        self.writing: asyncio.TimerHandle | None = None
        self.waited, self.taken = 0.0, 0
        self.sends_large = False
        self.app_state = {**self.app_state, "connection": self}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # Any byte that this system has not taken pauses the answer, and its clock begins.
        transport.set_write_buffer_limits(high=0)
        # It has every method of a transport, by delegation.
        lingering = LingeringTransport(transport, self, self.settings.body_seconds)
        self.transport = cast(asyncio.Transport, lingering)
        host = self.client[0] if self.client else ""
        self.peer = host if host in self.settings.proxies else network_of(host)
        self.clients[self.peer] += 1
        if problem := self.one_too_many():
            self.connections.discard(self)  # it takes nobody's place until it is closed
            self.refuse(problem)
        else:
            self.arm()

    def one_too_many(self) -> Problem | None:
        """Why there are too many connections with this one; None where there are not."""
        settings = self.settings
        client_connections = 0 if self.peer in settings.proxies else self.clients[self.peer]
        reserve = settings.connections // 5 if client_connections > settings.few_connections else 0
        if client_connections > settings.connections_per_client:
            return busy("connections-of-your-address", 5, n=settings.connections_per_client)
        if len(self.connections) > settings.connections - reserve:
            return busy("connections-open", 5, n=settings.connections - reserve)
        return None

    def connection_lost(self, exc: Exception | None) -> None:
        self.disarm()
        self.stop_writing_clock()
        self.clients[self.peer] -= 1
        if not self.clients[self.peer]:
            del self.clients[self.peer]
        super().connection_lost(exc)

    def _should_upgrade(self) -> bool:
        """No protocol but HTTP is spoken, and a client that proposes one may go on without it."""
        return False

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        self.arm()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.arm()

    def pause_writing(self) -> None:
        super().pause_writing()
        if not self.sends_large:
            self.waited, self.taken = 0.0, 0
        self.since, self.untaken = self.loop.time(), self.bytes_untaken()
        self.watch_writing()

    def resume_writing(self) -> None:
        self.count_taken()
        self.stop_writing_clock()
        super().resume_writing()

    def watch_writing(self) -> None:
        """Looks again when the client has been waited for `write_seconds`, for a large answer in
        several pauses. One that has taken nothing by then, or too little of that, is cut off.
        """
        seconds = self.settings.write_seconds - self.waited
        self.writing = self.loop.call_later(seconds, self.check_writing)

    def check_writing(self) -> None:
        self.count_taken()
        rate = self.settings.sending_rate if self.sends_large else 0
        if self.taken and self.taken >= rate * self.waited:
            self.waited, self.taken = 0.0, 0
            self.watch_writing()
        else:
            self.transport.abort()

    def count_taken(self) -> None:
        now, untaken = self.loop.time(), self.bytes_untaken()
        self.waited += now - self.since
        self.taken += self.untaken - untaken
        self.since, self.untaken = now, untaken

    def bytes_untaken(self) -> int:
        """Returns the bytes that the client's system has not acknowledged. Some are here, others in
        the buffer of this system.
        """
        connection = self.transport.get_extra_info("socket")
        in_system = fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4))
        return self.transport.get_write_buffer_size() + int.from_bytes(in_system, sys.byteorder)

    def stop_writing_clock(self) -> None:
        if self.writing is not None:
            self.writing.cancel()
            self.writing = None

    def arm(self) -> None:
        """Sets the deadline of what is being received. More bytes of the same do not move it."""
        state = self.conn.their_state
        awaiting = {h11.IDLE: "head", h11.SEND_BODY: "body"}.get(state, "")
        if awaiting == "head" and self.timeout_keep_alive_task is not None:
            awaiting = ""  # idle after an answer: uvicorn closes it in its own time
        if awaiting == self.awaiting:
            return
        self.disarm()
        self.awaiting = awaiting
        if awaiting:
            head, body = self.settings.header_seconds, self.settings.body_seconds
            seconds = head if awaiting == "head" else body
            self.deadline = self.loop.call_later(seconds, self.late, awaiting, seconds)

    def disarm(self) -> None:
        self.awaiting = ""
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def late(self, awaiting: str, seconds: float) -> None:
        if self.transport.is_closing():
            return
        problem = Problem("slow", "request-too-slow", part=awaiting, seconds=seconds)
        self.refuse_or_close(problem)

    def refuse_or_close(self, problem: Problem) -> None:
        """Sends a problem, or only closes the connection where an answer has begun already."""
        cycle = self.cycle
        answering = cycle and cycle.response_started and not cycle.response_complete
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE) and not answering:
            self.refuse(problem)
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Answers bytes that h11 or this server does not read, or a head over its limit."""
        held = len(self.conn.trailing_data[0])
        if self.conn.problem is not None:
            self.refuse_or_close(self.conn.problem)
        elif held >= self.settings.head_bytes:
            self.refuse(Problem("head_too_large", "head-too-large", most=self.settings.head_bytes))
        else:
            self.refuse(Problem("bad_request", "no-request-of-http"))

    def refuse(self, problem: Problem) -> None:
        """Sends a problem without asking the application, and closes the connection."""
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
        status = b"HTTP/1.1 %d %s" % (problem.status, STATUS_PHRASES[problem.status])
        lines = [status, *(name + b": " + value for name, value in headers)]
        self.transport.write(b"\r\n".join(lines) + b"\r\n\r\n" + body)
        self.transport.close()
