"""The figures of the effects show each number where its part stands, on a scale around 0."""

import json
from urllib.parse import parse_qs, urlsplit

import httpx2
import numpy as np
import pytest

from tests.rounding import SINGLE, same

ADDRESS = "/api/v1/effects"
FRENCH = {"model": "translator", "source": "I don't speak French.", "draws": 2}


def get_answer(client: httpx2.Client, **more) -> dict:
    return client.get(ADDRESS, params={**FRENCH, **more}).json()


def get_figure(client: httpx2.Client, name: str, **more) -> dict:
    return client.get(f"{ADDRESS}/figures/{name}", params={**FRENCH, **more}).json()


def words(client: httpx2.Client, **more) -> dict:
    return client.get(f"{ADDRESS}/figures", params={**FRENCH, **more}).json()["words"]


def number_of(answer: dict, name: str) -> int:
    return [unit["name"] for unit in answer["units"]].index(name)


@pytest.mark.parametrize(("unit", "panels"), [("sublayer", 1), ("position", 2), ("neurons", 2)])
def test_the_other_parts_are_drawn_once_each(client: httpx2.Client, unit: str, panels: int):
    answer, figure = get_answer(client, unit=unit), get_figure(client, "map", unit=unit)
    picked = [trace for trace in figure["data"] if "pick" in trace["meta"]]
    names = np.concatenate([np.ravel(trace["meta"]["pick"]["chosen"]) for trace in picked])
    assert len(picked) == panels
    assert list(names) == [unit_fields["name"] for unit_fields in answer["units"]]


def test_the_view_in_order_has_the_largest_changes_and_what_other_examples_do(
    client: httpx2.Client,
):
    answer, figure = get_answer(client), get_figure(client, "sorted")
    change = np.array(answer["tensors"]["change"]["data"])
    bars, dots = figure["data"]
    assert bars["x"] == sorted(bars["x"])
    same(sorted(map(abs, bars["x"])), sorted(abs(change))[-20:], SINGLE)
    at = [number_of(answer, name) for name in bars["meta"]["pick"]["chosen"]]
    resampled = np.array(answer["tensors"]["resampled"]["data"])[:, at]
    same(dots["x"], resampled.T.ravel(), SINGLE)


def test_the_bars_of_the_tokens_sum_to_the_log_probability_with_the_part_and_without(
    client: httpx2.Client,
):
    name = "decoder.2.cross_attention.z[head 1]"
    answer, figure = get_answer(client), get_figure(client, "tokens", chosen=name)
    before, after = (sum(trace["y"]) for trace in figure["data"])
    change = answer["tensors"]["change"]["data"][number_of(answer, name)]
    same(before, answer["unedited"]["log_probability"], SINGLE)
    same(after - before, change, SINGLE, scale=1)


def test_the_links_lead_to_the_run_without_the_chosen_head(client: httpx2.Client):
    chosen = "decoder.2.cross_attention.z[head 1]"
    links = [urlsplit(link["href"]) for link in words(client, chosen=chosen)["links"]]
    assert [link.path for link in links] == ["/attention", "/generate"]
    query = {name: value for name, (value,) in parse_qs(links[0].query).items()}
    where = {"kind": "cross", "stack": "decoder", "layer": "2", "head": "1"}
    assert where.items() <= query.items()
    assert json.loads(query["edits"]) == [
        {"op": "zero", "at": "decoder.2.cross_attention.z", "where": {"head": [1]}}
    ]
    answer = client.get("/api/v1/attention", params=query).json()
    z = answer["edits"][0]
    assert z["names"] == ["decoder.2.cross_attention.z"]
    assert z["elements"] > 0


def test_every_ablation_leads_to_a_run_that_the_server_makes(client: httpx2.Client):
    for ablation in ("mean", "resample"):
        link = words(client, ablation=ablation, unit="sublayer")["links"][0]["href"]
        response = client.get(f"/api/v1{link}")
        assert response.status_code == 200, response.text


def test_too_much_work_is_refused_with_what_to_lower(client: httpx2.Client):
    text = "ROMEO:\nBut soft, what light? " * 60
    question = {"model": "shakespeare", "text": text, "unit": "position", "draws": 16}
    response = client.get(ADDRESS, params=question)
    assert response.status_code == 422
    assert {error["pointer"] for error in response.json()["errors"]} >= {"/draws", "/text"}
