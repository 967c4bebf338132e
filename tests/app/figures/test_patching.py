"""The figures of patching show every patch once, where it was made, and a click asks for it."""

import json
from urllib.parse import parse_qs, urlsplit

import httpx2
import numpy as np
import pytest

from tests.rounding import SINGLE, same

ADDRESS = "/api/v1/patching"
QUERY = {"model": "translator", "source": "i am cold", "clean": "he is cold"}


def figure_of(client: httpx2.Client, name: str, **more) -> dict:
    return client.get(f"{ADDRESS}/figures/{name}", params={**QUERY, **more}).json()


def words(client: httpx2.Client, name: str, **more) -> dict:
    query = {**QUERY, "figures": name, **more}
    return client.get(f"{ADDRESS}/figures", params=query).json()["words"]


@pytest.fixture
def answer(client: httpx2.Client) -> dict:
    return client.get(ADDRESS, params={**QUERY, "heads": True, "pairs": True}).json()


def test_the_patch_that_is_chosen_has_a_frame_of_its_own(client: httpx2.Client):
    frames = [
        shape
        for where in ({}, {"layer": 2, "position": 3})
        for shape in figure_of(client, "grid", **where)["layout"]["shapes"]
        if shape["name"] == "line ink"
    ]
    assert len(frames) == 2
    assert frames[0] != frames[1]


def test_a_pair_is_drawn_twice_and_says_the_answer_that_it_makes(
    client: httpx2.Client, answer: dict
):
    trace = figure_of(client, "pairs", pairs=True)["data"][0]
    z, answers = np.array(trace["z"]), answer["pair_answers"]
    same(z, z.T, SINGLE)
    corrupted = answer["answer_corrupted"]
    assert [[text != "" for text in row] for row in trace["text"]] == [
        [text != corrupted for text in row] for row in answers
    ]


def test_a_figure_of_what_was_not_asked_is_refused(client: httpx2.Client):
    response = client.get(f"{ADDRESS}/figures/pairs", params=QUERY)
    assert response.status_code == 404


def test_the_link_to_attention_has_the_patch_as_an_edit(client: httpx2.Client, answer: dict):
    first = words(client, "grid")["links"][0]["href"]
    query = parse_qs(urlsplit(first).query)
    assert json.loads(query["edits"][0]) == [answer["edit"]]
    edited = client.get(f"/api/v1/attention?{urlsplit(first).query}").json()
    assert edited["edits"][0]["elements"] > 0


def test_a_path_says_which_site_it_reaches_and_has_no_edit_to_link_to(client: httpx2.Client):
    receiver = "decoder.2.cross_attention.v"
    captions = words(client, "grid", receiver=receiver)
    assert receiver in captions["views"]["grid"]["more"]
    assert all(not link["href"].startswith("/attention") for link in captions["links"])


def test_an_input_may_be_an_object_in_a_body(client: httpx2.Client):
    body = {"model": "translator", "corrupted": {"source": "i am cold"}, "clean": "he is cold"}
    posted = client.post(ADDRESS, json=body)
    assert posted.status_code == 200
    got = client.get(ADDRESS, params=QUERY).json()
    assert posted.json()["tensors"]["restored"] == got["tensors"]["restored"]
