"""A client that costs little and notices everything: one connection, one request after another,
every byte of the answer kept.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from app.settings import Settings

HOST = "127.0.0.1"
DEADLINE: float = Settings.model_fields["deadline_seconds"].default
MARGIN = 0.5  # seconds after its deadline that an answer may still come in
JSON = ("Content-Type", "application/json")


@dataclass(frozen=True)
class Request:
    path: str
    method: str = "GET"
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()

    def raw(self) -> bytes:
        named = {"Host": HOST, **dict(self.headers)}
        if self.body:
            named["Content-Length"] = str(len(self.body))
        head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        return f"{self.method} {self.path} HTTP/1.1\r\n{head}\r\n".encode() + self.body


@dataclass
class Answer:
    """What came back; `trouble` says why it is not a complete answer."""

    request: Request
    status: int = 0
    head: bytes = b""
    body: bytes = b""
    seconds: float = 0.0
    trouble: str = ""


@dataclass
class Connection:
    """A kept connection, opened when it is needed. Equal bodies are kept once."""

    port: int
    source: str = "127.0.0.1"
    bodies: dict[bytes, bytes] = field(default_factory=dict)
    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None

    async def ask(self, request: Request, within: float = DEADLINE) -> Answer:
        """The answer, or what is wrong with it after `within` seconds and a margin."""
        answer, begun = Answer(request), time.perf_counter()
        try:
            async with asyncio.timeout(within + MARGIN):
                await self.open()
                self.writer.write(request.raw())
                answer.head = await self.reader.readuntil(b"\r\n\r\n")
                answer.status = int(answer.head[9:12])
                body = await read_body(self.reader, request.method, answer)
                answer.body = self.bodies.setdefault(body, body)
        except TimeoutError:
            answer.trouble = "no whole answer in time"
        except asyncio.IncompleteReadError as cut:
            answer.trouble = "cut" if cut.partial or answer.head else "closed without an answer"
        except ConnectionError as error:
            answer.trouble = f"connection: {type(error).__name__}"
        answer.seconds = time.perf_counter() - begun
        if answer.trouble or b"\r\nconnection: close" in answer.head.lower():
            self.close()
        return answer

    async def open(self) -> None:
        if self.writer is None:
            address = {"local_addr": (self.source, 0)} if self.source != HOST else {}
            self.reader, self.writer = await asyncio.open_connection(HOST, self.port, **address)

    def close(self, *, reset: bool = False) -> None:
        if self.writer is not None:
            if reset:
                self.writer.transport.abort()
            self.writer.close()
            self.reader = self.writer = None


async def read_body(reader: asyncio.StreamReader, method: str, answer: Answer) -> bytes:
    headers = answer.head.lower()
    if method == "HEAD" or answer.status in (204, 304):
        return b""
    if b"\r\ntransfer-encoding: chunked" not in headers:
        length = headers.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0]
        return await reader.readexactly(int(length))
    body = bytearray()
    while size := int((await reader.readuntil(b"\r\n")).strip(), 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return bytes(body)


@asynccontextmanager
async def watched(port: int, pause: float = 0.05) -> AsyncIterator[list[Answer]]:
    """A client that asks for the health of the server all the time; gives its answers."""
    answers: list[Answer] = []
    connection = Connection(port, source="127.0.0.9")

    async def watch() -> None:
        while True:
            answers.append(await connection.ask(Request("/healthz"), 60))
            await asyncio.sleep(pause)

    watching = asyncio.ensure_future(watch())
    try:
        yield answers
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        connection.close()
