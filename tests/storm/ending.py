"""How the server stops, and what it says when it cannot start."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.app.serving import ROOT, Running
from tests.app.test_streams import EVENTS
from tests.storm.client import JSON, Answer, Connection, Request
from tests.storm.ground import HOOKS, Ground
from tests.storm.judge import Judge
from tests.storm.load import fake, load
from tests.storm.report import Report, Scenario

QUIET = 20


def sigterm(report: Report, ground: Ground) -> None:
    """Told to stop while it computes, streams, trains, and holds idle and slow connections."""
    with ground.server() as server:
        judge, streams, seconds = asyncio.run(stopping(server))
        code = server.process.wait(30)
        report.equal("exit code", code, 0)
        report.at_most("from the signal to the exit", seconds(), 8, " s")
        answered = sum(answer.status == 200 for answer in judge.answers)
        report.equal("questions under way that were answered", answered, len(judge.answers))
        ended = [b"event: problem" in answer.body for answer in streams]
        report.equal("streams closed with an event that says so", sum(ended), len(streams))
        judge.answers += streams
        judge.report(report)


async def stopping(server: Running) -> tuple[Judge, list[Answer], object]:
    judge = Judge(refusals=())
    training = json.dumps({"layers": 1, "seeds": 1, "steps": 400}).encode()
    events = tuple(EVENTS.items())
    requests = [
        Request(fake("sleep 0.3 under way")),
        Request(fake("sleep 0.3 next")),
        Request("/api/v1/limits"),
    ]
    followed = [
        Request("/api/v1/generate?model=m&source=sleep+0.2&max_new_tokens=64", headers=events),
        Request("/api/v1/attention?model=m&source=trials+0.1+1000", headers=events),
        Request("/api/v1/warmup", "POST", training, (JSON, *events)),
    ]
    held = [Connection(server.port) for _ in range(QUIET)]
    for number, connection in enumerate(held):
        await connection.open()
        connection.writer.write(b"GET /healthz HTTP" if number % 2 else b"")
    following = [asyncio.ensure_future(Connection(server.port).ask(r, 60)) for r in followed]
    limits = Connection(server.port)
    while b'"streams":2,"trainings":1' not in (await limits.ask(requests[2])).body:
        await asyncio.sleep(0.05)
    asking = [asyncio.ensure_future(Connection(server.port).ask(r, 60)) for r in requests[:2]]
    while not server.begun("under way"):
        await asyncio.sleep(0.01)
    begun = time.monotonic()
    ended: list[float] = []

    def wait() -> None:
        server.process.wait(60)
        ended.append(time.monotonic() - begun)

    waiting = threading.Thread(target=wait)
    server.process.send_signal(signal.SIGTERM)
    waiting.start()
    judge.answers = list(await asyncio.gather(*asking))
    streams = list(await asyncio.gather(*following))
    await asyncio.to_thread(waiting.join)
    for connection in [*held, limits]:
        connection.close()
    return judge, streams, lambda: ended[0]


def starts(report: Report, ground: Ground) -> None:
    folder = ground.new_folder()
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        refused(report, "port in use", folder, f"Port {port} is in use", "--port", port)
    refused(
        report, "not an address of this machine", folder, "not an address", "--host", "192.0.2.1"
    )
    refused(report, "every address, without names", folder, "VITRINE_HOSTS", "--host", "0.0.0.0")
    offline(report, ground)
    read_only(report, ground, folder)


def vitrine(folder: Path, *arguments: str, **variables: str) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **variables}
    return subprocess.Popen(
        [sys.executable, "-m", "app.cli", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def refused(report: Report, what: str, folder: Path, part: str, *arguments: str) -> None:
    process = vitrine(folder, *arguments)
    _, text = process.communicate(timeout=60)
    sentence = text.startswith("vitrine: ") and text.count("\n") == 1 and part in text
    found = f"{process.returncode}: {text.strip()[:90]}"
    report.holds(f"{what}: a sentence and 2", sentence and process.returncode == 2, found)


def offline(report: Report, ground: Ground) -> None:
    """Every attempt to reach another machine fails and is counted."""
    folder = ground.new_folder()
    log = folder / "attempts"
    variables = {"STORM_OFFLINE": str(log), "PYTHONPATH": f"{HOOKS}:{ROOT}"}
    runs = {"VITRINE_RUNS": str(folder / "runs"), "VITRINE_WARM_UP_SECONDS": "240"}
    process = vitrine(folder, "--port", "0", **variables, **runs)
    try:
        address = re.search(r"http://\S+(?=/)", process.stdout.readline())[0]
        server = Running(process, address, folder / "calls").until_ready()
        with server.client() as client:
            page = client.get("/attention").status_code
            query = {"model": "translator", "source": "i am cold"}
            answer = client.get("/api/v1/attention", params=query).status_code
        report.equal("no network: a page and an answer", (page, answer), (200, 200))
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    report.equal("no network: attempts to reach another machine", log.read_text(), "")


def read_only(report: Report, ground: Ground, folder: Path) -> None:
    """Nothing can be written where trainings are kept, not even by root: a file stands there."""
    taken = folder / "taken"
    taken.write_text("")
    with ground.server(runs=taken / "runs") as server:
        body = json.dumps({"layers": 1, "seeds": 1, "steps": 5}).encode()
        events = tuple(EVENTS.items())
        answer = asyncio.run(
            Connection(server.port).ask(
                Request("/api/v1/warmup", "POST", body, (JSON, *events)), 60
            )
        )
        detail = answer.body.decode().partition('"detail":"')[2].partition('"')[0]
        explained = "can’t be written" in detail
        report.holds("no folder for trainings: a sentence says so", explained, detail)
        with server.client() as client:
            others = client.get(fake("meanwhile")).status_code
        report.equal("no folder for trainings: others are answered", others, 200)
        report.equal(
            "no folder for trainings: workers replaced", load(server)["workers_replaced"], 0
        )


SCENARIOS = (
    Scenario(
        "sigterm",
        "SIGTERM",
        f"While it computes, streams, reports, trains, and holds {QUIET} idle and slow sockets.",
        "what is under way is answered, streams end with an event, exit 0 within 8 s.",
        sigterm,
        most=60,
    ),
    Scenario(
        "starts",
        "Port in use, no network, no folder to write to",
        "`vitrine` is started with each.",
        "a sentence and an exit code, or it serves without and says so.",
        starts,
        most=120,
    ),
)
