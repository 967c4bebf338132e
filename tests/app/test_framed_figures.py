"""One figure as a page of its own, for a frame: who asks for text/html gets it, and errors too."""

import html
import json
import re

import httpx2
import pytest

from app.api.endpoint import endpoints
from app.api.figure_routes import has_figures
from app.experiments import experiments
from tests.app.problems import assert_problem

BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
WITH_FIGURES = [endpoint for endpoint in endpoints() if has_figures(endpoint)]
ADDRESS = "/api/v1/scaling/figures/weights?d_head=16"


def figure_in(page: str) -> dict:
    """The figure that came with the page."""
    found = re.search(r'<script type="application/json" id="figure">(.*)</script>', page)
    assert found
    return json.loads(found[1])


@pytest.mark.parametrize("accept", ["", "*/*", "application/json", "application/json, text/html"])
def test_programs_get_json(client: httpx2.Client, accept: str):
    response = client.get(ADDRESS, headers={"accept": accept})
    assert response.headers["content-type"] == "application/json"
    assert "Accept" in response.headers["vary"].split(", ")


@pytest.mark.parametrize("word", WITH_FIGURES, ids=lambda word: word.name)
def test_a_frame_gets_a_page_with_the_same_figure(client: httpx2.Client, word):
    known = client.get(f"{word.address}/figures?{word.example}").json()["figures"]
    address = f"{word.address}/figures/{next(iter(known))}?{word.example}"
    response = client.get(address, headers=BROWSER)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "Accept" in response.headers["vary"].split(", ")
    joint = "&" if word.example else ""
    served = client.get(f"{address}{joint}encoding=base64").json()
    assert figure_in(response.text) == served
    assert f">{served['layout']['meta']['title']}</h1>" in html.unescape(response.text)
    assert served["layout"]["meta"]["kind"] in response.text
    (whole,) = re.findall(r'class="whole" href="([^"]+)"', response.text)
    page = client.get(html.unescape(whole), headers=BROWSER)
    assert page.status_code == 200


def test_the_page_leads_to_the_page_that_shows_the_figure_in_the_same_state(client: httpx2.Client):
    address = "/api/v1/scaling/figures/products?d_head=16&theme=dark"
    page = client.get(address, headers=BROWSER).text
    assert 'href="/scaling?d_head=16&amp;show=products"' in page
    assert '<html lang="en" data-embed data-theme="dark">' in page


def test_what_was_answered_is_not_sent_again(client: httpx2.Client):
    first = client.get(ADDRESS, headers=BROWSER)
    known = {"if-none-match": first.headers["etag"]}
    again = client.get(ADDRESS, headers={**BROWSER, **known})
    assert again.status_code == 304
    assert client.head(ADDRESS, headers=BROWSER).headers["etag"] == first.headers["etag"]
    assert client.get(ADDRESS, headers=known).status_code == 200  # another form, another name


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("scaling/figures/nothing", 404, "There is no figure named"),
        ("scaling/figures/weights?d_head=0", 422, "must be at least 1"),
        ("scaling/figures/weights?d_haed=16", 422, "Did you mean d_head"),
        ("scaling/figures/weights?theme=pink", 422, "theme"),
    ],
)
def test_a_frame_is_told_in_a_sentence_why_there_is_no_figure(
    client: httpx2.Client, path: str, status: int, message: str
):
    response = client.get(f"/api/v1/{path}", headers=BROWSER)
    assert response.status_code == status
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert message in html.unescape(response.text)
    assert response.headers["cache-control"] == "no-store"
    assert_problem(client.get(f"/api/v1/{path}"), status)


def test_one_file_with_everything_in_it_is_still_there(client: httpx2.Client):
    response = client.get(f"{ADDRESS}&standalone=true", headers=BROWSER)
    assert "attachment" in response.headers["content-disposition"]
    assert "Plotly.newPlot" in response.text
    title = experiments()["scaling"].with_words("weights").title
    assert f"<h1>{title}</h1>" in response.text
    assert "random initialization · seed 0" in response.text
    named = client.get(
        "/api/v1/attention/figures/map?model=translator&source=Où+es%2Dtu%3F&standalone=true"
    )
    file = 'filename="vitrine-attention-translator-ou-es-tu-map.html"'
    assert file in named.headers["content-disposition"]


def test_the_document_of_the_api_says_what_a_figure_may_be(client: httpx2.Client):
    paths = client.get("/openapi.json").json()["paths"]
    operation = paths["/api/v1/scaling/figures/{figure}"]["get"]
    content = operation["responses"]["200"]["content"]
    assert {"application/json", "text/html"} <= content.keys()
    assert "theme" in {field["name"] for field in operation["parameters"]}
    assert (
        "text/html" not in (paths["/api/v1/scaling/figures"]["get"]["responses"]["200"]["content"])
    )
