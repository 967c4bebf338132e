"""Rooms: who leads them, what students are told, votes that are counted and kept, and a lecture
that is given to a hall.
"""

import asyncio
import csv
import io
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import copy_context
from itertools import islice
from pathlib import Path
from typing import Any

import httpx2
import pytest
import segno
from fastapi.testclient import TestClient
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from app.errors import Problem
from app.http.application import create_app
from app.lecture import store
from app.lecture.records import AFTER, BEFORE, UNCOVERED, RoomRecord
from app.lecture.rooms import LectureRoom, Rooms, steady
from app.lecture.talks import talk_of, translated
from app.settings import Settings
from app.site.lecture import as_text
from model.words import LANGUAGE
from tests.app.lecture_hall import Lecturer, Server, give
from tests.app.problems import assert_problem
from tests.app.serving import PATIENT, Running

ROOMS, VOTES = "/api/v1/rooms", "/api/v1/room-votes"
TALK = talk_of("attention")
ASKING = 1  # the first scene of it that has a question


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def rooms(folder: Path, now: Clock | None = None, **limits: Any) -> Rooms:
    return Rooms(Settings(**limits), folder, now or Clock())


class Led:
    """A room that is led by what a lecturer does."""

    def __init__(self, service: Rooms, room: LectureRoom, token: str = ""):
        self.service, self.room, self.token = service, room, token

    @property
    def record(self) -> RoomRecord:
        return self.room.record

    async def step(self, by: int) -> None:
        await self.service.lead(self.room, lambda record, ballots: record.step(by, ballots))

    async def lead(self, *arguments: Any) -> None:
        await self.service.lead(self.room, lambda record, ballots: record.lead(*arguments, ballots))

    async def vote(self, client: str, choice: int | None, lost: bool | None = None) -> dict:
        return await self.service.vote(self.room, client, choice, lost)

    async def device_votes(self, client: str) -> dict:
        return await self.service.device_votes(self.room, client)


async def opened_by(service: Rooms, client: str = "here one") -> Led:
    return Led(service, *await service.open(TALK, client))


async def asking(service: Rooms) -> Led:
    room = await opened_by(service)
    await room.lead(ASKING, None, {})
    return room


@asynccontextmanager
async def windows(service: Rooms, *of: tuple[Led, str], leads: bool = False) -> AsyncIterator[list]:
    """Windows of clients that have rooms open."""
    followed = [service.follow(room.room, client, leads) for room, client in of]
    try:
        for stream in followed:
            await anext(stream)
        yield followed
    finally:
        for stream in followed:
            await stream.aclose()


async def test_a_vote_is_one_device_s_and_changes_until_the_question_is_uncovered(tmp_path: Path):
    room = await asking(rooms(tmp_path))
    await room.vote("here one", 0)
    await room.vote("here one", 2)
    await room.vote("elsewhere two", 2)
    assert (await room.device_votes("there one"))["choice"] == 2, "a device that moves is the same"
    assert room.room.state()["votes"] is None, "students do not see what others think"
    assert room.room.state_of_lecturer()["votes"] == ([0, 0, 2, 0], [0, 0, 0, 0])
    await room.step(1)
    assert (room.room.phase, (await room.device_votes("here one"))["choice"]) == (AFTER, None)
    await room.vote("here one", 1)
    assert room.room.state()["claim"] is room.room.state()["right"] is None
    await room.step(1)
    state = room.room.state()
    assert state["votes"] == ([0, 0, 2, 0], [0, 1, 0, 0]), "before and after"
    assert (state["right"], state["sentence"]) == ("both", TALK.scene[ASKING].claim)
    with pytest.raises(Problem, match="No question is open"):
        await room.vote("here one", 0)
    await room.lead(None, BEFORE, {})
    assert room.room.phase == UNCOVERED, "what all have seen is not asked again"
    votes = room.service.store.db.execute("SELECT count(*) FROM votes").fetchone()
    assert votes == (0,), "only counts are left"


async def test_keys_go_through_questions_and_scenes_and_back_to_scenes(tmp_path: Path):
    room = await opened_by(rooms(tmp_path))
    stages = [(room.record.scene, room.room.phase)]
    for _ in range(5):
        await room.step(1)
        stages.append((room.record.scene, room.room.phase))
    assert stages == [(-1, 2), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0)]
    await room.step(-1)
    assert (room.record.scene, room.room.phase) == (1, UNCOVERED)
    await room.step(-63)
    assert room.record.scene == -1
    await room.step(63)
    assert (room.record.scene, room.room.phase) == (len(TALK.scene) - 1, UNCOVERED)


async def test_who_is_lost_is_counted_in_a_scene_and_taken_back(tmp_path: Path):
    room = await asking(rooms(tmp_path))
    for device in ("a", "b", "a"):
        await room.vote(device, None, True)
    assert room.room.state_of_lecturer()["lost"] == 2
    assert "lost" not in room.room.state()
    await room.vote("a", None, False)
    assert room.room.state_of_lecturer()["lost"] == 1
    await room.step(3)
    assert room.room.state_of_lecturer()["lost"] == 0


async def test_a_room_outlives_a_restart_with_its_votes_and_its_cookies(tmp_path: Path):
    service = rooms(tmp_path)
    room = await opened_by(service)
    display = {"address": "/attention?query=3", "zoom": {"map": {"xaxis": [0, 1]}}}
    await room.lead(ASKING, None, display)
    await room.vote("here cookie-17", 2, True)
    for file in tmp_path.glob("rooms.db*"):
        content = file.read_bytes()
        assert room.token.encode() not in content
        assert b"cookie-17" not in content
        assert file.stat().st_mode & 0o777 == 0o600
    again = rooms(tmp_path)
    assert again.secret == service.secret, "the cookies of students are known again"
    same = await again.led(room.record.code.lower(), room.token)
    assert same.state_of_lecturer() == room.room.state_of_lecturer()
    assert await again.device_votes(same, "here cookie-17") == {"choice": 2, "lost": True}


async def test_web_processes_of_one_folder_have_the_same_rooms(tmp_path: Path):
    """A phone at one follows a lecturer at the other, who sees its vote and its window."""
    async with asyncio.timeout(60):
        first, other = (rooms(tmp_path) for _ in range(2))
        assert first.secret == other.secret
        led = await opened_by(first)
        there = Led(other, await other.room(led.record.code))
        async with (
            windows(other, (there, "elsewhere phone")) as (phone,),
            windows(first, (led, "here one"), leads=True) as (lecturer,),
        ):
            await led.step(2)
            state = json.loads((await anext(phone)).split(b"data: ")[1])
            assert (state["scene"], state["phase"]) == (ASKING, BEFORE)
            await asyncio.gather(led.step(1), there.vote("elsewhere phone", 2), there.step(0))
            async for event in lecturer:
                state = json.loads(event.split(b"data: ")[1])
                if (state["followers"], sum(map(sum, state["votes"] or ()))) == (1, 1):
                    break
        await first.end(led.room)
        with pytest.raises(Problem, match="There is no room"):
            await other.room(led.record.code)


async def test_votes_at_once_are_one_transaction(tmp_path: Path):
    service = rooms(tmp_path)
    room = await asking(service)
    statements: list[str] = []
    service.store.db.set_trace_callback(statements.append)
    votes = await asyncio.gather(*(room.vote(f"here {number}", 0) for number in range(200)))
    assert {vote["choice"] for vote in votes} == {0}
    service.store.db.set_trace_callback(None)
    assert sum(statement == "COMMIT" for statement in statements) == 1
    assert sum(statement == "SAVEPOINT one" for statement in statements) == 200
    assert room.room.state_of_lecturer()["votes"] == ([200, 0, 0, 0], [0] * 4)


async def test_the_devices_of_one_address_take_no_votes_from_others(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(store, "DEVICES_OF_ADDRESS", 3)
    monkeypatch.setattr(store, "MAX_DEVICES", 6)
    room = await asking(rooms(tmp_path))
    for cookie in range(9):
        await room.vote(f"hog {cookie}", 0)
    assert room.room.state_of_lecturer()["votes"][0] == [4, 0, 0, 0], "and the address itself"
    await room.vote("hall one", 1)
    await room.vote("hall two", 1)
    assert room.room.state_of_lecturer()["votes"][0] == [4, 2, 0, 0]
    with pytest.raises(Problem, match="Too many votes"):
        await room.vote("hall three", 1)


async def test_a_record_that_cannot_be_read_is_put_aside_and_loses_only_itself(tmp_path: Path):
    wrongs = [
        {"code": "javas"},
        {"scene": 99},
        {"address": "javascript:alert(1)"},
        {"address": "//evil.example"},
        {"reached": {ASKING: 7}},
        {"counts": {ASKING: ([1], [2])}},
        {"talk": TALK.model_dump(mode="json") | {"minutes": -1}},
    ]
    service = rooms(tmp_path)
    whole, *damaged = [
        (await opened_by(service, f"{i} somebody")).record.code for i in range(1 + len(wrongs))
    ]
    stored = {}
    for code, wrong in zip(damaged, wrongs, strict=True):
        find = service.store.db.execute("SELECT kept FROM rooms WHERE code = ?", (code,))
        stored[code] = json.dumps(json.loads(find.fetchone()[0]) | wrong)
        change = "UPDATE rooms SET kept = ? WHERE code = ?"
        service.store.db.execute(change, (stored[code], code))
    again = rooms(tmp_path)
    assert set(again.rooms) == {whole}
    assert again.secret == service.secret
    assert dict(again.store.db.execute("SELECT * FROM unreadable").fetchall()) == stored


def test_a_file_that_is_damaged_is_put_aside(tmp_path: Path):
    (tmp_path / "rooms.db").write_text("[" * 2_000)
    assert rooms(tmp_path).rooms == {}
    assert (tmp_path / "rooms.db.bad").exists()


async def test_a_folder_that_takes_nothing_costs_only_the_restart_and_is_told(tmp_path: Path):
    (tmp_path / "file").write_text("")
    service = rooms(tmp_path / "file")
    room = await opened_by(service)
    assert await service.led(room.record.code, room.token) is room.room
    assert "they are lost if the server stops." in room.room.state_of_lecturer()["trouble"]


async def test_a_full_disk_is_told_to_whoever_votes_and_to_the_lecturer_until_there_is_room(
    tmp_path: Path,
):
    service = rooms(tmp_path)
    room = await asking(service)
    (pages,) = service.store.db.execute("PRAGMA page_count").fetchone()
    service.store.db.execute(f"PRAGMA max_page_count = {pages}")
    refused = []
    for device in range(2_000):
        try:
            await room.vote(f"here {device}", 0)
        except Problem as problem:
            refused.append(problem)
            break
    assert (refused[0].status, refused[0].code) == (507, "full")
    assert refused[0].detail == room.room.state_of_lecturer()["trouble"]
    assert "trouble" not in room.room.state()
    service.store.db.execute("PRAGMA max_page_count = 100000")
    await room.vote("here again", 1)
    assert room.room.state_of_lecturer()["trouble"] == ""
    assert room.room.state_of_lecturer()["votes"][0] == [device, 1, 0, 0], "no vote by half"


async def test_a_room_ends_a_time_after_it_was_led_last_unless_its_lecturer_has_it_open(
    tmp_path: Path,
):
    clock = Clock()
    service = rooms(tmp_path, clock, room_seconds=7_200)
    room = await opened_by(service)
    clock.now += 7_000
    await service.led(room.record.code, room.token)
    clock.now += 7_000
    assert await service.room(room.record.code) is room.room
    async with windows(service, (room, "here one"), leads=True):
        clock.now += 300_000
        assert await service.room(room.record.code) is room.room
    clock.now += 7_500
    with pytest.raises(Problem, match="Rooms close 2 hours after their lecturer last used them"):
        await service.room(room.record.code)
    assert [message async for message in service.follow(room.room, "a")] == [
        b"event: end\ndata: {}\n\n"
    ]


def test_no_clock_of_the_machine_makes_a_room_older(monkeypatch):
    now = steady()
    before = now()
    monkeypatch.setattr("time.time", lambda: before + 100_000)
    assert now() < before + 60


async def test_one_address_takes_its_own_places_and_no_room_that_was_shown(tmp_path: Path):
    """A script opens rooms without end, also in a hall's own network and after a restart."""
    limits = {"rooms": 8, "rooms_per_address": 4, "rooms_per_client": 2}
    service = rooms(tmp_path, **limits)
    opened, unseen = await opened_by(service, "hall one"), await opened_by(service, "hall two")
    async with windows(service, (opened, "hall one"), leads=True):
        pass
    service = rooms(tmp_path, **limits)
    for cookie in range(20):
        await opened_by(service, f"script {cookie}")
        await opened_by(service, f"other {cookie}")
    assert {opened.record.code, unseen.record.code} < set(service.rooms)
    assert len(service.rooms) == 8, "the addresses that have most give one"
    for cookie in range(20):
        await opened_by(service, f"hall {cookie}")
    assert opened.record.code in service.rooms
    for code in [*service.rooms]:
        async with windows(service, (Led(service, service.rooms[code]), "hall one")):
            pass
    all_in_use = "All 8 rooms are in use"
    for client, why in (
        ("hall three", "Your address already uses 4 rooms"),
        ("script 19", all_in_use),
        ("fourth one", all_in_use),
    ):
        with pytest.raises(Problem, match=why):
            await opened_by(service, client)


async def test_a_browser_that_opens_another_room_ends_its_oldest_and_never_one_that_is_open(
    tmp_path: Path,
):
    service = rooms(tmp_path, rooms_per_client=2)
    first, second = [await opened_by(service) for _ in range(2)]
    async with windows(service, (first, "here one"), leads=True):
        third = await opened_by(service)
        assert set(service.rooms.values()) == {first.room, third.room}
        assert second.room.over
        async with windows(service, (third, "here one"), leads=True):
            with pytest.raises(Problem, match="Close one first"):
                await opened_by(service)
            await opened_by(service, "here two")
    await opened_by(service)
    assert first.room.over


async def test_a_slow_student_is_told_the_latest_state_and_none_that_has_passed(tmp_path: Path):
    service = rooms(tmp_path)
    room = await opened_by(service)
    async with windows(service, (room, "a")) as (following,):
        for _ in range(9):
            await room.step(1)
        state = json.loads((await anext(following)).split(b"data: ")[1])
        assert (state["scene"], state["phase"]) == (room.record.scene, room.room.phase)
        waiting = asyncio.ensure_future(anext(following))
        await asyncio.sleep(0)
        assert room.room.phase < UNCOVERED
        await room.vote("b", 0)
        assert not waiting.done(), "a vote is no news for students"
        waiting.cancel()
        await asyncio.wait([waiting])


async def test_one_browser_follows_in_a_few_windows_only(tmp_path: Path):
    service = rooms(tmp_path, streams_per_client=2)
    room = await opened_by(service)
    async with windows(service, (room, "a"), (room, "a")):
        with pytest.raises(Problem, match="You already follow rooms in 2 windows"):
            await anext(service.follow(room.room, "a"))
        async with windows(service, (room, "b")):
            assert room.room.followers == 3
    assert (room.room.followers, service.following) == (0, set())


async def test_no_number_of_cookies_takes_every_place_of_followers(tmp_path: Path):
    """Ten places, of which eight may be one address's; nobody's count the lecturer's own."""
    service = rooms(tmp_path, room_followers=10, streams_per_client=2)
    room, empty = await opened_by(service, "hall one"), await opened_by(service, "hog one")
    crowd = [(empty, f"hog {cookie}") for cookie in range(4) for _ in range(2)]
    async with windows(service, *crowd):
        with pytest.raises(Problem, match="from your address"):
            await anext(service.follow(empty.room, "hog 0"))
        async with (
            windows(service, (room, "hall one"), leads=True),
            windows(service, (room, "hall a"), (room, "hall b")),
            windows(service, (room, "hall one"), leads=True),
        ):
            assert (room.room.followers, room.room.leaders) == (2, 2)
            async with windows(service, *((room, f"hog {number}") for number in "stuv")):
                led = [
                    window.room for window in service.following if not (window.over or window.leads)
                ]
                assert led.count(room.room) == 6, "an empty room gives its places to it"


@pytest.fixture
def opened(client: httpx2.Client) -> dict[str, str]:
    answer = client.post(ROOMS, json={"talk": "attention"}).json()
    return {"code": answer["room"]["code"], "token": answer["token"]}


def test_only_the_token_leads_a_room(client: httpx2.Client, opened: dict[str, str]):
    assert client.get(ROOMS, params={"code": opened["code"]}).json()["token"] is None
    for token in ("", "no", opened["code"]):
        for changes in ({"step": 1}, {"close": True}, {"address": "/masks"}):
            fields = {**opened, "token": token, **changes}
            assert_problem(client.post(ROOMS, json=fields), 403)
    assert_problem(client.get(ROOMS, params=opened), 422)  # no address holds a token
    state = client.post(ROOMS, json={**opened, "step": 1}).json()["room"]
    assert (state["scene"], state["address"]) == (0, TALK.scene[0].address)
    assert client.post(ROOMS, json={**opened, "close": True}).status_code == 200
    assert_problem(client.get(ROOMS, params={"code": opened["code"]}), 404)


@pytest.mark.parametrize(
    "changes",
    [
        {"scene": 11},
        {"scene": -2},
        {"phase": 3},
        {"step": 64},
        {"address": "https://evil.example/"},
        {"address": "//evil.example/"},
        {"address": "/\\evil.example/"},
        {"address": "/healthz"},
        {"address": "/room/ABCDE"},
        {"address": "/attention#x"},
        {"pointer": {"figure": "map", "panel": "xy", "x": [1], "y": 1}},
        {"pointer": {"figure": "map", "panel": "xy", "x": 1}},
        {"zoom": {"map": {"xaxis.range": [1]}}},
        {"zoom": {str(n): {} for n in range(64)}},
        {"zoom": {f"{n}" * 20: {"xaxis" * 20: [0, 1]} for n in range(63)}},
        {"address": "/../../api/v1/limits"},
        {"address": "/attention/../masks"},
        {"who": "me"},
    ],
)
def test_what_no_lecturer_does_is_refused(
    client: httpx2.Client, opened: dict[str, str], changes: dict
):
    assert_problem(client.post(ROOMS, json={**opened, **changes}), 422)
    assert client.get(ROOMS, params={"code": opened["code"]}).json()["room"]["scene"] == -1


def test_what_is_chosen_pointed_at_and_zoomed_in_is_told_until_another_page(
    client: httpx2.Client, opened: dict[str, str]
):
    pointer = {"figure": "map", "panel": "xy", "x": 2, "y": "cold"}
    display = {"address": "/attention?query=3", "pointer": pointer, "zoom": {"map": {"a": [0, 1]}}}
    state = client.post(ROOMS, json={**opened, **display}).json()["room"]
    assert {name: state[name] for name in display} == display
    same = client.post(ROOMS, json={**opened, "address": "/attention?query=4"}).json()["room"]
    assert same["pointer"] == pointer
    other = client.post(ROOMS, json={**opened, "address": "/masks"}).json()["room"]
    assert (other["pointer"], other["zoom"]) == (None, {})


@pytest.mark.parametrize("body", [{"choice": 4}, {"choice": -1}, {"choice": 3}, {"lost": 1}])
def test_what_is_no_vote_of_a_room_is_refused(
    client: httpx2.Client, opened: dict[str, str], body: dict
):
    client.post(ROOMS, json={**opened, "scene": 2})  # which has three choices
    assert_problem(client.post(VOTES, json={"code": opened["code"], **body}), 422)
    assert_problem(client.post(VOTES, json={"code": "NOBOD", "choice": 0}), 404)


def test_the_windows_of_a_room_are_there_and_its_qr_code_names_this_host(
    client: httpx2.Client, opened: dict[str, str]
):
    page = client.get(f"/room/{opened['code'].lower()}")
    assert page.status_code == 200
    assert not any(scene.claim in page.text for scene in TALK.scene), "nothing to look up"
    images = [
        client.get(f"/room/{opened['code']}/qr.svg", headers={"host": host}).text
        for host in ("127.0.0.1:1", "localhost:1")
    ]
    assert all(image.startswith("<svg") for image in images)
    assert images[0] != images[1]
    assert client.get("/room", params={"code": "nobod"}).headers["location"] == "/room/NOBOD"
    assert client.get("/room", params={"code": "//x"}).headers["location"] == "/lecture"
    for below in ("", "/projector", "/qr.svg", "/votes.csv"):
        assert client.get(f"/room/NOBOD{below}").status_code == 404


def test_each_device_is_told_in_its_own_language_and_a_vote_is_the_same_in_all(
    client: httpx2.Client, opened: dict[str, str]
):
    code, scene = opened["code"], TALK.scene[ASKING]
    client.post(ROOMS, json={**opened, "scene": ASKING})
    client.post(VOTES, json={"code": code, "choice": scene.choices.index(scene.right)})
    client.post(ROOMS, json={**opened, "step": 2})
    states = []
    for language in ("en", "fr", "en"):
        reads = {"accept-language": language, "accept": "text/event-stream"}
        with client.stream("GET", ROOMS, params={"code": code}, headers=reads) as response:
            states.append(json.loads(list(islice(response.iter_lines(), 2))[1][len("data: ") :]))
        page = client.get("/lecture/attention/presenter", headers={"accept-language": language})
        assert states[-1]["claim"] in page.text
    english, french, again = states
    assert english == again
    assert (english["claim"], french["right"]) == (scene.claim, "les deux")
    assert french["number"].endswith("\u00a0: 1")
    assert all(french[name] != english[name] for name in ("title", "claim", "asks"))
    right = [state["choices"].index(state["right"]) for state in states]
    assert {state["votes"][0][at] for state, at in zip(states, right, strict=True)} == {1}
    talk = TALK.model_copy(update={"title": "My own"})
    assert copy_context().run(lambda: LANGUAGE.set("fr") and translated(talk)) is talk


def test_a_wrong_code_has_its_field_again(client: httpx2.Client):
    page = client.get("/room/%3Cb%3E").text
    assert "No room has the code &lt;b&gt;" in page
    assert re.search(r'<form action="/room".*<input id="code" name="code"', page, re.DOTALL)


def test_the_projector_of_another_computer_follows_and_leads_nothing(
    client: httpx2.Client, opened: dict[str, str]
):
    code = opened["code"]
    page = client.get(f"/room/{code}/projector").text
    assert (f'data-code="{code}"' in page, "data-talk" in page) == (True, False)
    assert opened["token"] not in page
    assert f">{client.base_url.netloc.decode()}/room/{code}<" in page
    html = client.get("/lecture/attention").text
    assert ("data-code" in html, 'data-talk="attention"' in html) == (False, True)


def test_the_counts_of_uncovered_questions_are_a_table(
    client: httpx2.Client, opened: dict[str, str]
):
    code = opened["code"]
    client.post(ROOMS, json={**opened, "scene": ASKING})
    client.post(VOTES, json={"code": code, "choice": 2})
    assert client.get(f"/room/{code}/votes.csv").text.count("\n") == 1, "nothing is uncovered"
    client.post(ROOMS, json={**opened, "step": 2})
    table = client.get(f"/room/{code}/votes.csv")
    rows = list(csv.DictReader(io.StringIO(table.content.decode("utf-8-sig"))))
    scene = TALK.scene[ASKING]
    assert [row["choice"] for row in rows] == list(scene.choices)
    assert {(row["scene"], row["question"]) for row in rows} == {(str(ASKING + 1), scene.question)}
    assert [row["right"] for row in rows] == ["", "", "yes", ""]
    assert [(row["before"], row["after"]) for row in rows] == [("0", "0")] * 2 + [
        ("1", "0"),
        ("0", "0"),
    ]


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_spreadsheet_computes_a_choice(cell: str):
    assert as_text(cell) == f"'{cell}"
    assert as_text(f"a{cell}") == f"a{cell}"


@pytest.mark.parametrize("path", ["/lecture/attention", "/lecture/attention/presenter"])
def test_a_window_that_no_phone_reaches_says_where_to_open_it(path: str, tmp_path: Path):
    settings = Settings(host="0.0.0.0", hosts="lectern.example,192.0.2.2,fd00::2", runs=tmp_path)
    message = "Phones can’t join yet"
    for host, reached in (("localhost:8000", False), ("192.0.2.2:8000", True)):
        browser = TestClient(create_app(settings), f"http://{host}")
        page = browser.get(path).text
        assert (message in page) is not reached
        assert (f">http://192.0.2.2:8000{path}</a> or <a" in page) is not reached
        assert ("[fd00::2]" in page) is False, "it does not listen there"
        assert ('<img id="qr"' in page) is (reached and not path.endswith("presenter"))


def test_no_proxy_holds_back_what_a_room_tells(client: httpx2.Client, opened: dict[str, str]):
    query = {"params": {"code": opened["code"]}, "headers": {"accept": "text/event-stream"}}
    with client.stream("GET", ROOMS, **query) as response:
        assert response.headers["x-accel-buffering"] == "no"
        assert next(response.iter_lines()) == "event: room"


def test_behind_a_proxy_a_room_has_the_address_that_phones_know(tmp_path: Path):
    settings = Settings(root_path="/vitrine", hosts="lectures.example", runs=tmp_path)
    public = "https://lectures.example"
    headers = {"x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "https", "origin": public}
    app = ProxyHeadersMiddleware(create_app(settings), "*")
    phone = TestClient(
        app, "http://lectures.example/vitrine", headers=headers, follow_redirects=False
    )
    code = phone.post(ROOMS, json={"talk": "attention"}).json()["room"]["code"]
    assert phone.get("/room", params={"code": code}).headers["location"] == f"/vitrine/room/{code}"
    image = io.BytesIO()
    qr_code = segno.make(f"{public}/vitrine/room/{code}", error="m")
    qr_code.save(image, "svg", border=2, light="white", omitsize=True, xmldecl=False)
    assert phone.get(f"/room/{code}/qr.svg").content == image.getvalue()
    cookie = phone.get(f"/room/{code}").headers["set-cookie"]
    assert "Path=/vitrine;" in cookie
    assert cookie.endswith("Secure")


async def test_a_talk_is_given_to_a_hall(fakes: Running):
    """All see every step or a later one, and every vote counts once; how soon is for `make storm`,
    which has a hall of 200.
    """
    assert await give(fakes, Lecturer(fakes.port, "decoding"), 8, 0)


@pytest.mark.thorough
async def test_a_lecture_goes_on_where_the_server_was_killed(tmp_path: Path):
    """`tests/browser/test_lecture.py` kills one too."""
    server = Server(tmp_path, **PATIENT)
    try:
        assert await give(server, Lecturer(server.port, "attention"), 40, 0)
    finally:
        server.stop()
