"""The logit lens: a cell shows the first guess, and a frame marks where it is what comes next."""

import re

import httpx2
import numpy as np

FEW = {"model": "translator", "source": "i am cold"}


def test_a_frame_marks_the_cells_whose_first_guess_really_comes_next(client: httpx2.Client):
    figure = client.get("/api/v1/logits/figures/lens", params=FEW).json()
    answer = client.get(figure["layout"]["meta"]["call"]).json()
    ranks = np.array(answer["tensors"]["lens.expected_rank"]["data"])
    wanted = {(p + answer["expected_from"], s) for s, p in np.argwhere(ranks == 1)}
    paths = [shape["path"] for shape in figure["layout"]["shapes"]]
    assert len(set(paths)) == 1
    corners = re.findall(r"M([\d.-]+),([\d.-]+)L", paths[0])
    assert {(round(float(y) + 0.46), round(float(x) + 0.46)) for x, y in corners} == wanted


def test_what_comes_next_stands_beside_the_positions_that_are_asked(client: httpx2.Client):
    query = {"model": "prefix-translator", "source": "i am cold"}
    figure = client.get("/api/v1/logits/figures/lens", params=query).json()
    answer = client.get(figure["layout"]["meta"]["call"]).json()
    notes = figure["layout"]["annotations"]
    assert answer["expected_from"] > 0
    assert [note["y"] for note in notes] == [
        answer["expected_from"] + i for i in range(len(answer["expected"]))
    ]
    assert [note["text"].removeprefix("→ ") for note in notes] == [
        token.replace("<", "&lt;").replace(">", "&gt;") for token in answer["expected"]
    ]


def test_the_lens_is_drawn_whether_or_not_it_was_asked_for(client: httpx2.Client):
    query = {"model": "translator", "source": "i am cold", "names": "top_id"}
    assert client.get("/api/v1/logits/figures/lens", params=query).status_code == 200


def test_a_lens_of_many_tokens_asks_for_a_line_for_each(client: httpx2.Client):
    query = {"model": "shakespeare", "text": " ".join(["the"] * 29)}
    figure = client.get("/api/v1/logits/figures/lens", params=query).json()
    rows = len(figure["layout"]["yaxis"]["ticktext"])
    assert figure["layout"]["meta"]["tall"] == rows >= 29
    few = client.get("/api/v1/logits/figures/lens", params=FEW).json()
    assert "tall" not in few["layout"]["meta"]
