"""The figures that follow the weights of one query forward show the numbers of the answer."""

import httpx2
import numpy as np
import pytest

from tests.rounding import SINGLE, same

ONE_HEAD = {"model": "translator", "source": "i am cold", "kind": "cross", "layer": 2, "head": 1}


@pytest.fixture
def ask(client: httpx2.Client):
    def ask_path(path: str, **changes: object) -> dict:
        response = client.get(
            f"/api/v1/attention{path}", params={**ONE_HEAD, "forward": 1, **changes}
        )
        assert response.status_code == 200, response.text
        return response.json()

    return ask_path


def test_values_weighted_values_and_the_stream_are_those_of_the_answer(ask):
    tensors = {name: np.array(tensor["data"]) for name, tensor in ask("")["tensors"].items()}
    values, weighted, stream = (np.array(trace["z"]) for trace in ask("/figures/values")["data"])
    same(values, tensors["value"], SINGLE)
    same(weighted[:-1], tensors["value"] * tensors["weight"][:, None], SINGLE)
    same(weighted[-1], weighted[:-1].sum(0), SINGLE, scale=1)
    same(stream[0], tensors["head_out"], SINGLE)
    same(stream[2] + tensors["out"], stream[3], SINGLE, scale=1)
    same(stream[4], tensors["stream"][-1], SINGLE)


def test_values_and_weighted_values_have_one_scale_so_that_a_small_weight_is_seen(ask):
    values, weighted, _ = ask("/figures/values")["data"]
    assert (values["zmin"], values["zmax"]) == (weighted["zmin"], weighted["zmax"])
    assert values["zmin"] == -values["zmax"]


def test_between_rows_of_a_table_each_row_has_the_effect_of_its_removal(client):
    question = {"model": "penguins-saint", "row": "hardest", "kind": "rows", "layer": 0, "head": 1}
    answer, figure = (
        client.get(f"/api/v1/attention{path}", params={**question, "forward": 1}).json()
        for path in ("", "/figures/importance")
    )
    assert answer["axes"]["removed"]["ids"] == list(range(answer["axes"]["table"]["size"]))
    *_, effect = figure["data"]
    same(effect["y"], answer["tensors"]["removal"]["data"], SINGLE)
    assert np.abs(effect["y"]).max() > 1e-6


def test_a_key_that_the_mask_hides_is_not_removed_and_has_no_bar(ask):
    answer = ask("", kind="self", stack="decoder")
    assert answer["axes"]["removed"]["ids"] == [0, 1]
    *_, effect = ask("/figures/importance", kind="self", stack="decoder")["data"]
    assert [value is None for value in effect["y"]] == [False, False, True, True]


@pytest.mark.parametrize(
    "question",
    [
        {"model": "digits", "image": "one", "kind": "self", "layer": 0, "head": 0},
        {"model": "shapes", "image": "three", "kind": "cross", "layer": 0, "head": 1},
        {"model": "penguins-saint", "row": "adelie", "kind": "rows", "layer": 0, "head": 1},
        {"model": "penguins-tab", "row": "adelie", "kind": "self", "layer": 0, "head": 1},
        {
            "model": "shakespeare-xl",
            "text": "ROMEO:\nBut soft",
            "kind": "self",
            "layer": 1,
            "head": 0,
        },
        {
            "model": "translator-pre",
            "source": "i am cold",
            "kind": "self",
            "stack": "encoder",
            "layer": 0,
            "head": 0,
        },
    ],
    ids=lambda question: question["model"],
)
def test_every_kind_of_input_and_attention_has_its_way_to_z(client, question):
    address = "/api/v1/attention/figures/values"
    response = client.get(address, params={**question, "forward": 1})
    assert response.status_code == 200, response.text
    weighted = np.array(response.json()["data"][1]["z"])
    same(weighted[:-1].sum(0), weighted[-1], SINGLE, scale=1)


def test_between_rows_of_a_table_the_way_goes_on_to_the_stream_from_the_first_row_alone(client):
    question = {"model": "penguins-saint", "row": "adelie", "kind": "rows", "layer": 0, "head": 1}
    address = "/api/v1/attention/figures/values"
    panels = [
        len(client.get(address, params={**question, "forward": row}).json()["data"])
        for row in (0, 1)
    ]
    assert panels == [3, 2]


def test_without_a_query_to_follow_the_figures_do_not_exist(client):
    response = client.get("/api/v1/attention/figures/values", params=ONE_HEAD)
    assert response.status_code == 404


def test_the_small_maps_hover_says_as_many_decimals_as_their_numbers_have(client):
    query = {"model": "translator", "source": "i am cold"}
    for more, form in (({"decimals": 2}, ":.2f}"), ({}, ":.3g}")):
        figure = client.get("/api/v1/attention/figures/heads", params={**query, **more}).json()
        assert all(form in trace["hovertemplate"] for trace in figure["data"])
