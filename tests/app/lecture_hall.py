"""A hall full of students for tests: light clients that follow a room as a page does, each with the
cookie of a browser of its own, all at one address.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

Stage = tuple[int, int]
"""A scene, and how far its question is: a lecture goes on in this order."""


async def request(
    port: int, method: str, path: str, body: dict | None = None, **headers: str
) -> tuple[dict[str, str], bytes]:
    """One request on a connection of its own; the head and the body of its answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        await send(writer, port, method, path, body, connection="close", **headers)
        whole = await reader.read()
    finally:
        writer.close()
    head, _, content = whole.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0].split()[1] == "200", whole.decode()
    return dict(line.split(": ", 1) for line in lines[1:]), content


async def send(
    writer: asyncio.StreamWriter, port: int, method: str, path: str, body: Any, **headers: str
) -> None:
    sent = b"" if body is None else json.dumps(body).encode()
    named = {"host": f"127.0.0.1:{port}", "content-length": str(len(sent)), **headers}
    if sent:
        named["content-type"] = "application/json"
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {one}" for name, one in named.items())]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + sent)
    await writer.drain()


@dataclass
class Student:
    """Follows a room, connects again where the stream is cut, and notes when each stage came."""

    port: int
    code: str
    cookie: str = ""
    state: dict[str, Any] = field(default_factory=dict)
    came: dict[Stage, float] = field(default_factory=dict)

    @property
    def stage(self) -> Stage:
        return self.state.get("scene", -2), self.state.get("phase", 0)

    async def enter(self) -> None:
        head, _ = await request(self.port, "GET", f"/room/{self.code}")
        self.cookie = head["set-cookie"].partition(";")[0]

    async def follow(self) -> None:
        while True:
            with suppress(OSError):
                await self.follow_once()
            await asyncio.sleep(0.05)

    async def follow_once(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        path = f"/api/v1/rooms?code={self.code}"
        try:
            await send(writer, self.port, "GET", path, None, accept="text/event-stream")
            async for line in reader:
                if line.startswith(b"data: {"):
                    self.state = json.loads(line[6:]) or self.state
                    self.came.setdefault(self.stage, time.perf_counter())
        finally:
            writer.close()

    async def vote(self, **choice: object) -> dict[str, Any]:
        body = {"code": self.code, **choice}
        _, said = await request(self.port, "POST", "/api/v1/room-votes", body, cookie=self.cookie)
        return json.loads(said)


@dataclass
class Lecturer:
    """Opens a room and leads it; notes when it went on to each stage."""

    port: int
    talk: str
    code: str = ""
    token: str = ""
    went: dict[Stage, float] = field(default_factory=dict)

    async def open(self) -> None:
        _, said = await request(self.port, "POST", "/api/v1/rooms", {"talk": self.talk})
        answer = json.loads(said)
        self.code, self.token = answer["room"]["code"], answer["token"]

    async def lead(self, **changes: object) -> dict[str, Any]:
        body = {"code": self.code, "token": self.token, **changes}
        _, said = await request(self.port, "POST", "/api/v1/rooms", body)
        return json.loads(said)["room"]

    async def step(self) -> dict[str, Any]:
        begun = time.perf_counter()
        state = await self.lead(step=1)
        self.went[state["scene"], state["phase"]] = begun
        return state


@asynccontextmanager
async def hall(lecturer: Lecturer, many: int) -> AsyncIterator[list[Student]]:
    """A room with so many students, who follow it until the end."""
    await lecturer.open()
    students = [Student(lecturer.port, lecturer.code) for _ in range(many)]
    for at in range(0, many, 20):
        await asyncio.gather(*(one.enter() for one in students[at : at + 20]))
    following = [asyncio.create_task(one.follow()) for one in students]
    try:
        await until(lambda: all(one.state for one in students))
        yield students
    finally:
        for task in following:
            task.cancel()
        await asyncio.gather(*following, return_exceptions=True)


async def until(condition: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        await asyncio.sleep(0.01)


def delays(lecturer: Lecturer, students: list[Student]) -> list[float]:
    """For each step and each student the seconds until the student saw it, or one after it."""
    found = []
    for stage, went in lecturer.went.items():
        for one in students:
            later = [at for at, seen in one.came.items() if at >= stage]
            found.append(min(one.came[at] for at in later) - went)
    return sorted(found)
