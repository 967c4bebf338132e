"""Figures of /modes: squares are the answer's masks and weights, and what positions say."""

import httpx2
import numpy as np
import pytest

ASKED = "text=i+am+cold&layer=1&head=2"
MODES = ("encoder-only", "decoder-only", "encoder-decoder", "prefix")


def figure(client: httpx2.Client, name: str, question: str = ASKED) -> dict:
    response = client.get(f"/api/v1/modes/figures/{name}?{question}")
    assert response.status_code == 200, response.text
    return response.json()


@pytest.fixture
def answer(client: httpx2.Client) -> dict:
    return client.get(f"/api/v1/modes?{ASKED}").json()


def numbers(answer: dict, tensor: str) -> np.ndarray:
    return np.array(answer["tensors"][tensor]["data"], float)


@pytest.mark.parametrize("mode", MODES)
def test_hidden_cells_are_gaps_in_the_map_and_in_the_mask(
    client: httpx2.Client, answer: dict, mode: str
):
    hidden = numbers(answer, f"{mode}.mask") == 0
    weights = np.array(figure(client, f"map.{mode}")["data"][0]["z"], float)
    np.testing.assert_array_equal(np.isnan(weights), hidden)
    np.testing.assert_array_equal(weights, numbers(answer, f"{mode}.pattern"))
    opened = np.array(figure(client, f"mask.{mode}")["data"][0]["z"], float)
    np.testing.assert_array_equal(np.isnan(opened), hidden)


@pytest.mark.parametrize("mode", MODES)
def test_under_the_square_stands_what_every_position_says(
    client: httpx2.Client, answer: dict, mode: str
):
    guesses = figure(client, f"map.{mode}")["data"][1]
    chances = numbers(answer, f"{mode}.top_probability")
    np.testing.assert_array_equal(guesses["z"], chances[:, :2])
    told = next(one for one in answer["modes"] if one["mode"] == mode)
    for said, tokens in zip(guesses["customdata"], told["top_tokens"], strict=True):
        assert said[0][1] == said[1][1]
        for token in tokens:
            if token.isalpha():
                assert token in said[0][1]


def test_lines_part_the_source_from_the_target(client: httpx2.Client, answer: dict):
    told = next(one for one in answer["modes"] if one["mode"] == "prefix")
    across, down = figure(client, "map.prefix")["layout"]["shapes"]
    assert across["y0"] == across["y1"] == down["x0"] == down["x1"] == told["target_from"] - 0.5
    assert not figure(client, "map.decoder-only")["layout"].get("shapes")


@pytest.mark.parametrize("mode", MODES)
def test_a_figure_names_the_tensors_of_its_mode_and_says_whose_they_are(
    client: httpx2.Client, answer: dict, mode: str
):
    meta = figure(client, f"map.{mode}")["layout"]["meta"]
    told = next(one for one in answer["modes"] if one["mode"] == mode)
    assert {name.rpartition(".")[0] for name in meta["names"].split(",")} == {mode}
    assert meta["kind"] == told["kind"]
    assert told["model"] in meta["said"]
    assert f"{told['visible']['value']:.0f} of " in meta["said"]


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
