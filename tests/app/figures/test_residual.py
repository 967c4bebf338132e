"""Stacked parts: every bar is as long as the answer says, stands on the last, and the stack ends at
the length of the stream.
"""

import httpx2
import numpy as np
import pytest

from tests.rounding import PRINTED, SINGLE, near, same

ADDRESS = "/api/v1/residual"
LINES = {"model": "translator", "source": "i am cold"}


def bars_at(figure: dict, step: int) -> list[dict]:
    """The bars of one step, in the order in which they stand on one another."""
    bars = [
        {
            "value": trace["y"][at],
            "base": trace["base"][at],
            "said": trace["customdata"][at],
            "hollow": trace["meta"]["hollow"][at],
        }
        for trace in figure["data"]
        if trace["type"] == "bar"
        for at, of_step in enumerate(trace["meta"]["steps"])
        if of_step == step
    ]
    up = sorted((bar for bar in bars if bar["value"] > 0), key=lambda bar: bar["base"])
    down = sorted((bar for bar in bars if bar["value"] < 0), key=lambda bar: -bar["base"])
    return [*up, *down]


@pytest.fixture
def answer(client: httpx2.Client) -> dict:
    return client.get(ADDRESS, params=LINES).json()


@pytest.mark.parametrize("position", [0, 2])
def test_a_stack_of_parts_ends_at_the_length_of_the_stream(
    client: httpx2.Client, answer: dict, position: int
):
    figure = client.get(f"{ADDRESS}/figures/contributions", params={**LINES, "position": position})
    lengths = np.array(answer["tensors"]["norm"]["data"])[:, position]
    for step, length in enumerate(lengths):
        end = 0.0
        bars = bars_at(figure.json(), step)
        for bar in bars:
            same(bar["base"], end, SINGLE, scale=1)
            assert bar["hollow"] == (bar["value"] < 0), "parts that hold back are outlined"
            end += bar["value"]
        same(end, length, SINGLE, scale=1)


def test_a_part_that_is_pointed_at_says_its_own_number_and_the_sum(
    client: httpx2.Client, answer: dict
):
    figure = client.get(f"{ADDRESS}/figures/contributions", params={**LINES, "position": 1}).json()
    values = np.array(answer["tensors"]["projections"]["data"])[..., 1]
    lengths = np.array(answer["tensors"]["norm"]["data"])[:, 1]
    parts = [trace for trace in figure["data"] if trace["type"] == "bar"]
    assert len(parts) == len(answer["parts"])
    numbers = np.zeros((len(parts), len(lengths)))
    for part, trace in enumerate(parts):
        steps = trace["meta"]["steps"]
        numbers[part, steps], sums = np.array([row[2:] for row in trace["customdata"]]).T
        same(trace["y"], numbers[part, steps], SINGLE)
        same(sums, lengths[steps], SINGLE)
    same(np.sort(numbers.T), np.sort(values), SINGLE)


LONG = {"model": "shakespeare", "text": "ROMEO:\nBut soft, what light?\n" * 8, "window": "30:90"}


def test_of_many_other_tokens_three_are_drawn_at_each_step(client: httpx2.Client):
    query = LONG | {"position": 5, "figures": "norm,writes,dependency"}
    figures = client.get(f"{ADDRESS}/figures", params=query).json()["figures"]
    tensors = client.get(ADDRESS, params=LONG).json()["tensors"]
    for name, tensor in (("norm", "norm"), ("dependency", "dependency"), ("writes", "update_norm")):
        values = np.delete(np.array(tensors[tensor]["data"]), 5, axis=1)
        last = values.shape[1] - 1
        ranked = np.sort(values, axis=1)[:, [0, last // 2, last]].T
        ends = {"least of the others", "middle of the others", "greatest of the others"}
        traces = [trace for trace in figures[name]["data"] if trace["meta"].get("column") in ends]
        same([trace["y"][-len(values) :] for trace in traces], ranked, SINGLE)


def test_in_a_window_of_layers_small_parts_are_one_and_the_parts_still_sum(client: httpx2.Client):
    query = LINES | {"first_layer": 1, "layers": 2}
    answer = client.get(ADDRESS, params=query).json()
    query |= {"position": 2}
    figure = client.get(f"{ADDRESS}/figures/contributions", params=query).json()
    bars = [trace for trace in figure["data"] if trace["type"] == "bar"]
    assert any("smaller parts" in bar["meta"]["column"] for bar in bars)
    for step, length in enumerate(np.array(answer["tensors"]["norm"]["data"])[:, 2]):
        near(sum(bar["value"] for bar in bars_at(figure, step)), length, PRINTED, abs=0.001)


def test_a_position_beyond_the_text_is_its_last_token(client: httpx2.Client):
    last, beyond = (
        client.get(f"{ADDRESS}/figures/norm", params={**LINES, "position": position}).json()
        for position in (3, 20)
    )
    assert last["layout"]["meta"]["position"] == 3
    assert beyond["layout"]["meta"]["position"] == 3
    assert beyond["data"] == last["data"]


def test_writes_of_other_tokens_beyond_the_axis_of_the_chosen_one_are_said_with_an_arrow(
    client: httpx2.Client,
):
    answer = client.get(ADDRESS, params=LINES).json()
    lengths = np.array(answer["tensors"]["update_norm"]["data"])
    figure = client.get(f"{ADDRESS}/figures/writes", params={**LINES, "position": 1}).json()
    high = figure["layout"]["yaxis"]["range"][1]
    assert (
        lengths[:, 1].max()
        < high
        < 1.3
        * max(lengths[:, 1].max(), np.array(answer["tensors"]["part_norm"]["data"])[:, 1].max())
    )
    arrows = [note["text"] for note in figure["layout"]["annotations"] if "↑" in note["text"]]
    beyond = [row.max() for row in lengths if row.max() > high]
    assert beyond, "the first token of this text writes far more than the others"
    assert arrows == [f"↑ {length:.0f}" for length in beyond]
