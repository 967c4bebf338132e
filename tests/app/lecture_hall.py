"""A hall full of students for tests: light clients that follow a room as a page does, each with the
cookie of a browser of its own, all at one address.
"""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.lecture.records import UNCOVERED
from app.lecture.talks import talk_of
from tests.app import serving
from tests.app.serving import ROOT

FAKES, REAL = "tests.app.fake_analyses", "model.analyses"
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
    lines = [
        f"{method} {path} HTTP/1.1",
        *(f"{name}: {content}" for name, content in named.items()),
    ]
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
            headers = {"accept": "text/event-stream", "cookie": self.cookie}
            await send(writer, self.port, "GET", path, None, connection="close", **headers)
            async for line in reader:
                if line.startswith(b"data: {"):
                    self.state = json.loads(line[6:]) or self.state
                    self.came.setdefault(self.stage, time.perf_counter())
        finally:
            writer.close()

    async def vote(self, **choice: object) -> dict[str, Any]:
        body = {"code": self.code, **choice}
        _, reply = await request(self.port, "POST", "/api/v1/room-votes", body, cookie=self.cookie)
        return json.loads(reply)


@dataclass
class Lecturer:
    """Opens a room and leads it; notes when it went on to each stage."""

    port: int
    talk: str
    code: str = ""
    token: str = ""
    went: dict[Stage, float] = field(default_factory=dict)
    phones = 0
    """How many others follow, who all vote for choice 0."""

    async def open(self) -> None:
        _, reply = await request(self.port, "POST", "/api/v1/rooms", {"talk": self.talk})
        answer = json.loads(reply)
        self.code, self.token = answer["room"]["code"], answer["token"]

    async def lead(self, **changes: object) -> dict[str, Any]:
        body = {"code": self.code, "token": self.token, **changes}
        _, reply = await request(self.port, "POST", "/api/v1/rooms", body)
        return json.loads(reply)["room"]

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
        await asyncio.gather(*(student.enter() for student in students[at : at + 20]))
    following = [asyncio.create_task(student.follow()) for student in students]
    try:
        await until(lambda: all(student.state for student in students))
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
        for student in students:
            later = [at for at, arrival in student.came.items() if at >= stage]
            found.append(min(student.came[at] for at in later) - went)
    return sorted(found)


class Server:
    """A server that is killed and started again at the same address; with the fakes its worker has
    nothing to load.
    """

    def __init__(self, folder: Path, analyses: str = FAKES, **limits: object):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.analyses = analyses
        self.address = f"http://127.0.0.1:{self.port}{limits.get('root_path', '')}"
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "VITRINE_OPENINGS": "false",
            "VITRINE_RUNS": str(folder / "runs"),
            "VITRINE_TEST_PORT": str(self.port),
            **{f"VITRINE_{name.upper()}": str(value) for name, value in limits.items()},
        }
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, serving.__file__, self.analyses],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout.readline()

    def stop(self, how: int = signal.SIGTERM) -> None:
        self.process.send_signal(how)
        self.process.wait(60)
        self.process.stdout.close()


async def give(server: Any, lecturer: Lecturer, many: int, pause: float) -> list[float]:
    """Gives a whole talk to so many students, a step every `pause` seconds, and kills a server that
    can be started again in the middle, as soon as the votes are answered; returns how late each
    step was seen by each.
    """
    scenes = len(talk_of(lecturer.talk).scene)
    async with hall(lecturer, many) as students:
        counted = []
        half = scenes // 2 if isinstance(server, Server) else 0
        while True:
            begun = time.monotonic()
            state = await lecturer.step()
            if state["phase"] < UNCOVERED:
                votes = await asyncio.gather(*(student.vote(choice=0) for student in students[::2]))
                votes += await asyncio.gather(
                    *(student.vote(choice=1) for student in students[::4])
                )
                assert {vote["choice"] for vote in votes} == {0, 1}
            elif state["asks"]:
                counted.append(state["votes"])
            if half and state["scene"] >= half and state["phase"] < UNCOVERED:
                half = 0
                server.stop(signal.SIGKILL)
                server.start()
                await until_followed(lecturer, many + lecturer.phones)
            if state["scene"] == scenes - 1 and state["phase"] == UNCOVERED:
                break
            await asyncio.sleep(pause - (time.monotonic() - begun))
        last = state["scene"], state["phase"]
        await until(lambda: all(student.stage == last for student in students))
        quarter = len(students[::4])
        rest = len(students[::2]) - quarter + lecturer.phones
        for before, after in counted:
            assert before[:2] == after[:2] == [rest, quarter], "each device once, none lost"
        return delays(lecturer, students)


async def until_followed(lecturer: Lecturer, many: int, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while (followers := (await lecturer.lead())["followers"]) < many:
        assert time.monotonic() < end, f"only {followers} follow"
        await asyncio.sleep(0.05)
