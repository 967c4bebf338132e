"""Rooms: who leads them, what students are told, votes that are counted and kept, and a lecture
that is given to a hall.
"""

import asyncio
import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest
import segno
from fastapi.testclient import TestClient
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from app.errors import Problem
from app.http.application import create_app
from app.lecture.rooms import AFTER, BEFORE, UNCOVERED, Rooms
from app.lecture.talks import talk_of
from app.settings import Settings
from tests.app import loop
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


async def asking(kept: Rooms) -> Any:
    room, _ = kept.open(TALK)
    room.lead(ASKING, None, {})
    return room


def run(of: Any) -> Any:
    return loop.run(of)


def test_a_vote_is_one_device_s_and_changes_until_the_question_is_uncovered(tmp_path: Path):
    async def lecture() -> None:
        room = await asking(rooms(tmp_path))
        room.vote("here one", 0, None)
        room.vote("here one", 2, None)
        room.vote("elsewhere two", 2, None)
        assert room.own("there one")["choice"] == 2, "a device that moves is the same"
        assert room.state()["votes"] is None, "students do not see what others think"
        assert room.state_of_lecturer()["votes"] == ([0, 0, 2, 0], [0, 0, 0, 0])
        room.step(1)
        assert (room.phase, room.own("here one")["choice"]) == (AFTER, None), "another round"
        room.vote("here one", 1, None)
        assert room.state()["claim"] is room.state()["right"] is None
        room.step(1)
        told = room.state()
        assert told["votes"] == ([0, 0, 2, 0], [0, 1, 0, 0]), "before and after"
        assert (told["right"], told["sentence"]) == ("both", TALK.scene[ASKING].claim)
        with pytest.raises(Problem, match="No question is open"):
            room.vote("here one", 0, None)
        room.lead(None, BEFORE, {})
        assert room.phase == UNCOVERED, "what all have seen is not asked again"
        kept = room.kept.model_dump(mode="json")
        assert kept["votes"] == {}, "only counts are left"

    run(lecture())


def test_keys_go_through_questions_and_scenes_and_back_to_scenes(tmp_path: Path):
    async def lecture() -> None:
        room, _ = rooms(tmp_path).open(TALK)
        stages = [(room.kept.scene, room.phase)]
        for _ in range(5):
            room.step(1)
            stages.append((room.kept.scene, room.phase))
        assert stages == [(-1, 2), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0)]
        room.step(-1)
        assert (room.kept.scene, room.phase) == (1, UNCOVERED)
        room.step(-63)
        assert room.kept.scene == -1
        room.step(63)
        assert (room.kept.scene, room.phase) == (len(TALK.scene) - 1, UNCOVERED)

    run(lecture())


def test_who_is_lost_is_counted_in_a_scene_and_taken_back(tmp_path: Path):
    async def lecture() -> None:
        room = await asking(rooms(tmp_path))
        for device in ("a", "b", "a"):
            room.vote(device, None, True)
        assert room.state_of_lecturer()["lost"] == 2
        assert "lost" not in room.state()
        room.vote("a", None, False)
        assert room.state_of_lecturer()["lost"] == 1
        room.step(3)
        assert room.state_of_lecturer()["lost"] == 0

    run(lecture())


def test_a_room_outlives_a_restart_with_its_votes_and_its_cookies(tmp_path: Path):
    async def lecture() -> None:
        kept = rooms(tmp_path)
        room, token = kept.open(TALK)
        room.lead(
            ASKING, None, {"address": "/attention?query=3", "zoom": {"map": {"xaxis": [0, 1]}}}
        )
        room.vote("here cookie-17", 2, True)
        await kept.keep()
        content = kept.file.read_text()
        assert token not in content
        assert "cookie-17" not in content
        assert kept.file.stat().st_mode & 0o777 == 0o600
        again = rooms(tmp_path)
        assert again.secret == kept.secret, "the cookies of students are known again"
        same = again.led(room.kept.code.lower(), token)
        assert same.state_of_lecturer() == room.state_of_lecturer()
        assert same.own("here cookie-17") == {"choice": 2, "lost": True}

    run(lecture())


def test_what_changes_while_the_file_is_written_is_written_after_it_together(tmp_path: Path):
    async def lecture() -> None:
        kept = rooms(tmp_path)
        room = await asking(kept)
        contents: list[bytes] = []
        write, kept.write = kept.write, lambda content: (contents.append(content), write(content))

        async def vote(device: int) -> int:
            room.vote(f"here {device}", 0, None)
            await kept.keep()
            return len(json.loads(kept.file.read_bytes())["rooms"][0]["votes"][str(ASKING)][0])

        known = await asyncio.gather(*map(vote, range(200)))
        assert known == [1] + 199 * [200], "each is in the file before it is answered"
        assert len(contents) == 2

    run(lecture())


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"secret": "a"}', '{"secret": "a", "rooms": [1]}']
)
def test_a_file_that_is_damaged_costs_only_its_rooms(tmp_path: Path, content: str):
    (tmp_path / "rooms.json").write_text(content)
    assert rooms(tmp_path).rooms == {}


def test_a_folder_that_takes_nothing_costs_only_the_restart(tmp_path: Path):
    async def lecture() -> None:
        (tmp_path / "file").write_text("")
        kept = rooms(tmp_path / "file")
        room, token = kept.open(TALK)
        await kept.keep()
        assert kept.led(room.kept.code, token) is room

    run(lecture())


def test_a_room_ends_a_time_after_it_was_led_last(tmp_path: Path):
    async def lecture() -> None:
        clock = Clock()
        kept = rooms(tmp_path, clock, room_seconds=7_200)
        room, token = kept.open(TALK)
        clock.now += 7_000
        kept.led(room.kept.code, token)
        clock.now += 7_000
        assert kept.room(room.kept.code) is room
        clock.now += 300
        with pytest.raises(Problem, match="A room ends 2 hours after its lecturer"):
            kept.room(room.kept.code)
        assert [one async for one in kept.follow(room, "a")] == [b"event: end\ndata: {}\n\n"]

    run(lecture())


def test_only_a_room_that_nobody_has_open_makes_place_for_another(tmp_path: Path):
    async def lecture() -> None:
        kept = rooms(tmp_path, rooms=2)
        first, second = (kept.open(TALK)[0] for _ in range(2))
        following = kept.follow(first, "a")
        await anext(following)
        third, _ = kept.open(TALK)
        assert set(kept.rooms.values()) == {first, third}
        assert second.over
        also = kept.follow(third, "b")
        await anext(also)
        with pytest.raises(Problem, match="as many may be"):
            kept.open(TALK)
        await following.aclose()
        await also.aclose()

    run(lecture())


def test_no_number_of_new_rooms_ends_a_lecture(tmp_path: Path):
    """Also while nobody has its windows open, because a server has just been started again."""

    async def lecture() -> None:
        clock = Clock()
        room, _ = (before := rooms(tmp_path, clock)).open(TALK)
        room.step(1)
        await before.keep()
        clock.now += 3_000
        kept = rooms(tmp_path, clock, rooms=3)
        for _ in range(9):
            kept.open(TALK)
        assert room.kept.code in kept.rooms
        assert len(kept.rooms) == 3
        for one in kept.rooms.values():
            one.step(1)
        with pytest.raises(Problem, match="as many may be"):
            kept.open(TALK)
        clock.now += 700
        kept.open(TALK)
        assert room.kept.code not in kept.rooms, "it was led first, and nobody came back"

    run(lecture())


def test_a_slow_student_is_told_the_latest_state_and_none_that_has_passed(tmp_path: Path):
    async def lecture() -> None:
        kept = rooms(tmp_path)
        room, _ = kept.open(TALK)
        following = kept.follow(room, "a")
        await anext(following)
        for _ in range(9):
            room.step(1)
        told = json.loads((await anext(following)).split(b"data: ")[1])
        assert (told["scene"], told["phase"]) == (room.kept.scene, room.phase)
        waiting = asyncio.ensure_future(anext(following))
        await asyncio.sleep(0)
        assert not waiting.done(), "a vote is no news for students"
        room.vote("b", 0, None) if room.phase < UNCOVERED else room.led.notify()
        await asyncio.sleep(0)
        assert not waiting.done()
        waiting.cancel()

    run(lecture())


def test_one_browser_follows_in_a_few_windows_only(tmp_path: Path):
    async def lecture() -> None:
        kept = rooms(tmp_path, streams_per_client=2)
        room, _ = kept.open(TALK)
        windows = []
        for _ in range(2):
            kept.admit("a")
            windows.append(kept.follow(room, "a"))
            await anext(windows[-1])
        with pytest.raises(Problem, match="You follow rooms in 2 windows"):
            kept.admit("a")
        kept.admit("b")
        assert room.followers == 2
        for window in windows:
            await window.aclose()
        kept.admit("a")
        assert (room.followers, sum(kept.streams.values())) == (0, 0)

    run(lecture())


@pytest.fixture
def opened(client: httpx2.Client) -> dict[str, str]:
    answer = client.post(ROOMS, json={"talk": "attention"}).json()
    return {"code": answer["room"]["code"], "token": answer["token"]}


def test_only_the_token_leads_a_room(client: httpx2.Client, opened: dict[str, str]):
    assert client.get(ROOMS, params={"code": opened["code"]}).json()["token"] is None
    for token in ("", "no", opened["code"]):
        for changes in ({"step": 1}, {"close": True}, {"address": "/masks"}):
            asked = {**opened, "token": token, **changes}
            assert_problem(client.post(ROOMS, json=asked), 403)
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
    shown = {"address": "/attention?query=3", "pointer": pointer, "zoom": {"map": {"a": [0, 1]}}}
    state = client.post(ROOMS, json={**opened, **shown}).json()["room"]
    assert {name: state[name] for name in shown} == shown
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
    drawn = [
        client.get(f"/room/{opened['code']}/qr.svg", headers={"host": host}).text
        for host in ("127.0.0.1:1", "localhost:1")
    ]
    assert all(one.startswith("<svg") for one in drawn)
    assert drawn[0] != drawn[1]
    assert client.get("/room", params={"code": "nobod"}).headers["location"] == "/room/NOBOD"
    assert client.get("/room", params={"code": "//x"}).headers["location"] == "/lecture"
    for below in ("", "/projector", "/qr.svg", "/votes.csv"):
        assert client.get(f"/room/NOBOD{below}").status_code == 404


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
    own = client.get("/lecture/attention").text
    assert ("data-code" in own, 'data-talk="attention"' in own) == (False, True)


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


@pytest.mark.parametrize("path", ["/lecture/attention", "/lecture/attention/presenter"])
def test_a_window_that_no_phone_reaches_says_where_to_open_it(path: str, tmp_path: Path):
    settings = Settings(host="0.0.0.0", hosts="lectern.example,192.0.2.2,fd00::2", runs=tmp_path)
    told = "No phone reaches this address"
    for host, reached in (("localhost:8000", False), ("192.0.2.2:8000", True)):
        browser = TestClient(create_app(settings), f"http://{host}")
        page = browser.get(path).text
        assert (told in page) is not reached
        assert (f">http://192.0.2.2:8000{path}</a> or <a" in page) is not reached
        assert ("[fd00::2]" in page) is False, "it does not listen there"
        assert ('<img id="qr"' in page) is (reached and not path.endswith("presenter"))


def test_no_proxy_holds_back_what_a_room_tells(client: httpx2.Client, opened: dict[str, str]):
    asked = {"params": {"code": opened["code"]}, "headers": {"accept": "text/event-stream"}}
    with client.stream("GET", ROOMS, **asked) as told:
        assert told.headers["x-accel-buffering"] == "no"
        assert next(told.iter_lines()) == "event: room"


def test_behind_a_proxy_a_room_has_the_address_that_phones_know(tmp_path: Path):
    settings = Settings(root_path="/vitrine", hosts="lectures.example", runs=tmp_path)
    public = "https://lectures.example"
    said = {"x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "https", "origin": public}
    app = ProxyHeadersMiddleware(create_app(settings), "*")
    phone = TestClient(app, "http://lectures.example/vitrine", headers=said, follow_redirects=False)
    code = phone.post(ROOMS, json={"talk": "attention"}).json()["room"]["code"]
    assert phone.get("/room", params={"code": code}).headers["location"] == f"/vitrine/room/{code}"
    drawn = io.BytesIO()
    made = segno.make(f"{public}/vitrine/room/{code}", error="m")
    made.save(drawn, "svg", border=2, light="white", omitsize=True, xmldecl=False)
    assert phone.get(f"/room/{code}/qr.svg").content == drawn.getvalue()
    cookie = phone.get(f"/room/{code}").headers["set-cookie"]
    assert "Path=/vitrine;" in cookie
    assert cookie.endswith("Secure")


def test_a_talk_is_given_to_a_hall(fakes: Running):
    """All see every step or a later one, and every vote counts once; how soon is for `make storm`,
    which has a hall of 200.
    """
    assert run(give(fakes, Lecturer(fakes.port, "decoding"), 8, 0))


@pytest.mark.thorough
def test_a_lecture_goes_on_where_the_server_was_killed(tmp_path: Path):
    """`tests/browser/test_lecture.py` kills one too."""
    server = Server(tmp_path, **PATIENT)
    try:
        assert run(give(server, Lecturer(server.port, "attention"), 40, 0))
    finally:
        server.stop()
