"""The row of edits in the bar, and the menu that makes one, as the page asks for them."""

import json
import re
from html import unescape

import httpx2
import pytest

from app.api.endpoint import endpoints
from app.schema.edits import AboutRun
from tests.app.problems import assert_problem

RUN = {"model": "translator", "source": "i am cold"}
HEAD = {"op": "zero", "at": "decoder.2.cross_attention.z", "where": {"head": [1]}}
ALL = {"op": "zero", "at": "decoder.2.cross_attention.z"}


def row(client: httpx2.Client, edits: list, **run: str) -> str:
    asked = {**RUN, **run, "edits": json.dumps(edits)}
    response = client.get("/api/v1/logits/edits", params=asked)
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
    asked = {**run, "edits": json.dumps(edits)}
    row = client.get("/api/v1/logits/edits", params=asked).json()
    alone = {name: value for name, value in asked.items() if name != "target"}
    plain = {name: alone[name] for name in ("model", "source")}
    now, was = (client.get("/api/v1/generate", params=one).json()["text"] for one in (alone, plain))
    assert row["predictions"] == {"run": was, "edited": now, "difference": now}
    said = words(row["html"])
    without = "without the edits" if "order" in run else "without the edit"
    assert (
        f"The model still writes “{now}”, as {without}." in said
        if now == was
        else f"The model now writes “{now}”; {without} “{was}”." in said
    )
    target = client.get("/api/v1/logits", params={**run, "top": 1}).json()["input"]["target"]
    assert f"It finds the given text “{target}”" in said


def test_a_text_that_cannot_be_written_with_the_edits_says_so(client: httpx2.Client):
    other = {"source": "he is late", "target": "il est tard"}
    patch = {"op": "patch", "at": "decoder.0.feed_forward.out", "from": other}
    asked = {**RUN, "edits": json.dumps([patch])}
    problem = client.get("/api/v1/generate", params={**RUN, "edits": asked["edits"]}).json()
    answer = client.get("/api/v1/logits/edits", params=asked).json()
    assert f"cannot write a text by itself with the edit: {problem['detail']}" in words(
        answer["html"]
    )
    assert answer["predictions"]["edited"] == ""


def test_of_a_class_it_says_the_answer_of_both_runs(client: httpx2.Client):
    asked = {"model": "digits", "image": "one", "edits": json.dumps([{"op": "zero", "at": "*.z"}])}
    row = client.get("/api/v1/logits/edits", params=asked).json()
    del asked["edits"]
    was = client.get("/api/v1/logits", params={**asked, "top": 1}).json()["prediction"]
    now = row["predictions"]["edited"]
    assert row["predictions"]["run"] == was != now
    said = words(row["html"])
    assert f"For the class the model now says “{now}”" in said
    assert f"; without the edit “{was}”" in said


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
    asked = {"model": "digits", "image": "one", "edits": json.dumps([HEAD])}
    html = client.get("/api/v1/logits/edits", params=asked).json()["html"]
    assert "data-wrong" in html
    assert HEAD["at"] in words(html)


def test_an_input_that_cannot_be_read_is_refused_as_ever(client: httpx2.Client):
    asked = {"model": "translator", "source": "", "edits": json.dumps([HEAD])}
    problem = assert_problem(client.get("/api/v1/logits/edits", params=asked), 422)
    assert problem["errors"][0]["pointer"] == "/source"


def test_the_menu_says_the_tokens_of_the_input(client: httpx2.Client):
    asked = {**RUN, "what": "set", "of": "decoder.{}.cross_attention.pattern", "value": "1"}
    answer = client.get("/api/v1/logits/edit", params=asked).json()
    assert answer["edit"]["op"] == "set"
    for token in ("2 am", "3 cold", "1 j'"):
        assert token in unescape(answer["html"])


def test_what_is_typed_stays_text(client: httpx2.Client):
    other = '"><img src=x>'
    asked = {**RUN, "what": "patch", "from": other}
    answer = client.get("/api/v1/logits/edit", params=asked).json()
    assert answer["edit"]["from"] == {"source": other}
    assert "<img" not in answer["html"]
    assert "<img" not in row(client, [answer["edit"]])


def test_a_page_has_the_chips_of_its_address_before_anything_is_asked(client: httpx2.Client):
    asked = {"edits": json.dumps([HEAD])}
    html = client.get("/attention", params=asked).text
    (found,) = re.findall(r'<div class="edits".*?</ol>', html, re.DOTALL)
    assert "hidden" not in found.partition(">")[0]
    assert "decoder layer 2 cross-attention head 1: off" in found
    without = client.get("/attention").text
    assert re.search(r'<div class="edits"[^>]* hidden>', without)


def test_a_page_says_which_words_answer_about_edits(client: httpx2.Client):
    (words,) = re.findall(r'data-edited="([^"]*)"', client.get("/norms").text)
    known = {one.name for one in endpoints() if issubclass(one.question, AboutRun)}
    assert set(words.split()) == known


def test_a_page_that_computes_without_edits_says_so(client: httpx2.Client):
    asked = {"edits": json.dumps([HEAD])}
    sentence = "of the run without edits"
    (edited,) = re.findall(r'data-edited="([^"]*)"', client.get("/").text)
    for word in ("attention", "journey", "residual", "tables"):
        told = sentence in client.get(f"/{word}", params=asked).text
        assert told == (word not in edited.split()), word
