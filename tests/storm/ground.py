"""Where scenarios take place: servers of their own in a folder of their own, and one server that
never sees a storm, to compare with.
"""

import asyncio
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path

from tests.app.serving import ROOT, Running, running, wait_for
from tests.storm.client import Answer, Connection, Request
from tests.storm.report import processor_ticks

FAKES, REAL = "tests.app.fake_analyses", "model.analyses"
HOOKS = Path(__file__).parent / "hooks"
WARM_UP = 240.0  # seconds, on a machine that has much else to do


class QuietServer:
    """A quiet server that is asked one request at a time."""

    def __init__(self, server: Running):
        self.server = server

    def body(self, request: Request) -> bytes:
        """Of the answer; a question that takes long is asked again until it has one."""
        while (answer := fetch(self.server, request)).status in (503, 504):
            time.sleep(1)
        return answer.body


def fetch(server: Running, request: Request) -> Answer:
    """One request on a connection of its own."""

    async def ask() -> Answer:
        connection = Connection(server.port, source="127.0.0.8")
        answer = await connection.ask(request, 60)
        connection.close()
        return answer

    return asyncio.run(ask())


def rests(server: Running) -> bool:
    """Whether a worker that loads all models ahead has done so: it uses less than a tenth of a
    core.
    """
    worker = server.worker()
    before = processor_ticks()[worker]
    time.sleep(0.5)
    return processor_ticks()[worker] - before < os.sysconf("SC_CLK_TCK") / 20


class Ground:
    """Hands out servers; everything begun ends with `close`."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.numbers = count()
        self.servers: dict[str, Running] = {}
        self.stack = ExitStack()

    def new_folder(self) -> Path:
        folder = self.folder / str(next(self.numbers))
        folder.mkdir()
        return folder

    @contextmanager
    def server(
        self,
        analyses: str = FAKES,
        hooks: Mapping[str, str] | None = None,
        folder: Path | None = None,
        **limits: object,
    ) -> Iterator[Running]:
        """A server that is ready. `hooks` are variables for `hooks/sitecustomize.py`."""
        folder = folder or self.new_folder()
        environment = {"PYTHONPATH": f"{HOOKS}:{ROOT}", **hooks} if hooks else {}
        limits = {"warm_up_seconds": WARM_UP, "runs": folder / "runs", **limits}
        with running(folder, analyses, environment, patient=False, **limits) as server:
            yield server.until_ready(WARM_UP)

    def shared(self, analyses: str = REAL) -> Running:
        """A server for scenarios that leave it as it was."""
        return self.keep(f"shared {analyses}", analyses)

    def quiet(self, analyses: str = FAKES) -> QuietServer:
        return QuietServer(self.keep(f"alone {analyses}", analyses))

    def keep(self, name: str, analyses: str) -> Running:
        if name not in self.servers:
            server = self.servers[name] = self.stack.enter_context(self.server(analyses))
            wait_for(lambda: rests(server), WARM_UP)
        return self.servers[name]

    def close(self) -> None:
        self.stack.close()
