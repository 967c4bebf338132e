"""The figures of /generate: every number is the answer's, at the step that is asked for."""

import httpx2
import pytest

from tests.rounding import SINGLE, same

QUERY = {"model": "translator", "source": "i am cold", "target": "le chat dort"}
SAMPLED = {**QUERY, "strategy": "sample", "temperature": "2", "top_k": "5", "seed": "3"}


def answer(client: httpx2.Client, query: dict) -> dict:
    return client.get("/api/v1/generate", params=query).json()


def figure(client: httpx2.Client, name: str, query: dict) -> dict:
    response = client.get(f"/api/v1/generate/figures/{name}", params=query)
    assert response.status_code == 200, response.text
    return response.json()


def bars(plot: dict, name: str) -> dict[int, float]:
    """Place and length of the bars of a trace."""
    (trace,) = [trace for trace in plot["data"] if trace["name"] == name]
    return dict(zip(trace["y"], trace["x"], strict=True))


@pytest.mark.parametrize("head", [None, 1, 3])
def test_what_a_step_looked_at_has_the_weights_of_its_layer_and_head(
    client: httpx2.Client, head: int | None
):
    answered = answer(client, QUERY)
    whose = {"layer": 0} | ({} if head is None else {"head": head})
    meta = figure(client, "step", {**QUERY, **whose, "at": 2})["layout"]["meta"]
    name = "decoder.0.cross_attention.pattern"
    tensor = answered["tensors"][name + ("" if head is not None else ".mean")]["data"]
    weights = tensor[1] if head is None else tensor[head][1]
    same(meta["look"]["weights"], weights, SINGLE)
    assert meta["look"]["memory"] == answered["axes"]["source"]["labels"]
    assert meta["read"] == ["<s>", *(step["token"]["text"] for step in answered["steps"][:2])]


def test_the_text_of_a_model_of_one_stack_is_looked_at_without_what_comes_later(
    client: httpx2.Client,
):
    query = {"model": "shakespeare", "text": "ROMEO:", "max_new_tokens": "4"}
    answered = answer(client, query)
    attention = figure(client, "step", {**query, "at": 1})["layout"]["meta"]["look"]
    labels = answered["axes"]["text"]["labels"]
    assert attention["memory"] == labels[: len(labels) - len(answered["steps"]) + 1]
    assert len(attention["weights"]) == len(attention["memory"])


def test_the_number_that_was_drawn_lies_in_the_share_of_the_chosen_token(client: httpx2.Client):
    for step in answer(client, SAMPLED)["steps"]:
        layout = figure(client, "step", {**SAMPLED, "at": step["index"] + 1})["layout"]
        shapes = [shape for shape in layout["shapes"] if shape["xref"] == "x2"]
        (needle,) = [shape for shape in shapes if shape["type"] == "line"]
        (share,) = [shape for shape in shapes if shape["name"] == "fill select"]
        assert needle["x0"] == step["drawn"]
        assert share["x0"] <= step["drawn"] <= share["x1"]
        chosen = next(candidate for candidate in step["candidates"] if candidate["chosen"])
        same(share["x1"] - share["x0"], chosen["after"], SINGLE)


def test_without_a_step_or_beyond_the_last_the_last_is_shown(client: httpx2.Client):
    last = figure(client, "step", QUERY)
    count = len(answer(client, QUERY)["steps"])
    for at in (count, count + 5):
        assert figure(client, "step", {**QUERY, "at": at})["data"] == last["data"]
    assert figure(client, "step", {**QUERY, "at": 1})["data"] != last["data"]


def test_what_comes_after_the_step_that_is_shown_is_faint(client: httpx2.Client):
    first, later, _ = figure(client, "text", {**QUERY, "at": 2})["data"]
    assert len(first["y"]) == 2
    assert later["opacity"] < 1


def test_the_first_row_of_teacher_forcing_that_differs_is_in_a_frame(client: httpx2.Client):
    forcing = answer(client, QUERY)["teacher_forcing"]
    layout = figure(client, "forcing", QUERY)["layout"]
    frames = [shape for shape in layout["shapes"] if shape["name"] == "line error"]
    assert len(frames) == 2
    for frame in frames:
        assert frame["x0"] < forcing["first_difference"] < frame["x1"]
