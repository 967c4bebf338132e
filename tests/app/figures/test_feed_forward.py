"""The figures of the feed-forward show every neuron once, what each writes, and their sum."""

import httpx2
import numpy as np
import pytest

from tests.rounding import SINGLE, same

ADDRESS = "/api/v1/feed-forward"
LINES = {"model": "translator", "source": "i am cold", "layer": 1, "position": 2, "top": 6}


@pytest.fixture
def answer(client: httpx2.Client) -> dict:
    return client.get(ADDRESS, params=LINES).json()


def figure_of(client: httpx2.Client, name: str, **changed) -> dict:
    return client.get(f"{ADDRESS}/figures/{name}", params={**LINES, **changed}).json()


def test_every_neuron_is_one_dot_on_the_curve_and_those_that_fire_have_a_colour_of_their_own(
    client: httpx2.Client, answer: dict
):
    traces = {trace["name"]: trace for trace in figure_of(client, "fires")["data"]}
    argument = np.array(answer["tensors"]["argument"]["data"])
    fires, silent = traces["fires"], traces["does not fire"]
    assert len(fires["x"]) == answer["firing"]
    assert len(silent["x"]) == answer["neurons"] - answer["firing"]
    same(sorted([*fires["x"], *silent["x"]]), np.sort(argument), SINGLE)
    for trace in (fires, silent):
        same(trace["y"], np.maximum(trace["x"], 0), SINGLE)


def test_the_last_row_of_what_is_written_is_the_sum_of_the_rows_over_it(client: httpx2.Client):
    figure = figure_of(client, "writes")
    rows = np.array(figure["data"][0]["z"])
    assert figure["layout"]["yaxis"]["ticktext"][-1] == "= output"
    same(rows[:-1].sum(0), rows[-1], SINGLE, scale=1)


def test_the_third_row_of_the_stream_is_the_sum_of_the_two_over_it(client: httpx2.Client):
    rows = np.array(figure_of(client, "stream")["data"][0]["z"])
    same(rows[0] + rows[1], rows[2], SINGLE, scale=1)


def test_where_no_words_are_read_the_vectors_are_drawn_under_their_own_title(
    client: httpx2.Client,
):
    words, writes = (figure_of(client, name, stack="encoder") for name in ("words", "writes"))
    assert words["data"] == writes["data"]
    assert words["layout"]["meta"]["title"] == writes["layout"]["meta"]["title"]
    assert words["layout"]["meta"]["description"] != writes["layout"]["meta"]["description"]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"layer": 3}, "Layer 3 does not exist; the decoder has layers 0 to 2."),
        ({"position": 99}, "Position 99 does not exist; the target has positions 0 to 3."),
    ],
    ids=str,
)
def test_what_does_not_exist_is_refused_and_the_field_is_named(
    client: httpx2.Client, changed: dict, sentence: str
):
    response = client.get(f"{ADDRESS}/figures", params={**LINES, **changed})
    problem = response.json()
    assert (response.status_code, problem["detail"]) == (422, sentence)
    assert [error["pointer"] for error in problem["errors"]] == [f"/{next(iter(changed))}"]
