"""Trainings: whoever is killed, wherever, every step that was said is there again, once."""

import json
import random
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2

from model.clinics.warmup import Comparison
from tests.app.serving import Running, wait_for
from tests.app.test_streams import EVENTS, events
from tests.storm.ground import Ground
from tests.storm.load import fake, load
from tests.storm.report import Report, Scenario

SMALL = {"layers": 1, "seeds": 1, "warmup_steps": 20, "peak": 0.03, "seed": 0}
CRASHES = (
    ("half-a-step", 8),
    ("a-step-not-said", 14),
    ("half-a-checkpoint", 0),
    ("a-checkpoint-not-named", 0),
    ("a-checkpoint-named", 0),
    ("the-end-not-noted", 0),
)
KILLS = 20
# Bytes that a file may have. The log of 30 steps has 8 kB, a checkpoint 200 kB.
ROOM = {"the first step": 50, "a later step": 2_000, "the checkpoint": 20_000}


class Follower:
    """Somebody who follows one training, and comes back after the last event that was heard."""

    def __init__(self, steps: int):
        self.question = {**SMALL, "steps": steps}
        self.heard: list[dict[str, str]] = []
        self.problems: list[dict] = []

    @contextmanager
    def following(self, server: Running) -> Iterator[Iterator[dict[str, str]]]:
        """New events, each kept as it comes. A training is begun by POST."""
        headers = dict(EVENTS)
        if self.heard:
            headers["last-event-id"] = self.heard[-1]["id"]
        options = {"json": self.question, "headers": headers}
        with (
            httpx2.Client(base_url=server.address, timeout=300) as client,
            client.stream("POST", "/api/v1/warmup", **options) as response,
        ):
            assert response.status_code == 200, response.read()
            yield self.events(response)

    def events(self, response: httpx2.Response) -> Iterator[dict[str, str]]:
        for event in events(response.iter_lines()):
            if event["event"] == "step":
                self.heard.append(event)
                yield event
            elif event["event"] == "problem":
                self.problems.append(json.loads(event["data"]))

    def until_cut(self, server: Running) -> None:
        with suppress(httpx2.TransportError), self.following(server) as following:
            for _ in following:
                pass

    def report(self, report: Report) -> None:
        """Each step once, in order, with the losses of a training that nobody disturbed."""
        steps = self.question["steps"]
        ids = [int(event["id"]) for event in self.heard]
        report.holds("each step once and in order", ids == list(range(steps + 1)), f"{len(ids)}")
        found = [json.loads(event["data"])["loss"] for event in self.heard[1:]]
        report.holds("the same curve as undisturbed", found == undisturbed(steps))


def undisturbed(steps: int) -> list[list]:
    """The same steps, taken in this process."""
    import torch

    torch.set_num_threads(1)
    comparison = Comparison(**SMALL)
    return [comparison.step().tolist() for _ in range(steps)]


def family(server: Running) -> list[int]:
    """The processes that the server has begun."""
    return server.children(b"")


def gone_within(seconds: float, processes: list[int]) -> bool:
    end = time.monotonic() + seconds
    while alive := any(map(cmdline, processes)):
        if time.monotonic() > end:
            break
        time.sleep(0.05)
    return not alive


def cmdline(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def crashes(report: Report, ground: Ground) -> None:
    """One training meets every place in turn."""
    folder, follower = ground.new_folder(), Follower(100)  # a checkpoint after each 25th
    for place, step in CRASHES:
        crashing = {"STORM_CRASH": f"{place} {step}"}
        with ground.server(hooks=crashing, folder=folder) as server:
            before, begun = len(follower.heard), family(server)
            follower.until_cut(server)
            wait_for(lambda server=server: server.process.poll() is not None, 30)
            progress = f"after step {follower.heard[-1]['id']}, {len(follower.heard) - before} new"
            report.holds(f"killed at {place}", server.process.returncode == -9, progress)
            report.holds("  what it had begun is gone", gone_within(10, begun))
    with ground.server(folder=folder) as server:
        report.equal("trainings said to run after a restart", load(server)["trainings"], 0)
        follower.until_cut(server)
    follower.report(report)


def kills(report: Report, ground: Ground) -> None:
    folder, follower, chance = ground.new_folder(), Follower(100), random.Random(2)
    resumed, left = [], 0
    for _ in range(KILLS):
        with ground.server(folder=folder) as server:
            begun, last = time.monotonic(), len(follower.heard)
            enough = last + chance.randint(1, 4)
            with suppress(httpx2.TransportError), follower.following(server) as following:
                for _ in following:
                    if len(follower.heard) == last + 1:
                        resumed.append(time.monotonic() - begun)
                    if len(follower.heard) >= enough:
                        time.sleep(chance.uniform(0, 0.05))
                        break
                processes = family(server)
                server.process.kill()
            server.process.wait(30)
            left += not gone_within(30, processes)
    with ground.server(folder=folder) as server:
        report.equal("trainings said to run after a restart", load(server)["trainings"], 0)
        follower.until_cut(server)
    report.equal("kills", len(resumed), KILLS)
    report.note("from the question to the next step, at most", f"{max(resumed):.1f} s")
    report.equal("processes that outlive their server", left, 0)
    follower.report(report)


def disk(report: Report, ground: Ground) -> None:
    """No file may grow beyond so many bytes: at the first step, at a later one, and at the
    checkpoint, which is larger than the log.
    """
    follower = Follower(30)
    with ground.server() as server:
        free = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        for place, size in ROOM.items():
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, free[1]))
            before = len(follower.problems)
            follower.until_cut(server)
            problem = follower.problems[-1] if len(follower.problems) > before else {}
            found = f"{problem.get('status')} after step {follower.heard[-1]['id']}"
            report.holds(f"no room for {place}: 507", problem.get("status") == 507, found)
            with server.client() as client:
                read = client.get(fake(f"meanwhile {size}"))
            report.holds("  answers go on meanwhile", read.status_code == 200)
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, free)
        follower.until_cut(server)
        report.equal("workers replaced", load(server)["workers_replaced"], 0)
    follower.report(report)


def reconnects(report: Report, ground: Ground) -> None:
    """A client that loses its connection after every step or two."""
    with ground.server() as server:
        heard: list[dict[str, str]] = []
        query = {"model": "m", "source": "sleep 0.02 again", "max_new_tokens": 64}
        cut, over, chance = 0, False, random.Random(3)
        with server.client() as client:
            while not over:
                headers = {**EVENTS, **({"last-event-id": heard[-1]["id"]} if heard else {})}
                enough = len(heard) + 1 + (chance.random() < 0.2)
                with client.stream(
                    "GET", "/api/v1/generate", params=query, headers=headers
                ) as response:
                    assert response.status_code == 200, response.read()
                    for event in events(response.iter_lines()):
                        if event["event"] != "step":
                            over = True
                            report.equal("the last event", event["event"], "end")
                            break
                        heard.append(event)
                        if len(heard) >= enough and cut < 50:
                            cut += 1
                            break
        report.at_least("reconnects", cut, 50)
        ids = [int(event["id"]) for event in heard]
        report.holds("each step once and in order", ids == list(range(64)), f"{len(ids)} steps")
        report.equal("steps computed", len(server.begun("again")), 64)
        wait_for(lambda: load(server)["streams"] == 0)


SCENARIOS = (
    Scenario(
        "crashes",
        "The server is killed in a training, at 6 places",
        "With a step half written or not reported; a checkpoint half written, written, or named;"
        " the end not recorded.",
        "the training continues after the last reported step, along the same curve.",
        crashes,
        most=180,
    ),
    Scenario(
        "kills",
        "The server is killed in a training, 20 times at random",
        f"One training of 100 steps, {KILLS} kills.",
        "the training goes on after the last step that was said, along the same curve.",
        kills,
        most=240,
    ),
    Scenario(
        "disk",
        "The disk is full",
        "No file may grow any more: at the first step, at a later one, at the checkpoint.",
        "507, the training pauses, answers go on; with room again, no step is missing.",
        disk,
        most=120,
    ),
    Scenario(
        "reconnects",
        "An event stream drops",
        "A client loses its stream 50 times and comes back with Last-Event-ID.",
        "each step once, in order, and computed once.",
        reconnects,
        most=60,
    ),
)
