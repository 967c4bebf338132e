"""The row of edits in the bar, and the menu that makes one, as the page asks for them."""

import json
import re
from html import unescape

import httpx2
import pytest

from app.api.endpoint import endpoints
from app.schema.edits import AboutRun
from model.labels import table
from tests.app.problems import assert_problem

RUN = {"model": "translator", "source": "i am cold"}
HEAD = {"op": "zero", "at": "decoder.2.cross_attention.z", "where": {"head": [1]}}
ALL = {"op": "zero", "at": "decoder.2.cross_attention.z"}


def row(client: httpx2.Client, edits: list, **run: str) -> str:
    query = {**RUN, **run, "edits": json.dumps(edits)}
    response = client.get("/api/v1/logits/edits", params=query)
    assert response.status_code == 200, response.text
    return response.json()["html"]


def words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


Z = "decoder.*.cross_attention.z"
WRITERS = [
    ({"model": "translator-pre", "source": "i am cold", "order": "0,3,2,1,4"}, [HEAD]),
    ({"model": "translator", "source": "i am cold", "target": "il est tard"}, [ALL]),
    (
        {"model": "prefix-translator", "source": "i am cold"},
        [HEAD | {"at": "decoder.1.attention.z"}],
    ),
    ({"model": "pronouncer", "source": "telephone"}, [{"op": "zero", "at": Z}]),
]


@pytest.mark.parametrize(("run", "edits"), WRITERS)
def test_it_says_what_generate_writes_with_the_edits_and_without(client, run: dict, edits: list):
    query = {**run, "edits": json.dumps(edits)}
    row = client.get("/api/v1/logits/edits", params=query).json()
    run_fields = {name: value for name, value in query.items() if name != "target"}
    plain = {name: run_fields[name] for name in ("model", "source")}
    now, was = (
        client.get("/api/v1/generate", params=params).json()["text"]
        for params in (run_fields, plain)
    )
    assert row["predictions"] == {"run": was, "edited": now, "difference": now}
    text = words(row["html"])
    without = "without the edits" if "order" in run else "without the edit"
    assert (
        f"The model still outputs “{now}”, as {without}." in text
        if now == was
        else f"The model now outputs “{now}”; {without} “{was}”." in text
    )
    target = client.get("/api/v1/logits", params={**run, "top": 1}).json()["input"]["target"]
    assert f"It gives “{target}” a probability of" in text


def test_a_text_that_cannot_be_written_with_the_edits_says_so(client: httpx2.Client):
    other = {"source": "he is late", "target": "il est tard"}
    patch = {"op": "patch", "at": "decoder.0.feed_forward.out", "from": other}
    query = {**RUN, "edits": json.dumps([patch])}
    problem = client.get("/api/v1/generate", params={**RUN, "edits": query["edits"]}).json()
    answer = client.get("/api/v1/logits/edits", params=query).json()
    assert f"can’t generate text with the edit: {problem['detail']}" in words(answer["html"])
    assert answer["predictions"]["edited"] == ""


def test_of_a_class_it_says_the_answer_of_both_runs(client: httpx2.Client):
    query = {"model": "digits", "image": "one", "edits": json.dumps([{"op": "zero", "at": "*.z"}])}
    row = client.get("/api/v1/logits/edits", params=query).json()
    del query["edits"]
    was = client.get("/api/v1/logits", params={**query, "top": 1}).json()["prediction"]
    now = row["predictions"]["edited"]
    assert row["predictions"]["run"] == was != now
    text = words(row["html"])
    assert f"For the class, the model now predicts “{now}”" in text
    assert f"; without the edit “{was}”" in text


def test_it_has_a_chip_for_each_edit_in_their_order(client: httpx2.Client):
    html = row(client, [ALL, HEAD])
    chips = re.findall(r"data-remove[^>]*>([^<]+?) <", html)
    assert chips == [
        "decoder layer 2 cross-attention: off",
        "decoder layer 2 cross-attention head 1: off",
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"op": "zero", "at": "decoder.7.cross_attention.z"},
        {"op": "zero", "at": "decoder.2.cross_attention.z", "where": {"head": [9]}},
        {"op": "scale", "at": "decoder.2.cross_attention.z"},
    ],
)
def test_an_edit_that_does_not_fit_is_marked_and_the_refusal_is_said(
    client: httpx2.Client, wrong: dict
):
    html = row(client, [HEAD, wrong])
    refusal = client.get("/api/v1/logits", params={**RUN, "edits": json.dumps([HEAD, wrong])})
    assert [("data-wrong" in chip) for chip in html.split("<li")[1:]] == [False, True]
    assert refusal.json()["detail"] in words(html)


def test_a_model_without_the_activation_marks_the_edit_that_came_along(client: httpx2.Client):
    query = {"model": "digits", "image": "one", "edits": json.dumps([HEAD])}
    html = client.get("/api/v1/logits/edits", params=query).json()["html"]
    assert "data-wrong" in html
    assert HEAD["at"] in words(html)


def test_an_input_that_cannot_be_read_is_refused_as_ever(client: httpx2.Client):
    query = {"model": "translator", "source": "", "edits": json.dumps([HEAD])}
    problem = assert_problem(client.get("/api/v1/logits/edits", params=query), 422)
    assert problem["errors"][0]["pointer"] == "/source"


def test_the_menu_says_the_tokens_of_the_input(client: httpx2.Client):
    query = {**RUN, "what": "set", "of": "decoder.{}.cross_attention.pattern", "value": "1"}
    answer = client.get("/api/v1/logits/edit", params=query).json()
    assert answer["edit"]["op"] == "set"
    for token in ("2 am", "3 cold", "1 j'"):
        assert token in unescape(answer["html"])


def test_what_is_typed_stays_text(client: httpx2.Client):
    other = '"><img src=x>'
    query = {**RUN, "what": "patch", "from": other}
    answer = client.get("/api/v1/logits/edit", params=query).json()
    assert answer["edit"]["from"] == {"source": other}
    assert "<img" not in answer["html"]
    assert "<img" not in row(client, [answer["edit"]])


def test_a_page_has_the_chips_of_its_address_before_anything_is_asked(client: httpx2.Client):
    query = {"edits": json.dumps([HEAD])}
    html = client.get("/attention", params=query).text
    (found,) = re.findall(r'<div class="edits".*?</ol>', html, re.DOTALL)
    assert "hidden" not in found.partition(">")[0]
    assert "decoder layer 2 cross-attention head 1: off" in found
    without = client.get("/attention").text
    assert re.search(r'<div class="edits"[^>]* hidden>', without)


def test_a_page_says_which_words_answer_about_edits(client: httpx2.Client):
    (words,) = re.findall(r'data-edited="([^"]*)"', client.get("/norms").text)
    known = {endpoint.name for endpoint in endpoints() if issubclass(endpoint.question, AboutRun)}
    assert set(words.split()) == known


def test_a_page_that_computes_without_edits_says_so(client: httpx2.Client):
    query = {"edits": json.dumps([HEAD])}
    sentence = "Edits don’t affect this page’s figures"
    (edited,) = re.findall(r'data-edited="([^"]*)"', client.get("/").text)
    for word in ("attention", "journey", "residual", "tables"):
        is_told_so = sentence in client.get(f"/{word}", params=query).text
        assert is_told_so == (word not in edited.split()), word


def test_in_french_all_that_is_said_is_translated_and_a_token_that_is_a_label_too_stays(client):
    client.headers["accept-language"] = "fr"
    run = {"model": "translator", "source": "i am key"}
    cell = {"at": "encoder.0.attention.pattern", "where": {"head": [1], "query": [3]}}
    chips = row(client, [{"op": "patch", **cell, "from": {"source": "key"}}], **run)
    of = {"what": "set", "of": "encoder.{}.attention.pattern"}
    menu = client.get("/api/v1/logits/edit", params={**run, **of}).json()["html"]
    steps = client.get(
        "/api/v1/explain/trail", params={**run, "trail": "encoder.0.attention.q-1-3-5"}
    )
    room = {"width": 90, "height": 30, "table": "weights"}
    drawing = client.get("/api/v1/architecture/drawing", params={**run, **room}).json()
    for html, text in {
        chips: "auto-attention, tête 1, poids, requête 3 : copie depuis « key »",
        menu: "3 key",
        steps.json()["crumbs"]: "requête q de « key », tête 1, canal 5",
        steps.json()["html"]: "Les requêtes : ce que chaque token cherche.",
        drawing["svg"]: "encodeur, L = 3 couches",
    }.items():
        assert text in words(html).replace("\u00a0", " ")
        texts = set(map(unescape, re.findall(r">([^<]+)<", html)))
        english = {text for text, french in table("fr").items() if text != french}
        assert texts & english <= {"key"}
    assert ">key</text>" in drawing["svg"]
    assert "encoder.0.attention, tête 0, requête key" in [
        name for name, *_ in drawing["table"]["rows"]
    ]
