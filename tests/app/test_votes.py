"""Votes on the question of a page at a setting: one for each device, and nobody can wipe them."""

import json
from collections.abc import Callable, Iterator
from http.cookies import SimpleCookie
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from cachetools import TTLCache

from app.api.endpoints import votes
from app.errors import Problem
from tests.app.problems import assert_problem
from tests.app.serving import Running

VOTES = "/api/v1/votes"
CLASS = {"page": "norms", "setting": "depth=12&d_model=32"}


@pytest.fixture
def phones(house: Running) -> Iterator[Callable[[], httpx2.Client]]:
    """Devices that have opened a page, each with the cookie that it was given."""
    clients = []

    def phone() -> httpx2.Client:
        client = house.client()
        cookies = SimpleCookie(client.get("/norms").headers["set-cookie"])
        client.headers["cookie"] = "; ".join(
            f"{name}={cookie.value}" for name, cookie in cookies.items()
        )
        clients.append(client)
        return client

    yield phone
    for client in clients:
        client.close()


def vote(client: httpx2.Client, choice: int | None = None, **of: str) -> tuple[list[int], Any]:
    response = client.post(VOTES, json={**CLASS, **of, "choice": choice})
    assert response.status_code == 200, response.text
    assert response.headers["cache-control"] == "no-store"
    assert "set-cookie" not in response.headers
    return response.json()["votes"], response.json()["choice"]


def test_a_device_has_one_vote_on_a_question_at_a_setting(phones):
    first, other = phones(), phones()
    assert vote(first) == ([0, 0, 0], None)
    assert vote(first, 1) == ([0, 1, 0], 1)
    assert vote(first, 1) == ([0, 1, 0], 1), "a reload does not vote twice"
    assert vote(other, 2) == ([0, 1, 1], 2)
    assert vote(other, 0) == ([1, 1, 0], 0), "who changes its mind takes its vote along"
    assert vote(first) == ([1, 1, 0], 1), "who only looks does not vote"
    answer = phones().get(VOTES, params=CLASS).json()
    assert (answer["votes"], answer["choice"]) == ([1, 1, 0], None)
    assert "12 sub-layers" in answer["asks"]
    assert vote(first, setting="depth=24&d_model=32") == ([0, 0, 0], None), "another setting"
    same = "curtain=1&show=path&d_model=32&seeds=8&depth=12"
    assert vote(first, setting=same) == ([1, 1, 0], 1), (
        "what the question does not name is the same"
    )


def test_nobody_wipes_votes_or_gives_them_by_an_address(client: httpx2.Client):
    for more in ({"choice": 1}, {"reset": True}):
        assert_problem(client.get(VOTES, params={**CLASS, **more}), 422)
    assert_problem(client.post(VOTES, json={**CLASS, "reset": True}), 422)


@pytest.mark.parametrize(
    "body",
    [
        {"choice": 4},
        {"choice": 3},
        {"choice": -1},
        {"choice": "a"},
        {"who": "me"},
        {"setting": "depth=deep"},
        {"setting": "depth=100000"},
        {"setting": "depth=12&depth=24"},
        {"setting": "&".join(f"a{n}=1" for n in range(100))},
        {"setting": "\ud800"},
    ],
)
def test_what_is_no_vote_is_refused(client: httpx2.Client, body: dict):
    posted = json.dumps({**CLASS, **body})  # escapes half a pair of surrogates
    headers = {"content-type": "application/json"}
    assert_problem(client.post(VOTES, content=posted, headers=headers), 422)


@pytest.mark.parametrize("page", ["nowhere", "attention", "glossary"])
def test_only_a_page_that_asks_has_votes(client: httpx2.Client, page: str):
    response = client.post(VOTES, json={"page": page, "choice": 0})
    assert_problem(response, 404)
    assert page in response.json()["detail"]


def test_a_list_gives_no_room_to_another_and_ends_an_hour_after_its_last_vote(monkeypatch):
    now = [0.0]
    pages = SimpleNamespace(
        by_word={"norms": SimpleNamespace(word="norms", has_claim=True)},
        exercise_sentence=lambda word, setting: str(setting),
    )
    services: Any = SimpleNamespace(pages=pages, votes=TTLCache(1, 60, lambda: now[0]))
    monkeypatch.setattr(votes, "MAX_DEVICES", 2)
    monkeypatch.setattr(votes, "DEVICES_OF_ADDRESS", 2)

    def cast(client: str, choice: int | None, setting: str = "") -> list[int]:
        body = votes.Vote(page="norms", setting=setting, choice=choice)
        return votes.votes(services, body, client)["votes"]

    assert cast("here one", 0) == [1, 0, 0]
    now[0] = 50
    assert cast("elsewhere one", 1) == [0, 1, 0], "a device that moves is the same"
    assert cast("here two", 1) == [0, 2, 0]
    for full in (("here three", 0, ""), ("here one", 0, "depth=12")):
        with pytest.raises(Problem) as refused:
            cast(*full)
        assert refused.value.code == "busy"
    now[0] = 109
    assert cast("here one", None) == [0, 2, 0]
    now[0] = 111
    assert cast("here one", None) == [0, 0, 0]
    assert cast("here one", 0, "depth=12") == [1, 0, 0]
    monkeypatch.setattr(votes, "MAX_DEVICES", 9)
    for cookie in range(2, 9):
        counted = cast(f"here {cookie}", 0, "depth=12")
    assert counted == [3, 0, 0], "two of one address, and then the address itself"
    services.votes = TTLCache(4, 60, lambda: now[0])
    for setting in ("depth=12", "depth=24"):
        cast("here one", 0, setting)
    with pytest.raises(Problem):
        cast("here two", 0, "depth=36")
    assert cast("elsewhere two", 0, "depth=36") == [1, 0, 0]


def test_a_page_that_is_opened_covered_is_covered_before_any_script(client: httpx2.Client):
    covered, open_ = (client.get(f"/norms{query}").text for query in ("?curtain=1", ""))
    assert "data-curtain" in covered.partition("<main")[0]
    assert "data-curtain" not in open_
    assert 'id="asks">48 ' in covered
    for depth, number in (("12", 12), ("deep", 48)):
        page = client.get(f"/norms?curtain=1&depth={depth}").text
        assert f'id="asks">{number} ' in page, "the question says the setting"
