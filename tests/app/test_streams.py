"""Event streams: every step once, in order, as it is computed; for whoever comes back too."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from tests.app.problems import assert_problem
from tests.app.serving import Running, wait_for

EVENTS = {"accept": "text/event-stream"}


def events(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    """As the standard has them: fields until an empty line."""
    event: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            event[name] = value
        else:
            yield event
            event = {}


def stream(client: httpx2.Client, source: str, after: int | None = None, **more: object):
    headers = EVENTS if after is None else {**EVENTS, "last-event-id": str(after)}
    return client.stream(
        "GET", "/api/v1/generate", params={"model": "m", "source": source, **more}, headers=headers
    )


def all_events(
    client: httpx2.Client, source: str, after: int | None = None, **more: object
) -> list[dict]:
    with stream(client, source, after, **more) as response:
        assert response.status_code == 200, response.read()
        assert response.headers["content-type"].startswith("text/event-stream")
        return list(events(response.iter_lines()))


def test_every_step_is_sent_once_in_order_and_the_end_is_said(fake: httpx2.Client):
    steps = [{"event": "step", "data": f'{{"step":{i}}}', "id": str(i)} for i in range(4)]
    assert all_events(fake, "plain", max_new_tokens=4) == [*steps, {"event": "end", "data": "{}"}]


def test_a_step_arrives_as_soon_as_it_is_computed(fake: httpx2.Client, tmp_path: Path):
    """No step is held back until a later one is there: each begins when the one before was read."""
    go = tmp_path / "go"
    go.touch()
    with stream(fake, f"held {go}", max_new_tokens=4) as response:
        times = [(event["event"], go.touch())[0] for event in events(response.iter_lines())]
    assert times == ["step"] * 4 + ["end"]


def test_fifty_who_come_back_get_each_step_once_and_nothing_is_computed_twice(
    fakes: Running, fake: httpx2.Client
):
    whole = all_events(fake, "again", max_new_tokens=6)
    for i in range(50):
        assert (
            all_events(fake, "again", after=i % 7, max_new_tokens=6) == whole[i % 7 + 1 :]
            or i % 7 == 6
        )
    assert len(fakes.begun("again")) == 6


def test_a_client_cut_off_in_the_middle_goes_on_where_it_was(fakes: Running, fake: httpx2.Client):
    received = []
    while not received or received[-1]["event"] == "step":
        with stream(
            fake, "sleep 0.05 cut", int(received[-1]["id"]) if received else None, max_new_tokens=12
        ) as response:
            for event, _ in zip(events(response.iter_lines()), range(3), strict=False):
                received.append(event)
    assert [event.get("id") for event in received] == [*map(str, range(12)), None]
    assert len(fakes.begun("cut")) == 12


def test_six_who_follow_the_same_stream_share_one_computation(fakes: Running):
    def follow(_: int) -> list[dict]:
        with fakes.client() as client:
            return all_events(client, "sleep 0.05 shared", max_new_tokens=8)

    with ThreadPoolExecutor(6) as pool:
        first, *others = pool.map(follow, range(6))
    assert all(other == first for other in others)
    assert len(fakes.begun("shared")) == 8


def test_nothing_more_is_computed_for_a_client_that_has_left(fakes: Running, fake: httpx2.Client):
    with stream(fake, "sleep 0.1 left", max_new_tokens=64) as response:
        next(events(response.iter_lines()))
    wait_for(lambda: fake.get("/api/v1/limits").json()["load"]["streams"] == 0)
    assert len(fakes.begun("left")) < 64


def followed(client: httpx2.Client, source: str):
    return client.stream(
        "GET", "/api/v1/attention", params={"model": "m", "source": source}, headers=EVENTS
    )


def test_how_far_a_long_computation_is_can_be_followed_and_then_the_answer_is_kept(
    fakes: Running, fake: httpx2.Client
):
    with followed(fake, "trials 0.1 20 followed") as response:
        *reports, end = events(response.iter_lines())
    assert end == {"event": "end", "data": "{}"}
    assert [report["event"] for report in reports] == ["progress"] * len(reports)
    assert [report["id"] for report in reports] == [str(i) for i in range(len(reports))]
    shares = [json.loads(report["data"]) for report in reports]
    done = [share["done"] for share in shares]
    assert len(done) >= 3
    assert done == sorted(done)
    assert all(0 <= share["done"] <= share["of"] for share in shares)
    answer = fake.get(
        "/api/v1/attention", params={"model": "m", "source": "trials 0.1 20 followed"}
    )
    assert answer.status_code == 200
    assert 'desc="kept"' in answer.headers["server-timing"]
    assert len(fakes.begun("followed")) == 1


def test_who_stops_following_cancels_the_computation(fakes: Running, fake: httpx2.Client):
    cancelled = fake.get("/api/v1/limits").json()["load"]["cancelled"]
    with followed(fake, "trials 0.1 1000 given up") as response:
        next(events(response.iter_lines()))

    def is_given_up() -> bool:
        load = fake.get("/api/v1/limits").json()["load"]
        return load["cancelled"] > cancelled and (load["paused"], load["streams"]) == (0, 0)

    wait_for(is_given_up)


def test_a_computation_that_fails_ends_the_stream_with_its_problem(fake: httpx2.Client):
    for source, status in (("refuse", 422), ("fail", 500)):
        with followed(fake, source) as response:
            response.read()
            assert_problem(response, status)


def test_a_refusal_has_its_own_status(fake: httpx2.Client):
    for source, status in (("refuse", 422), ("unknown", 404), ("fail", 500)):
        with stream(fake, source) as response:
            response.read()
            assert_problem(response, status)


def test_a_worker_that_dies_in_the_middle_ends_the_stream_with_a_problem(
    fakes: Running, fake: httpx2.Client
):
    with stream(fake, "sleep 0.2 doomed", max_new_tokens=20) as response:
        sent = []
        for event in events(response.iter_lines()):
            sent.append(event)
            if len(sent) == 2:
                with fakes.client() as other:
                    other.get("/api/v1/attention", params={"model": "m", "source": "die"})
    fakes.until_ready()
    ids = [event["id"] for event in sent if event["event"] == "step"]
    assert ids == list(map(str, range(len(ids))))
    assert sent[-1]["event"] in ("end", "problem")
    if sent[-1]["event"] == "problem":
        assert json.loads(sent[-1]["data"])["status"] == 503


def test_one_address_may_have_only_so_many(fakes: Running):
    with fakes.client() as client:
        open_streams = [stream(client, f"sleep 0.05 many {i}", max_new_tokens=64) for i in range(8)]
        for opened in open_streams:
            assert opened.__enter__().status_code == 200
        with stream(client, "sleep 0.05 one too many") as response:
            response.read()
            assert_problem(response, 429, "too_many")
        for opened in open_streams:
            opened.__exit__(None, None, None)
        wait_for(lambda: client.get("/api/v1/limits").json()["load"]["streams"] == 0)


@pytest.mark.parametrize("last", ["", "x", "-1", "9" * 20, "²"])
def test_an_id_that_makes_no_sense_begins_anew(fake: httpx2.Client, last: str):
    headers = {**EVENTS, "last-event-id": last.encode()}
    with fake.stream(
        "GET",
        "/api/v1/generate",
        params={"model": "m", "source": "ids", "max_new_tokens": 2},
        headers=headers,
    ) as response:
        assert [event["event"] for event in events(response.iter_lines())] == [
            "step",
            "step",
            "end",
        ]
