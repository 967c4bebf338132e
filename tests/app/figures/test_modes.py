"""Figures of /modes: squares are the answer's masks and weights, and what positions say."""

import httpx2
import pytest

ASKED = "text=i+am+cold&layer=1&head=2"


def figure(client: httpx2.Client, name: str, question: str = ASKED) -> dict:
    response = client.get(f"/api/v1/modes/figures/{name}?{question}")
    assert response.status_code == 200, response.text
    return response.json()


@pytest.fixture
def answer(client: httpx2.Client) -> dict:
    return client.get(f"/api/v1/modes?{ASKED}").json()


def test_lines_part_the_source_from_the_target(client: httpx2.Client, answer: dict):
    told = next(one for one in answer["modes"] if one["mode"] == "prefix")
    across, down = figure(client, "map.prefix")["layout"]["shapes"]
    assert across["y0"] == across["y1"] == down["x0"] == down["x1"] == told["target_from"] - 0.5
    assert not figure(client, "map.decoder-only")["layout"].get("shapes")


@pytest.mark.parametrize("words", [50, 65])
def test_a_mode_that_no_model_shows_has_its_mask_and_the_reason(client: httpx2.Client, words: int):
    question = f"text={'+'.join(['cold'] * words)}"
    told = client.get(f"/api/v1/modes?{question}").json()
    alone = [one for one in told["modes"] if one["model"] is None]
    assert alone
    for one in alone:
        drawn = figure(client, f"map.{one['mode']}", question)
        assert len(drawn["data"]) == (words == 50)
        assert drawn["layout"]["meta"]["said"].startswith(one["why"])
        assert drawn["layout"]["meta"]["kind"] == "analytic"
