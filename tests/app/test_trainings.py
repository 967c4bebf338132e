"""Trainings: each step once and in order, whoever is killed; one runs, four wait; nobody's answer
waits for them.
"""

import json
import os
import resource
import shutil
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx2
import numpy as np
import pytest

from app.compute.trainings import COMPLETE, prune_finished, prune_unfinished
from model.clinics.warmup import Comparison
from model.measure.stored_trainings import LOG, folder_of
from model.processes.live_warmup import line_of
from tests.app.problems import assert_problem
from tests.app.serving import PLAIN, Running, read, running, wait_for
from tests.app.test_streams import EVENTS, events
from tests.rounding import SINGLE, same

SMALL = {"layers": 1, "seeds": 1}
FIRST = {**SMALL, "steps": 8}
LONG = {**SMALL, "steps": 40, "seed": 8}  # with a checkpoint after the 25th
LONGEST = {**SMALL, "steps": 400, "seed": 5}  # it is still training when it is stopped


def follow(client: httpx2.Client, after: int | None = None, **question: object):
    """Begins a training by POST, or follows one on after an event that was seen, by GET."""
    if after is None:
        return client.stream("POST", "/api/v1/warmup", json=question, headers=EVENTS)
    headers = {**EVENTS, "last-event-id": str(after)}
    return client.stream("GET", "/api/v1/warmup", params=question, headers=headers)


def whole(client: httpx2.Client, after: int | None = None, **question: object) -> list[dict]:
    with follow(client, after, **question) as response:
        assert response.status_code == 200, response.read()
        return list(events(response.iter_lines()))


def losses(sent: list[dict]) -> list[list]:
    return [
        json.loads(event["data"])["loss"]
        for event in sent
        if event["event"] == "step" and event["id"] != "0"
    ]


def lines(steps: int, **question: int) -> list[bytes]:
    """The lines of these steps, taken in this process."""
    comparison = Comparison(**{"warmup_steps": 20, "peak": 0.03, "seed": 0, **question})
    return [line_of(comparison) for _ in range(steps)]


def expected(steps: int, **question: int) -> list[list]:
    """The losses of the same steps."""
    return [json.loads(line)["loss"] for line in lines(steps, **question)]


def patient(server: Running) -> httpx2.Client:
    """A training comes after everything else that the machine does."""
    return httpx2.Client(base_url=server.address, timeout=600, verify=PLAIN)


def trainers(server: Running) -> list[int]:
    """The processes that train for this server."""
    return server.children(b"live_warmup")


def at_rest(client: httpx2.Client) -> bool:
    """Whether no training runs or waits: one that is left goes on for a short while."""
    return client.get("/api/v1/limits").json()["load"]["trainings"] == 0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("trainings")
    with running(folder, runs=folder / "runs", trainings_kept=1) as server:
        yield server.until_ready()


@pytest.fixture
def trains(server: Running) -> Iterator[httpx2.Client]:
    with patient(server) as client:
        wait_for(lambda: at_rest(client) and not trainers(server))
        yield client


def test_it_is_begun_by_post_alone_and_each_step_is_sent_once_and_is_the_step_of_the_clinic(
    server: Running, trains: httpx2.Client
):
    for attempt in range(2):
        with follow(trains, after=-1, **FIRST) as response:
            response.read()
            assert_problem(response, 404, "unknown")
        assert not trainers(server), attempt
    sent = whole(trains, **FIRST)
    assert [event.get("id") for event in sent] == [*map(str, range(9)), None]
    assert json.loads(sent[0]["data"]) == {"step": 0, "steps": 8}
    assert [json.loads(event["data"])["step"] for event in sent[:-1]] == list(range(9))
    assert losses(sent) == expected(**FIRST)
    for event in sent[1:-1]:
        step = json.loads(event["data"])
        same(step["mean"], np.mean(step["loss"], axis=1), SINGLE)
    assert whole(trains, after=4, **FIRST) == sent[5:]


def test_without_a_reader_it_stops_and_neither_that_nor_a_kill_costs_a_step(
    server: Running, trains: httpx2.Client
):
    with follow(trains, **LONGEST) as response:
        for event in events(response.iter_lines()):
            if event["id"] == "3":
                os.kill(trainers(server)[0], signal.SIGSTOP)  # it has said few steps more
                break
    wait_for(lambda: at_rest(trains) and not trainers(server))
    sent: list[dict] = []
    for number_sent in (12, 6):
        with follow(trains, len(sent) - 1 if sent else None, **LONGEST) as response:
            for number, event in enumerate(events(response.iter_lines())):
                sent.append(event)
                if number == number_sent:
                    os.kill(trainers(server)[0], signal.SIGKILL)
        assert json.loads(sent.pop()["data"])["status"] == 503
    n_steps = len(sent) - 1
    assert [event.get("id") for event in sent] == [*map(str, range(n_steps + 1))]
    assert losses(sent) == expected(**{**LONGEST, "steps": n_steps})


@pytest.mark.thorough  # a kill costs no step where nobody reads, either
def test_a_server_that_is_killed_costs_no_step_that_was_said(
    tmp_path: Path, server: Running, trains: httpx2.Client
):
    """Another server goes on with what the first one has left on the disk."""
    sent: list[dict] = []
    with (
        running(tmp_path, runs=tmp_path / "runs") as killed,
        patient(killed) as client,
        follow(client, **LONG) as response,
    ):
        for event in events(response.iter_lines()):
            sent.append(event)
            if event["id"] == "0":
                (trainer,) = wait_for(lambda: trainers(killed))
            if event["id"] == "27":
                killed.process.kill()
                break
    wait_for(lambda: not read(Path(f"/proc/{trainer}/cmdline")))
    shutil.copytree(tmp_path / "runs", runs_of(server), dirs_exist_ok=True)
    sent += whole(trains, after=27, **LONG)
    assert [event.get("id") for event in sent] == [*map(str, range(41)), None]
    assert losses(sent) == expected(**LONG)


def test_one_runs_four_wait_the_sixth_is_refused_and_nobody_elses_answer_waits(
    server: Running, trains: httpx2.Client
):
    with ExitStack() as stack:
        students = [stack.enter_context(patient(server)) for _ in range(3)]
        for student in students:
            assert student.get("/").cookies
        elsewhere = httpx2.HTTPTransport(local_address="127.0.0.2", verify=PLAIN)
        far = stack.enter_context(
            httpx2.Client(base_url=server.address, timeout=600, transport=elsewhere)
        )
        question = {"layers": 8, "seeds": 2, "steps": 400}

        def refused(who: httpx2.Client, message: str) -> httpx2.Response:
            response = stack.enter_context(follow(who, **question, seed=5))
            response.read()
            assert message in assert_problem(response, 503, "busy")["detail"]
            return response

        for seed, who in enumerate((*students[:2] * 2, far)):
            if seed == 4:
                refused(students[2], "Your address")  # the last place is for another one
            response = stack.enter_context(follow(who, **question, seed=seed))
            first = next(events(response.iter_lines()))
            assert json.loads(first["data"]) == {"step": 0, "steps": 400}
            if seed == 2:
                refused(students[0], "You already")
        last = refused(far, "waiting")
        assert int(last.headers["retry-after"]) >= 1
        (trainer,) = trainers(server)
        behind = min(19, os.getpriority(os.PRIO_PROCESS, server.process.pid) + 10)
        wait_for(lambda: os.getpriority(os.PRIO_PROCESS, trainer) == behind)
        assert (
            trains.get(
                "/api/v1/attention", params={"model": "m", "source": "meanwhile"}
            ).status_code
            == 200
        )
        assert trainers(server) == [trainer], (
            "The training process ended. Ask again to continue after"
        )
        os.kill(trainer, signal.SIGSTOP)  # nobody looks at its steps


@pytest.mark.thorough  # rare, and three seconds of training
def test_steps_that_another_machine_took_are_taken_again(server: Running, trains: httpx2.Client):
    """Steps that do not come out again as they were said are not continued, nor is half a line."""
    question = {**SMALL, "seed": 6}
    stream = lines(5, **question)
    stream[2] = stream[2].replace(b"0", b"1")
    leave(server, [*stream, b'{"step": half a line'], **question)
    assert losses(whole(trains, steps=7, **question)) == expected(steps=7, **question)


def leave(server: Running, lines: list[bytes], **question: int) -> None:
    """Leaves a log of these lines on the disk."""
    folder = folder_of(runs_of(server), question)
    folder.mkdir(parents=True)
    (folder / LOG).write_bytes(b"".join(lines))


@pytest.mark.thorough  # what is written behind a full disk, storm holds as well
def test_without_room_for_the_next_step_it_says_so_and_goes_on_when_there_is_room(
    server: Running, trains: httpx2.Client
):
    question = {**SMALL, "steps": 12, "seed": 7}
    no_file_longer = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (2_000, no_file_longer[1]))
    try:
        sent = whole(trains, **question)
    finally:
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, no_file_longer)
    problem = json.loads(sent.pop()["data"])
    assert (problem["status"], problem["type"]) == (507, "/docs#problem-full")
    assert f"after step {len(sent) - 1}" in problem["detail"]
    assert len(sent) > 2
    sent += whole(trains, after=len(sent) - 1, **question)
    assert losses(sent) == expected(**question)


def stored(server: Running) -> set[Path]:
    """The folders of the trainings that this server keeps."""
    runs = runs_of(server)
    return {*runs.iterdir()} if runs.exists() else set()


def runs_of(server: Running) -> Path:
    return server.calls.parent / "runs"


def test_a_page_of_another_site_begins_no_training(server: Running, trains: httpx2.Client):
    elsewhere = {**EVENTS, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    question = {"steps": 6, "seed": 78, **SMALL}
    for response in (
        trains.get("/api/v1/warmup", params=question, headers=elsewhere),
        trains.post("/api/v1/warmup", json=question, headers=elsewhere),
    ):
        assert_problem(response, 403, "origin")
    assert not trainers(server)


def finished(server: Running) -> set[Path]:
    return {folder for folder in stored(server) if (folder / COMPLETE).exists()}


def test_a_finished_training_gives_way_to_a_finished_one_only(
    server: Running, trains: httpx2.Client
):
    unfinished = stored(server) - finished(server)
    for seed in (40, 41):
        leave(server, lines(5, seed=seed, **SMALL), seed=seed, **SMALL)
    whole(trains, steps=5, seed=40, **SMALL)
    (first,) = finished(server)
    whole(trains, steps=5, seed=41, **SMALL)
    (second,) = finished(server)
    assert second != first
    assert stored(server) - finished(server) == unfinished


def test_the_oldest_give_way_and_only_those_of_their_kind(tmp_path: Path):
    """Six trainings, of which every other one is finished; the last is the newest."""
    for number in range(6):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        (folder / LOG).touch()
        if number % 2:
            (folder / COMPLETE).touch()
        os.utime(folder / LOG, (number, number))

    def left() -> list[str]:
        return sorted(folder.name for folder in tmp_path.iterdir())

    prune_unfinished(tmp_path, 1, but=tmp_path / "0")
    assert left() == ["0", "1", "3", "4", "5"], "2 is the oldest beside 0 that is not finished"
    prune_finished(tmp_path, 2)
    assert left() == ["0", "3", "4", "5"], "1 is the oldest that is finished"
    prune_finished(tmp_path, 0)
    assert left() == ["0", "4"]


@pytest.mark.thorough
def test_a_training_whose_loss_is_no_number_any_more_says_so(trains: httpx2.Client):
    steep = {"stack": "decoder", "placement": "none", "layers": 6, "peak": 0.1, "warmup_steps": 0}
    problem = json.loads(whole(trains, steps=9, **{**SMALL, "seed": 1, **steep})[-1]["data"])
    assert problem["status"] == 422
    assert "network diverged" in problem["detail"]


def test_a_folder_that_cannot_be_written_is_named(server: Running, trains: httpx2.Client):
    runs, aside = server.calls.parent / "runs", server.calls.parent / "aside"
    runs.mkdir(exist_ok=True)
    runs.rename(aside)
    runs.touch()  # a file stands in the way, for root too
    try:
        problem = json.loads(whole(trains, steps=5, seed=42, **SMALL)[-1]["data"])
    finally:
        runs.unlink()
        aside.rename(runs)
    assert problem["status"] == 503
    assert f"can’t be written to {runs}" in problem["detail"]
