"""A server of its own for tests: a process, its address, and a client that audits the headers of
every answer.
"""

import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import httpx2

ROOT = Path(__file__).resolve().parents[2]
Found = TypeVar("Found")
PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Nothing is encrypted on one machine, and a client that reads the authorities takes 50 ms."""
ENGINE = os.environ.get("VITRINE_TEST_ENGINE", "embedded")
"""Of servers that are told no other: `make cluster` runs tests of one machine with a cluster."""
OF_THE_HOUSE = "tests.app.cached_analyses"
"""What the server answers with that browsers visit, where they count what they load."""
TALKS = ROOT / "tests" / "browser" / "talks"
"""It lists these beside the shipped ones: a lecture that is given needs no server of its own."""
PATIENT = {
    "deadline_seconds": 300,
    "hard_seconds": 600,
    "patience_seconds": 300,
    "computations": 64,
    "computations_per_client": 64,
    "questions_per_client": 1_000,
    "warm_up_seconds": 600,
    "silence_seconds": 120,
    "header_seconds": 120,
    "body_seconds": 120,
    "keep_alive_seconds": 120,
    "write_seconds": 120,
}
"""Limits of a server whose tests are not about them: how soon an answer comes is measured in
benchmarks, and the machine of the tests may have much else to do.
"""
POLICY = (
    "default-src 'none'; script-src 'self'; frame-src 'self'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'self'"
)


def audit(response: httpx2.Response) -> None:
    """What must be true of every response, whatever it says."""
    headers = response.headers
    part = headers.get("content-type", "").startswith(("text/javascript", "text/css"))
    assert headers.get_list("content-security-policy") == ([] if part else [POLICY]), response.url
    assert headers.get("x-frame-options") == (None if part else "SAMEORIGIN")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert not [name for name in headers if name.startswith("access-control-")]
    assert "server" not in headers
    assert response.status_code != 200 or "cache-control" in headers, response.url


class Process(Protocol):
    pid: int


class Running:
    """A server process and ways to speak with it."""

    def __init__(self, process: Process, address: str, calls: Path):
        self.process, self.address, self.calls = process, address, calls
        self.port = int(address.rpartition(":")[2])

    def client(self, **options: object) -> httpx2.Client:
        """A client that takes nothing compressed, which would cost more than it says; a test of
        what is compressed asks for it.
        """
        return httpx2.Client(
            base_url=self.address,
            timeout=400,
            headers={"accept-encoding": "identity"},
            event_hooks={"response": [audit]},
            verify=PLAIN,
            **options,
        )

    def socket(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=120)

    def until_ready(self, seconds: float = 600) -> "Running":
        with self.client() as client:
            wait_for(lambda: client.get("/readyz").status_code == 200, seconds)
        return self

    def begun(self, name: str) -> list[str]:
        """The analyses begun so far whose line holds `name`."""
        return (
            [line for line in self.calls.read_text().splitlines() if name in line]
            if self.calls.exists()
            else []
        )

    def worker(self) -> int:
        """The process id of the worker; one that has just been killed is waited for until it is
        replaced.
        """
        return wait_for(self.workers)[0]

    def workers(self) -> list[int]:
        """The processes that were forked from the one that has imported torch and have begun: their
        hearts beat in a thread. One without was forked only to see that it can be.
        """
        forked = [pid for nursery in self.nurseries() for pid in children_of(nursery)]
        return [pid for pid in forked if len(threads_of(pid)) > 1]

    def nurseries(self) -> list[int]:
        """The process that imports torch and that workers are forked from."""
        return self.children(b"multiprocessing.forkserver")

    def children(self, program: bytes) -> list[int]:
        """The processes that this one has begun, in any of its threads, and whose command line
        holds `program`.
        """
        children = children_of(self.process.pid)
        return [pid for pid in children if program in read(Path(f"/proc/{pid}/cmdline"))]


def children_of(pid: int) -> list[int]:
    threads = threads_of(pid)
    return [int(child) for thread in threads for child in read(thread / "children").split()]


def threads_of(pid: int) -> list[Path]:
    """None of a process that has ended."""
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except FileNotFoundError:
        return []


def read(path: Path) -> bytes:
    """Empty for a process or a thread that has ended."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def wait_for(condition: Callable[[], Found], seconds: float = 120) -> Found:
    """What the condition returns as soon as it holds."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)
    return found


@contextmanager
def running(
    folder: Path,
    analyses: str = "tests.app.fake_analyses",
    environment: Mapping[str, str] | None = None,
    patient: bool = True,
    **limits: object,
) -> Iterator[Running]:
    """A server with these limits, and with these variables in its environment; `folder` takes its
    log, its trainings and the list of what was begun. One that is not patient has the product's
    other limits.
    """
    calls = folder / "calls"
    limits = (PATIENT if patient else {}) | {"runs": folder / "runs"} | limits
    variables = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        # Ray warns of much of its own.
        "PYTHONWARNINGS": "default" if limits.get("engine", ENGINE) == "ray" else "error",
        "OMP_NUM_THREADS": "1",
        "VITRINE_TEST_CALLS": str(calls),
        "VITRINE_OPENINGS": "false",  # else a server would compute for a minute
        **{f"VITRINE_{name.upper()}": str(value) for name, value in limits.items()},
        **(environment or {}),
    }
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, __file__, analyses],
            cwd=ROOT,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            address = re.search(r"http://\S+", process.stdout.readline())
            assert address, (folder / "log").read_text()
            yield Running(process, address[0], calls)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(60)
            finally:
                process.kill()
                process.wait()
                process.stdout.close()


def compress_soon() -> None:
    """Compresses the small files as pages are, for servers whose files nobody weighs: as well as
    it can be done, it takes half a second at every start.
    """
    from app import responses
    from app.site import assets

    well, soon = assets.ENCODINGS["br"], responses.ENCODINGS["br"]
    assets.ENCODINGS["br"] = lambda content: (well if len(content) >= assets.LARGE else soon)(
        content
    )


def main() -> None:
    from app.http.server import serve
    from app.settings import Settings
    from app.startup import listen

    os.environ.setdefault("VITRINE_ENGINE", ENGINE)
    if sys.argv[1] != OF_THE_HOUSE:
        compress_soon()
    listener = listen("127.0.0.1", int(os.environ.get("VITRINE_TEST_PORT", "0")))
    port = listener.getsockname()[1]
    serve(
        Settings(port=port),
        listener,
        analyses=sys.argv[1],
        opened=lambda: print(f"http://127.0.0.1:{port}", flush=True),
    )


if __name__ == "__main__":
    main()
