"""The figures of attribution show the numbers of the answer: every score in its cell, the rank
correlations over the band of random orders, and sums that are sums.
"""

import httpx2
import numpy as np
import pytest

from tests.rounding import PRINTED, SINGLE, near, same

ADDRESS = "/api/v1/attribution"
LINES = {"model": "translator", "source": "i am cold", "target": "j' ai froid", "steps": 257}


@pytest.fixture
def answer(client: httpx2.Client) -> dict:
    return client.get(ADDRESS, params=LINES).json()


def figure_of(client: httpx2.Client, name: str, **changed) -> dict:
    question = changed if "model" in changed else {**LINES, **changed}
    return client.get(f"{ADDRESS}/figures/{name}", params=question).json()


def test_every_row_is_divided_by_its_largest_size_and_keeps_its_signs(
    client: httpx2.Client, answer: dict
):
    (trace,) = figure_of(client, "scores")["data"]
    numbers = np.array(answer["tensors"]["score"]["data"])
    shares = np.array(trace["z"])
    same(np.abs(shares).max(-1), 1, SINGLE, scale=1)
    largest = np.abs(numbers).max(-1, keepdims=True)
    same(shares * largest, numbers, SINGLE, scale=1)
    assert (trace["zmin"], trace["zmax"]) == (-1, 1)


def test_a_row_of_small_numbers_is_written_with_more_decimals(client: httpx2.Client, answer: dict):
    (trace,) = figure_of(client, "scores")["data"]
    row = answer["axes"]["method"]["labels"].index("gradient")
    numbers = np.array(answer["tensors"]["score"]["data"][row])
    most = int(np.abs(numbers).argmax())
    assert np.abs(numbers).max() < 0.1, "the case that the test is about"
    printed = float(trace["text"][row][most].replace("−", "-"))
    near(printed, numbers[most], PRINTED, rel=0.1)


def test_the_columns_of_source_and_target_are_told_apart(client: httpx2.Client, answer: dict):
    layout = figure_of(client, "scores")["layout"]
    (edge,) = layout["shapes"]
    assert edge["x0"] == edge["x1"] == answer["axes"]["token"]["parts"]["source"] - 0.5
    digits = figure_of(client, "scores", model="digits", image="three")
    assert not digits["layout"].get("shapes")
    assert len(digits["layout"]["xaxis"]["ticktext"]) == 17


def test_the_bars_are_the_rank_correlations_over_the_band_of_random_orders(
    client: httpx2.Client, answer: dict
):
    figure = figure_of(client, "agreement")
    here, means, spans = figure["data"]
    expected = [row["rank_correlation"] for row in answer["agreement"]]
    same(here["x"], expected, SINGLE)
    (band,) = figure["layout"]["shapes"]
    assert (band["x0"], band["x1"]) == (answer["chance"]["low"], answer["chance"]["high"])
    held_out = answer["held_out"]["agreement"]
    same(means["x"], [row["mean"] for row in held_out], SINGLE)
    assert spans["x"] == [x for row in held_out for x in (row["low"], row["high"], None)]


def test_a_figure_of_a_method_that_was_not_asked_for_is_not_there(client: httpx2.Client):
    body = client.get(f"{ADDRESS}/figures", params={**LINES, "methods": "attention"}).json()
    assert set(body["figures"]) == {"scores", "agreement"}
    missing = client.get(
        f"{ADDRESS}/figures/rollout", params={**LINES, "methods": "attention"}
    ).json()
    assert missing["status"] == 404
