"""The figures of patching show every patch once, where it was made, and a click asks for it."""

import json
from urllib.parse import parse_qs, urlsplit

import httpx2
import numpy as np
import pytest

from tests.rounding import SINGLE, same

ADDRESS = "/api/v1/patching"
ASKED = {"model": "translator", "source": "i am cold", "clean": "he is cold"}


def drawn(client: httpx2.Client, name: str, **more) -> dict:
    return client.get(f"{ADDRESS}/figures/{name}", params={**ASKED, **more}).json()


def words(client: httpx2.Client, name: str, **more) -> dict:
    asked = {**ASKED, "figures": name, **more}
    return client.get(f"{ADDRESS}/figures", params=asked).json()["words"]


@pytest.fixture
def answer(client: httpx2.Client) -> dict:
    return client.get(ADDRESS, params={**ASKED, "heads": True, "pairs": True}).json()


def cells(figure: dict) -> dict[tuple, float]:
    """The numbers of the small maps by what a click on them asks for."""
    (trace,) = figure["data"]
    pick = trace["meta"]["pick"]
    return {
        tuple(pick[name][r][c] for name in pick): z
        for r, row in enumerate(trace["z"])
        for c, z in enumerate(row)
        if z is not None and pick["layer"][r][c] is not None
    }


def test_every_cell_of_the_grid_asks_for_the_patch_whose_number_it_shows(
    client: httpx2.Client, answer: dict
):
    found = cells(drawn(client, "grid"))
    restored = np.array(answer["tensors"]["restored"]["data"])
    sites = answer["axes"]["site"]["labels"]
    assert len(found) == restored.size
    for (site, layer, position), z in found.items():
        same(z, restored[sites.index(site), layer, position], SINGLE, scale=1)


def test_the_patch_that_is_chosen_has_a_frame_of_its_own(client: httpx2.Client):
    frames = [
        shape
        for where in ({}, {"layer": 2, "position": 3})
        for shape in drawn(client, "grid", **where)["layout"]["shapes"]
        if shape["name"] == "line ink"
    ]
    assert len(frames) == 2
    assert frames[0] != frames[1]


def test_every_head_is_a_small_map(client: httpx2.Client, answer: dict):
    trace = drawn(client, "heads", heads=True)["data"][0]
    by_head = np.array(answer["tensors"]["restored_by_head"]["data"])
    assert len(trace["meta"]["tiles"]) == by_head.shape[0] * by_head.shape[1]
    shown = [z for row in trace["z"] for z in row if z is not None]
    same(sorted(shown), np.sort(by_head.ravel()), SINGLE, scale=1)


def test_a_pair_is_drawn_twice_and_says_the_answer_that_it_makes(
    client: httpx2.Client, answer: dict
):
    trace = drawn(client, "pairs", pairs=True)["data"][0]
    z, said = np.array(trace["z"]), answer["pair_answers"]
    same(z, z.T, SINGLE)
    own = answer["answer_corrupted"]
    assert [[text != "" for text in row] for row in trace["text"]] == [
        [one != own for one in row] for row in said
    ]


def test_the_answers_of_three_runs_are_bars(client: httpx2.Client, answer: dict):
    traces = drawn(client, "answers")["data"]
    assert [trace["name"] for trace in traces] == ["corrupted", "patched", "clean"]
    for trace in traces:
        told = [one["probability"] for one in answer[trace["name"]]["answers"]]
        same(sorted(trace["y"]), sorted(told), SINGLE)


def test_a_figure_of_what_was_not_asked_is_refused(client: httpx2.Client):
    response = client.get(f"{ADDRESS}/figures/pairs", params=ASKED)
    assert response.status_code == 404


def test_the_link_to_attention_has_the_patch_as_an_edit(client: httpx2.Client, answer: dict):
    first = words(client, "grid")["links"][0]["href"]
    asked = parse_qs(urlsplit(first).query)
    assert json.loads(asked["edits"][0]) == [answer["edit"]]
    edited = client.get(f"/api/v1/attention?{urlsplit(first).query}").json()
    assert edited["edits"][0]["elements"] > 0


def test_without_a_difference_the_words_say_so_and_give_no_share(client: httpx2.Client):
    same = {"clean": "i am cold"}
    said = words(client, "grid", **same)["views"]["grid"]
    assert "too little" in said["more"]
    assert "%" not in said["see"]
    drawing = drawn(client, "grid", **same)
    assert drawing["data"][0]["colorbar"]["title"]["text"] == "nats"


def test_a_path_says_which_site_it_reaches_and_has_no_edit_to_link_to(client: httpx2.Client):
    receiver = "decoder.2.cross_attention.v"
    told = words(client, "grid", receiver=receiver)
    assert receiver in told["views"]["grid"]["more"]
    assert all(not one["href"].startswith("/attention") for one in told["links"])


def test_an_input_may_be_an_object_in_a_body(client: httpx2.Client):
    body = {"model": "translator", "corrupted": {"source": "i am cold"}, "clean": "he is cold"}
    posted = client.post(ADDRESS, json=body)
    assert posted.status_code == 200
    got = client.get(ADDRESS, params=ASKED).json()
    assert posted.json()["tensors"]["restored"] == got["tensors"]["restored"]
