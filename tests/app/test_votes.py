"""Votes on the question of a page: counted, told to whoever asks, begun again, and kept for pages
alone.
"""

from collections.abc import Iterator

import httpx2
import pytest

from tests.app.problems import assert_problem

VOTES = "/api/v1/votes"


@pytest.fixture
def vote(client: httpx2.Client) -> Iterator:
    """A vote on the question of /norms, which no other test votes on."""

    def vote(**body: object) -> list[int]:
        response = client.post(VOTES, json={"page": "norms", **body})
        assert response.status_code == 200, response.text
        assert response.headers["cache-control"] == "no-store"
        return response.json()["votes"]

    vote(reset=True)
    yield vote
    vote(reset=True)


def test_each_vote_counts_once_and_everybody_sees_the_counts(client: httpx2.Client, vote):
    assert vote(choice=1) == [0, 1, 0, 0]
    assert vote(choice=1) == [0, 2, 0, 0]
    assert vote(choice=3) == [0, 2, 0, 1]
    assert vote() == [0, 2, 0, 1], "who only looks does not vote"
    assert client.get(VOTES, params={"page": "norms"}).json()["votes"] == [0, 2, 0, 1]
    assert client.get(VOTES, params={"page": "memory"}).json()["votes"] == [0, 0, 0, 0]


def test_a_lecturer_starts_again(vote):
    vote(choice=0)
    assert vote(reset=True) == [0, 0, 0, 0]
    assert vote(choice=2) == [0, 0, 1, 0]


def test_an_address_never_votes(client: httpx2.Client, vote):
    for more in ({"choice": 1}, {"reset": True}):
        assert_problem(client.get(VOTES, params={"page": "norms", **more}), 422)
    assert vote() == [0, 0, 0, 0]


@pytest.mark.parametrize("body", [{"choice": 4}, {"choice": -1}, {"choice": "a"}, {"who": "me"}])
def test_what_is_no_vote_is_refused(client: httpx2.Client, vote, body: dict):
    assert_problem(client.post(VOTES, json={"page": "norms", **body}), 422)
    assert vote() == [0, 0, 0, 0]


def test_only_a_page_has_votes(client: httpx2.Client):
    response = client.post(VOTES, json={"page": "nowhere", "choice": 0})
    assert_problem(response, 404)
    assert "nowhere" in response.json()["detail"]


def test_votes_leave_nothing_in_the_browser(client: httpx2.Client, vote):
    response = client.post(VOTES, json={"page": "norms", "choice": 0})
    assert "set-cookie" not in response.headers


def test_a_page_that_is_opened_covered_is_covered_before_any_script(client: httpx2.Client):
    covered, open_ = (client.get(f"/norms{query}").text for query in ("?curtain=1", ""))
    assert "data-curtain" in covered.partition("<main")[0]
    assert "data-curtain" not in open_
