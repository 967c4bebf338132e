"""Documents as they are sent: compressed once, in slices, and not to clients that have them."""

import asyncio
import gzip
import hashlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace

import brotli
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.clients import network_of
from app.errors import Problem, busy

SLICE = 65_536
SHORT = 1_000  # bytes; a shorter document is not worth compressing

LARGE = 1_000_000  # bytes


def brotli_soon(content: bytes) -> bytes:
    """A page of 60 kB takes about a millisecond. A large answer is compressed less: at 5, one of
    24 MB takes longer than it is on its way.
    """
    return brotli.compress(content, quality=5 if len(content) < LARGE else 2)


# In the order of preference.
ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "br": brotli_soon,
    "gzip": lambda content: gzip.compress(content, compresslevel=6, mtime=0),
}


@dataclass(eq=False)
class Document:
    """Bytes, their media type, and a name for exactly these bytes.

    `variants` are the compressed forms, each made when it is first asked for. The name is a weak
    ETag, because the bytes on the way depend on the encoding. `in_flight` counts them there, if
    there is one.
    """

    body: bytes
    media_type: str
    etag: str = ""
    in_flight: "BytesInFlight | None" = None
    variants: dict[str, bytes] = field(default_factory=dict)
    making: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self.etag = self.etag or f'W/"{hashlib.sha256(self.body).hexdigest()[:24]}"'

    def __len__(self) -> int:
        return len(self.body) + sum(map(len, self.variants.values()))

    def encoding(self, header: str) -> str | None:
        """Chooses an encoding that an Accept-Encoding header allows. The result is None for a
        document that is too short to be worth compressing.
        """
        return accepted(header, ENCODINGS) if len(self.body) >= SHORT else None

    async def encoded(self, encoding: str | None) -> bytes:
        """The document in that encoding, compressed in a thread, beside the event loop."""
        if encoding is None:
            return self.body
        async with self.making:
            if encoding not in self.variants:
                self.variants[encoding] = await asyncio.to_thread(ENCODINGS[encoding], self.body)
        return self.variants[encoding]


def accepted(header: str, offered: Iterable[str]) -> str | None:
    """Returns the first of the offered encodings that an Accept-Encoding header allows. A weight of
    q=0 forbids one.
    """
    parts = [part.replace(" ", "").partition(";") for part in header.lower().split(",")]
    taken = {name for name, _, weight in parts if weight not in ("q=0", "q=0.0")}
    return next((name for name in offered if name in taken), None)


class BytesInFlight:
    """Counts the bytes of large answers that are on their way to clients, up to a limit for all and
    one for each address.
    """

    def __init__(self, limit: int, limit_per_client: int):
        self.limit, self.limit_per_client = limit, limit_per_client
        self.bytes, self.of_client = 0, Counter[str]()

    @contextmanager
    def counted(self, scope: Scope, size: int) -> Generator[None]:
        """Counts one answer until it is sent or its client is gone, and holds the client to the
        least rate meanwhile; raises Problem where there is no room. Where nothing is on its way, an
        answer of any size may be.
        """
        client = network_of(scope["client"][0]) if scope.get("client") else ""
        if (pending := self.of_client[client]) and pending + size > self.limit_per_client:
            headers = {"Retry-After": "2"}
            raise Problem("too_many", "too-much-on-its-way-to-you", headers=headers, bytes=pending)
        if self.bytes and self.bytes + size > self.limit:
            raise busy("too-much-on-its-way", 2)
        connection = scope.get("state", {}).get("connection", SimpleNamespace())
        self.count(client, size)
        connection.sends_large = True
        try:
            yield
        finally:
            connection.sends_large = False
            self.count(client, -size)

    def count(self, client: str, size: int) -> None:
        self.bytes += size
        self.of_client[client] += size
        if not self.of_client[client]:
            del self.of_client[client]


class SlicedResponse(Response):
    """A response that sends its body in slices. It waits for the client after each slice, so that
    the rest is never copied into a buffer.

    `in_flight` counts the body until it is sent or the client is gone.
    """

    in_flight: BytesInFlight | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if len(self.body) <= SLICE:
            await super().__call__(scope, receive, send)
        elif self.in_flight is None:
            await self.send_slices(send)
        else:
            with self.in_flight.counted(scope, len(self.body)):
                await self.send_slices(send)

    async def send_slices(self, send: Send) -> None:
        start = {"status": self.status_code, "headers": self.raw_headers}
        await send({"type": "http.response.start", **start})
        body = memoryview(self.body)
        for begin in range(0, len(body), SLICE):
            more = begin + SLICE < len(body)
            piece = bytes(body[begin : begin + SLICE])
            await send({"type": "http.response.body", "body": piece, "more_body": more})


async def conditional(
    request: Request,
    document: Document,
    headers: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    """The document in an encoding that the client accepts, or 304 if the client has it."""
    named = {"etag": document.etag, "cache-control": "no-cache", **(headers or {})}
    varies = [named.get("vary"), "Accept-Encoding, Accept-Language, Cookie"]
    named["vary"] = ", ".join(filter(None, varies))
    known = [tag.strip() for tag in request.headers.get("if-none-match", "").split(",")]
    if status == 200 and request.method != "POST" and document.etag in known:
        return Response(status_code=304, headers=named)
    encoding = document.encoding(request.headers.get("accept-encoding", ""))
    if encoding is not None:
        named["content-encoding"] = encoding
    body = await document.encoded(encoding)
    response = SlicedResponse(body, status, named, document.media_type)
    response.in_flight = document.in_flight
    return response
