"""Figures: Plotly takes each as it is, and both ways to ask for one give the same. What they
show is held in `drawn`.
"""

import re
from base64 import b64decode
from urllib.parse import parse_qsl, urlsplit

import httpx2
import numpy as np
import plotly.graph_objects as go
import plotly.io as pio
import pytest

from app.api.endpoint import Endpoint, endpoints
from app.api.figure_routes import has_figures
from app.compute.messages import Figures, Standalone
from app.compute.wire import AnswerTooLarge
from app.worker.figures import render
from model import analyses
from tests.app.problems import assert_problem
from tests.rounding import SINGLE, same

WITH_FIGURES = [endpoint for endpoint in endpoints() if has_figures(endpoint)]
SCALING = {"d_head": 4, "pairs": 1000, "keys": 4, "correlation": 0.0, "seed": 0, "seeds": 1}
every_word = pytest.mark.parametrize("word", WITH_FIGURES, ids=lambda word: word.name)


def as_array(numbers: list | dict) -> np.ndarray:
    """A list of numbers, or a typed array in base64."""
    if isinstance(numbers, list):
        return np.array(numbers, float)
    flat = np.frombuffer(b64decode(numbers["bdata"]), f"<{numbers['dtype']}")
    return flat.reshape([int(n) for n in numbers.get("shape", str(flat.size)).split(",")])


def figures(client: httpx2.Client, word: Endpoint, **more: str) -> dict:
    query = {**dict(parse_qsl(word.example)), **more}
    response = client.get(f"{word.address}/figures", params=query)
    assert response.status_code == 200, response.text
    return response.json()


@every_word
def test_plotly_takes_every_figure_and_every_figure_says_what_it_shows(
    client: httpx2.Client, word: Endpoint, subtests: pytest.Subtests
):
    drawings = figures(client, word)["figures"]
    assert drawings
    for name, figure in drawings.items():
        with subtests.test(name):
            taken = go.Figure(figure)
            layout = taken.layout
            assert layout.meta["title"]
            assert layout.meta["description"].endswith(".")
            assert layout.meta["kind"] in (
                "trained",
                "random initialization",
                "constructed",
                "analytic",
            )
            for axis in (*taken.select_xaxes(), *taken.select_yaxes()):
                assert axis.title.text
                assert axis.range is not None
                assert len(axis.ticktext) == len(axis.tickvals)


@every_word
def test_a_point_that_is_pointed_at_says_a_number_with_three_digits(
    client: httpx2.Client, word: Endpoint
):
    for figure in figures(client, word)["figures"].values():
        for trace in figure["data"]:
            template = trace["hovertemplate"]
            assert template.endswith("<extra></extra>")
            assert re.search(r"%\{(x|y|z|customdata)", template)
            assert re.sub(r"%\{[^}]*\}|<[^>]*>|\W|\d", "", template), "a number has a name"


@every_word
def test_both_encodings_and_both_addresses_give_the_same_figure(
    client: httpx2.Client, word: Endpoint
):
    """Each figure is drawn by one function, whatever it comes with; the last is asked for alone,
    and by its name.
    """
    listed = figures(client, word)["figures"]
    typed = figures(client, word, encoding="base64")["figures"]
    for name, figure in listed.items():
        for trace, other in zip(figure["data"], typed[name]["data"], strict=True):
            for axis in {"x", "y", "z"} & trace.keys():
                typed_numbers = as_array(other[axis])
                listed_numbers = np.array(trace[axis], float).astype(typed_numbers.dtype)
                np.testing.assert_array_equal(listed_numbers, typed_numbers)
    response = client.get(f"{word.address}/figures/{name}?{word.example}")
    assert response.json() == figure
    assert go.Figure(figure) == pio.from_json(response.text)
    assert list(figures(client, word, figures=name)["figures"]) == [name]


@every_word
def test_a_figure_names_a_call_that_is_answered(client: httpx2.Client, word: Endpoint):
    for figure in figures(client, word)["figures"].values():
        call = urlsplit(figure["layout"]["meta"]["call"])
        assert call.path == word.address
        assert client.get(call.geturl()).status_code == 200


def test_an_unknown_figure_is_refused_with_the_nearest(client: httpx2.Client):
    response = client.get("/api/v1/scaling/figures/entropi?pairs=2000")
    problem = assert_problem(response, 404)
    assert problem["nearest"][0] == "entropy"
    assert_problem(client.get("/api/v1/scaling/figures?pairs=2000&figures=entropi"), 404)


@pytest.mark.parametrize("names", [",", "entropy,", ",entropy", "entropy, ,entropy"])
def test_an_empty_name_of_a_figure_is_refused_before_anything_is_computed(
    client: httpx2.Client, names: str
):
    for response in (
        client.get("/api/v1/scaling/figures", params={"seed": 3, "figures": names}),
        client.post("/api/v1/scaling/figures", json={"seed": 3, "figures": names}),
    ):
        assert_problem(response, 422, "string_pattern_mismatch")


def test_what_the_word_refuses_its_figures_refuse(client: httpx2.Client):
    assert_problem(client.get("/api/v1/scaling/figures?d_head=0"), 422)
    assert_problem(client.get("/api/v1/scaling/figures/entropy?nonsense=1"), 422)
    assert_problem(client.post("/api/v1/scaling/figures", json={"standalone": True}), 422)


def test_a_figure_is_kept_and_named_by_its_bytes(client: httpx2.Client):
    address = "/api/v1/scaling/figures/entropy?pairs=2000"
    first = client.get(address)
    again = client.get(address, headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304
    assert client.head(address).headers["etag"] == first.headers["etag"]
    posted = client.post("/api/v1/scaling/figures/entropy", json={"pairs": 2000})
    assert posted.json() == first.json()


def test_a_standalone_figure_is_one_file_that_needs_nothing_else(client: httpx2.Client):
    response = client.get("/api/v1/scaling/figures/entropy?pairs=2000&standalone=true")
    assert response.headers["content-type"].startswith("text/html")
    assert response.headers["content-disposition"].startswith("attachment")
    assert "plotly.js v" in response.text
    assert not re.search(r"<(script|link)[^>]+(src|href)=", response.text)


def test_plotlys_script_is_not_kept_in_each_standalone_figure():
    """Sixteen with 4.8 MB each took the kept answers of everybody else out."""
    content = render("scaling", analyses.answer("scaling", SCALING), SCALING, Standalone("entropy"))
    assert len(content) < 100_000
    assert content.count(Standalone.SCRIPT) == 1


def test_the_products_are_counted_in_quarters_of_their_spread(client: httpx2.Client):
    word = next(word for word in WITH_FIGURES if word.name == "scaling")
    products = figures(client, word)["figures"]["products"]
    answer = client.get(products["layout"]["meta"]["call"]).json()
    values = np.array(answer["tensors"]["products"]["data"]).ravel()
    root = np.sqrt(answer["question"]["d_head"])
    bars = [trace for trace in products["data"] if trace["type"] == "bar"]
    for trace, spread in zip(bars, (root, 1), strict=True):
        for centre, share in zip(trace["x"], trace["y"], strict=True):
            scaled = values / root * spread
            low, high = centre - spread / 8, centre + spread / 8
            inside = ((scaled >= low - 1e-9) & (scaled < high + 1e-9)).mean()
            same(share, inside, scale=1)
        same(sum(trace["y"]), 1, SINGLE)


def test_figures_that_are_larger_than_an_answer_may_be_are_refused():
    answer = analyses.answer("scaling", SCALING)
    content = render("scaling", answer, SCALING, Figures())
    assert render("scaling", answer, SCALING, Figures(), len(content)) == content
    with pytest.raises(AnswerTooLarge):
        render("scaling", answer, SCALING, Figures(), len(content) - 1)
