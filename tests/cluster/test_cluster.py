"""A Ray cluster in the place of one machine's worker, for `make cluster`. Machines are processes
here.
"""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from secrets import token_hex

import httpx2
import pytest

from app.lecture.records import AFTER
from tests.app import loop
from tests.app.lecture_hall import Lecturer, hall, until
from tests.app.serving import Running, running, wait_for
from tests.storm.cluster import REPLICA, is_below, processes

pytestmark = pytest.mark.cluster

SENTENCE = "model=translator&source=i+am+cold"
QUESTIONS = [
    f"/api/v1/attention?{SENTENCE}&layer=1",
    f"/api/v1/attention/figures?{SENTENCE}&kind=cross&layer=2&head=1&forward=1&encoding=base64",
    f"/api/v1/residual?{SENTENCE}&encoding=base64",
    f"/api/v1/generate?{SENTENCE}&strategy=beam",
    "/api/v1/images?model=digits&image=three",
    "/api/v1/tables/figures?model=penguins-saint&row=adelie",
    "/api/v1/recurrence",
    "/api/v1/residual?model=translator&source=",
]


@pytest.fixture(scope="module")
def replicas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with a cluster of its own, of two replicas."""
    folder = tmp_path_factory.mktemp("replicas")
    with on_ray(folder, "model.analyses", replicas="2") as server:
        yield server.until_ready()
        pids = replicas_of(server)
        assert len(pids) == 2
        server.process.terminate()
        assert server.process.wait(60) == 0
    assert not {*pids} & {*processes(REPLICA)}, "its cluster ends with it"


def on_ray(folder: Path, analyses: str, **limits: object) -> AbstractContextManager[Running]:
    """A server whose answers are computed by replicas."""
    folder.mkdir(exist_ok=True)
    return running(folder, analyses, engine="ray", **limits)


def replicas_of(server: Running) -> list[int]:
    """The processes of its own cluster's replicas; other servers of these tests have theirs."""
    return [pid for pid in processes(REPLICA) if is_below(pid, server.process.pid)]


def different(number: int) -> str:
    return f"/api/v1/attention?model=translator&source=i+am+cold+{number}&layer=0"


@contextmanager
def two_machines(home: Path) -> Iterator[str]:
    """A cluster as the manual begins it, with the token of a user of this home; its address."""
    token = home / ".ray" / "auth_token"
    token.parent.mkdir()
    token.write_text(token_hex(32))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"127.0.0.1:{port}"
    sizes = ("--num-cpus", "1", "--object-store-memory", "100000000", "--block")
    program = str(Path(sys.executable).with_name("ray"))
    variables = {**os.environ, "RAY_AUTH_MODE": "token"}
    begun = [
        subprocess.Popen(
            [program, "start", *which, *sizes], env=variables, stdout=subprocess.DEVNULL
        )
        for which in (("--head", "--port", str(port)), ("--address", address))
    ]
    try:
        yield address
    finally:
        for process in reversed(begun):
            process.terminate()
        for process in begun:
            process.wait(60)


def test_two_servers_join_a_cluster_of_two_machines_and_find_the_same_replicas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """It comes first: Ray leaves the address behind, where a server that names none must not go."""
    monkeypatch.setenv("HOME", str(tmp_path))
    before = len(processes(REPLICA))
    with two_machines(tmp_path) as address:
        limits = {"address": address, "replicas": "2"}
        with on_ray(tmp_path / "one", "model.analyses", **limits) as server:
            server.until_ready()
            with on_ray(tmp_path / "other", "model.analyses", **limits) as other:
                other.until_ready()
                with server.client() as mine, other.client() as theirs:
                    for number in range(6):
                        both = [client.get(different(number)) for client in (mine, theirs)]
                        assert both[0].content == both[1].content
                assert len(processes(REPLICA)) - before == 2
            with server.client() as mine:
                assert mine.get(different(9)).status_code == 200, "the other has left alone"


def test_every_byte_is_that_of_one_machine(replicas: Running, tmp_path: Path):
    with (
        running(tmp_path, "model.analyses", engine="embedded") as single,
        single.until_ready().client() as ours,
        replicas.client() as theirs,
    ):
        for question in QUESTIONS:
            mine, their = ours.get(question), theirs.get(question)
            assert (mine.status_code, mine.content) == (their.status_code, their.content), question
            assert mine.headers.get("etag") == their.headers.get("etag")


def test_all_about_one_input_goes_to_one_replica_and_inputs_to_both(replicas: Running):
    def answered(client: httpx2.Client) -> Counter[str]:
        log = (replicas.calls.parent / "log").read_text()
        return Counter(re.findall(r"computed word=\w+ .* replica=(\w+)", log))

    with replicas.client() as client:
        before = answered(client)
        for layer in range(3):
            assert (
                client.get(f"/api/v1/attention?{SENTENCE}&layer={layer}&head=0").status_code == 200
            )
        assert len(answered(client) - before) == 1
        for number in range(20):
            assert client.get(different(number)).status_code == 200
        assert len(answered(client) - before) == 2


def test_a_replica_that_is_killed_under_load_costs_a_503_that_says_when_to_come_again(
    replicas: Running,
):
    questions = [different(1_000 + number) for number in range(150)]
    with ThreadPoolExecutor(16) as pool:
        calls = [pool.submit(ends, replicas, question) for question in questions]
        wait_for(lambda: sum(call.done() for call in calls) > 20)
        os.kill(replicas_of(replicas)[0], signal.SIGKILL)
        found = [call.result() for call in calls]
    assert {status for status, _ in found} <= {200, 503}
    assert all(after for status, after in found if status == 503)
    assert sum(status == 200 for status, _ in found) > 100
    wait_for(lambda: len(replicas_of(replicas)) == 2)
    assert {ends(replicas, question)[0] for question in questions} == {200}


def test_a_room_goes_on_while_a_replica_is_lost_and_its_figures_come_again(replicas: Running):
    async def lecture() -> None:
        lecturer = Lecturer(replicas.port, "attention")
        async with hall(lecturer, 8) as students:
            await lecturer.step()
            await lecturer.step()
            with ThreadPoolExecutor(8) as pool:
                calls = [pool.submit(ends, replicas, different(2_000 + n)) for n in range(60)]
                await asyncio.to_thread(wait_for, lambda: sum(call.done() for call in calls) > 10)
                os.kill(replicas_of(replicas)[0], signal.SIGKILL)
                await asyncio.gather(*(student.vote(choice=2) for student in students))
                state = await lecturer.step()
                await until(lambda: all(student.stage == (1, AFTER) for student in students))
                found = [call.result() for call in calls]
            assert state["votes"] == [[0, 0, 8, 0], [0, 0, 0, 0]]
            assert {status for status, _ in found} <= {200, 503}
            assert all(after for status, after in found if status == 503)

    loop.run(lecture())
    wait_for(lambda: len(replicas_of(replicas)) == 2)
    assert {ends(replicas, different(2_000 + n))[0] for n in range(60)} == {200}


def ends(server: Running, question: str) -> tuple[int, str | None]:
    """The status of an answer, and when to come again."""
    with server.client() as client:
        answer = client.get(question)
        return answer.status_code, answer.headers.get("retry-after")


def test_metrics_and_log_name_the_replica(replicas: Running):
    with replicas.client() as client:
        text = wait_for(lambda: two_replicas(client.get("/metrics").text))
    assert 'vitrine_replica_running{replica="' in text
    log = (replicas.calls.parent / "log").read_text()
    assert re.search(r"INFO +replica \w+: vitrine.worker: worker \d+ is ready", log)


def two_replicas(text: str) -> str:
    """The metrics once they are those of two replicas; one that was killed is forgotten."""
    return text if text.count("vitrine_replica_waiting{") == 2 else ""


def test_until_ray_has_started_the_server_says_so(tmp_path: Path):
    with on_ray(tmp_path, "tests.app.fake_analyses") as server, server.client() as client:
        early = client.get("/readyz")
        assert (early.status_code, early.json()["ready"]) == (503, False)
        assert early.json()["detail"] == "Ray is starting, which takes about a minute."
        assert int(early.headers["retry-after"]) >= 1
        server.until_ready()
