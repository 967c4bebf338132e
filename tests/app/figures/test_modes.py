"""Figures of /modes: squares are the answer's masks and weights, and what positions say."""

import httpx2
import pytest

QUERY = "text=i+am+cold&layer=1&head=2"


def figure(client: httpx2.Client, name: str, question: str = QUERY) -> dict:
    response = client.get(f"/api/v1/modes/figures/{name}?{question}")
    assert response.status_code == 200, response.text
    return response.json()


@pytest.fixture
def answer(client: httpx2.Client) -> dict:
    return client.get(f"/api/v1/modes?{QUERY}").json()


def test_lines_part_the_source_from_the_target(client: httpx2.Client, answer: dict):
    entry = next(mode_fields for mode_fields in answer["modes"] if mode_fields["mode"] == "prefix")
    across, down = figure(client, "map.prefix")["layout"]["shapes"]
    assert across["y0"] == across["y1"] == down["x0"] == down["x1"] == entry["target_from"] - 0.5
    assert not figure(client, "map.decoder-only")["layout"].get("shapes")


@pytest.mark.parametrize("words", [50, 65])
def test_a_mode_that_no_model_shows_has_its_mask_and_the_reason(client: httpx2.Client, words: int):
    question = f"text={'+'.join(['cold'] * words)}"
    answer = client.get(f"/api/v1/modes?{question}").json()
    without_model = [entry for entry in answer["modes"] if entry["model"] is None]
    assert without_model
    for entry in without_model:
        plot = figure(client, f"map.{entry['mode']}", question)
        assert len(plot["data"]) == (words == 50)
        assert plot["layout"]["meta"]["said"].startswith(entry["why"])
        assert plot["layout"]["meta"]["kind"] == "analytic"
