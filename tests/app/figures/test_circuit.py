"""The figures of circuits draw the answer's numbers, and a click on a path takes it away."""

import httpx2
import numpy as np
import pytest

from app.figures.circuit_paths import address_of
from model.interpretability.path_expansion import group_of, removed_paths
from tests.rounding import SINGLE, same

ADDRESS = "/api/v1/circuit"
TWO = {"model": "induction-2", "text": "qvmtzkdbqvmtzkdb"}
PATHS = [
    *("direct", "0.0", "0.3", "1.0", "1.1"),
    *(f"0.{i}-1.{j}{end}" for i in (0, 3) for j in (0, 1) for end in ("", ".k", ".q")),
]
FIELDS = {"paths": PATHS, "groups": group_of(PATHS)}


def figure_of(client: httpx2.Client, name: str, **changed) -> dict:
    response = client.get(f"{ADDRESS}/figures/{name}", params={**TWO, **changed})
    assert response.status_code == 200, response.text
    return response.json()


def test_a_click_on_a_path_asks_for_the_run_without_it_and_again_for_the_run_with_it(
    client: httpx2.Client,
):
    keys = figure_of(client, "paths", part="paths")["data"][1]
    taken = keys["meta"]["pick"]["without"][3][1]
    assert taken == "0.3-1.1.k"
    without = figure_of(client, "paths", part="paths", without=taken)["data"][1]
    assert without["meta"]["pick"]["without"][3][1] == ""
    assert without["meta"]["pick"]["without"][3][4] == "0.3-1.?.k"
    assert "removed" in without["customdata"][3][1]
    assert without["z"][3][1] == 0


def test_the_bars_of_a_step_stand_on_each_other(client: httpx2.Client):
    traces = figure_of(client, "training", part="paths")["data"]
    stack = [trace for trace in traces if trace["type"] == "bar"]
    for step in range(20):
        ends = sorted(
            (trace["base"][step], trace["base"][step] + trace["y"][step]) for trace in stack
        )
        lengths = sum(abs(trace["y"][step]) for trace in stack)
        low = min(min(pair) for pair in ends)
        high = max(max(pair) for pair in ends)
        same(high - low, lengths, SINGLE, scale=1)


def test_pairs_that_compose_are_framed_where_heads_are_named_one_by_one(client: httpx2.Client):
    answer = client.get(ADDRESS, params={**TWO, "part": "composition"}).json()
    rank = np.array(answer["tensors"]["quantile"]["data"][1], float)
    figure = figure_of(client, "composition", part="composition", composition="k")
    paths = [shape["path"] for shape in figure["layout"]["shapes"] if shape["type"] == "path"]
    assert paths[0].count("M") == (rank == 1).sum()
    assert figure["layout"]["yaxis"]["ticktext"][:2] == ["L0H0", "L0H1"]


def test_many_heads_are_named_by_their_attention(client: httpx2.Client):
    query = {"model": "translator", "source": "i am cold", "part": "composition"}
    figure = client.get(f"{ADDRESS}/figures/composition", params=query).json()
    assert figure["layout"]["xaxis"]["ticktext"] == [
        *("encoder 0", "encoder 1", "encoder 2"),
        *(f"{kind} {layer}" for layer in range(3) for kind in ("decoder", "cross")),
    ]


@pytest.mark.parametrize(
    ("changed", "status", "sentence"),
    [
        ({"part": "paths", "without": "0.9"}, 404, "There is no path named '0.9'."),
        ({"layer": 2}, 422, "Layer 2 does not exist; the decoder has layers 0 to 1."),
        ({"step": 7}, 422, "Step 7 is not stored"),
    ],
    ids=str,
)
def test_what_does_not_exist_is_refused_in_a_sentence(
    client: httpx2.Client, changed: dict, status: int, sentence: str
):
    response = client.get(f"{ADDRESS}/figures", params={**TWO, **changed})
    assert response.status_code == status
    assert sentence in response.json()["detail"]


@pytest.mark.parametrize(
    ("without", "address"),
    [
        (["0.3-1.0.k", "0.3-1.1.k"], "0.3-1.?.k"),
        (["0.3-1.0.k"], "0.3-1.0.k"),
        (["1.0", "1.1", "0.0-1.1"], "1.?,0.0-1.1"),
        ([], ""),
    ],
)
def test_an_address_names_a_group_where_all_of_it_is_taken_away(without: list[str], address: str):
    assert address_of(FIELDS, without) == address
    assert set(removed_paths(address, PATHS)) == set(without)
