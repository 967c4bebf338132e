"""Which files a request for figures passes through, in the order in which it first does, with their
lines and calls: what somebody opens who wants to know how a figure comes about.

    python -m tests.passes /attention
    python -m tests.passes /logits '{"source": "the dogs sleep ."}' '{"source": "a cat sleeps ."}'

The first question is there so that all is loaded, and the second, which is counted, is new. The
server and its worker, which is a thread here, are in this process.
"""

import asyncio
import json
import socket
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import httpx2
import uvicorn

from app.compute import supervisor
from app.http.application import create_app
from app.http.protocol import Protocol
from app.settings import Settings

ROOT = f"{Path(__file__).resolve().parents[1]}/"
HOUSE = (f"{ROOT}app/", f"{ROOT}model/")
NETWORK = ("model/layers/", "model/transformer.py", "model/config.py", "model/trace.py")
QUESTIONS = ('{"source": "the dogs sleep ."}', '{"source": "a small cat ate the old fish ."}')


class Passes:
    """The calls of each file of the house, in the web process and in its worker, while `on`."""

    def __init__(self) -> None:
        self.calls: dict[str, Counter[str]] = defaultdict(Counter)
        self.on = False

    def profile(self, frame: FrameType, event: str, _: object) -> None:
        if self.on and event == "call" and frame.f_code.co_filename.startswith(HOUSE):
            thread = threading.current_thread()
            is_web = thread is threading.main_thread() or thread.name.startswith("asyncio")
            path = frame.f_code.co_filename.removeprefix(ROOT)
            self.calls["web process" if is_web else "worker"][path] += 1


class ThreadPool(ThreadPoolExecutor):
    """One thread in the place of the process that holds torch."""

    active, schedule = True, lambda self, function, args: self.submit(function, *args)
    stop, join = ThreadPoolExecutor.shutdown, ThreadPoolExecutor.shutdown

    def __init__(self, initializer: Any, initargs: tuple, **_: object):
        super().__init__(1, initializer=initializer, initargs=initargs)


async def ask(word: str, questions: Sequence[str], passes: Passes) -> None:
    """Asks for figures of a word, and counts what every question but the first passes through."""
    settings = Settings(openings=False, engine="embedded")
    app = create_app(settings)
    protocol: Any = partial(Protocol, settings=settings, clients=Counter())
    server = uvicorn.Server(uvicorn.Config(app, http=protocol, ws="none", log_level="warning"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = asyncio.create_task(server.serve([listener]))
        while app.state.services.engine.backend.state != "ready":
            await asyncio.sleep(0.1)
        address = "http://127.0.0.1:{1}/api/v1/".format(*listener.getsockname())
        async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
            for passes.on, question in enumerate(questions):
                answer = await client.post(f"{word}/figures", json=json.loads(question))
                answer.raise_for_status()
        passes.on = False
        server.should_exit = True
        await serving


def main(word: str, *questions: str) -> None:
    async def forks(forking: object) -> None: ...

    passes = Passes()
    supervisor.ProcessPool, supervisor.Forking.until_it_forks = ThreadPool, forks
    threading.setprofile(passes.profile)
    sys.setprofile(passes.profile)
    asyncio.run(ask(word.strip("/"), questions or QUESTIONS, passes))
    sys.setprofile(None)
    for process, files in passes.calls.items():
        print(f"\n{process}: {len(files)} files, {files.total()} calls")
        for path, calls in files.items():
            lines = Path(ROOT, path).read_bytes().count(b"\n")
            print(f"{lines:5} lines {calls:6} calls  {path}")
    passed = {path for files in passes.calls.values() for path in files}
    network = sum(path.startswith(NETWORK) for path in passed)
    print(f"\n{len(passed)} files together, {network} of them the network's")


if __name__ == "__main__":
    main(*sys.argv[1:])
