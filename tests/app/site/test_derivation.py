"""A step of a derivation: the answer's numbers as bars, equations and a table, names as text."""

import re
from html import unescape

import httpx2
import numpy as np
import pytest

from app.captions.text import grouped
from app.site import derivation
from tests.rounding import SINGLE, same

CELL = {
    "model": "translator",
    "source": "i am cold",
    "name": "decoder.1.cross_attention.pattern",
    "at": "2,1,2",
}


@pytest.fixture
def ask(client: httpx2.Client):
    """An answer of /explain, with what the page shows of it."""

    def step(**changes: str) -> dict:
        query = {**CELL, "direction": "forward", **changes}
        answer = client.get("/api/v1/explain", params=query)
        assert answer.status_code == 200, answer.text
        trail = "-".join([query.pop("name"), *query.pop("at").split(",")])
        del query["direction"]
        body = client.get("/api/v1/explain/trail", params={**query, "trail": trail}).json()
        section = body["html"].rpartition('<section class="step">')[2]
        return {**answer.json(), "html": section, "table": body["tables"][-1]}

    return step


def test_every_vector_has_bars_as_high_as_its_numbers_and_a_masked_score_has_none(ask):
    step = ask(name="decoder.0.attention.pattern", at="0,1,1")
    (values,) = (operand["values"] for operand in step["operands"])
    assert None in values
    bars = re.search(r'class="under" d="([^"]*)"', step["html"])[1]
    bars += re.search(r'class="above" d="([^"]*)"', step["html"])[1]
    heights = {int(float(x)): -float(y) for x, y in re.findall(r"M([\d.]+) 0h.8V([-\d.e]+)h", bars)}
    known = {i: value for i, value in enumerate(values) if value is not None}
    same(heights, known, SINGLE)


def test_the_table_holds_every_number_that_is_drawn(ask):
    step = ask(name="decoder.1.cross_attention.scores")
    q, k = (operand["values"] for operand in step["operands"])
    rows = step["table"]["rows"]
    assert [row[1:3] for row in rows[: len(q)]] == [list(pair) for pair in zip(q, k, strict=True)]
    same(rows[-1][1], step["value"], SINGLE)
    assert {len(row) for row in rows} == {len(step["table"]["head"])}


def test_the_equations_lead_to_the_places_of_their_numbers(ask):
    step = ask()
    places = [part for parts in step["equations"] for part in parts if part.get("at")]
    computed_from = step["html"].partition("<h4>Used for</h4>")[0]
    assert re.findall(r'data-to="([^"]*)"', computed_from) == [
        "-".join(map(str, [part["name"], *part["at"]])) for part in places
    ]


def test_names_of_tokens_are_text_whatever_they_hold(ask):
    step = ask(source="<img src=x> & </svg>")
    assert "<img" not in step["html"]
    assert step["html"].count("</svg>") == step["html"].count("<svg")
    assert "&lt;/s&gt;" in step["html"]


def test_the_trail_names_tokens_where_there_are_some(ask):
    step = ask()
    query, key = step["labels"]["query"], step["labels"]["key"]
    assert derivation.crumb(step).startswith(f"{query} → {key} ")
    step = ask(name="decoder.1.cross_attention.q", at="2,1,5")
    crumb = derivation.crumb(step)
    assert step["labels"]["position"] in crumb
    assert re.findall(r"\d+", crumb) == ["2", "5"]


def test_what_a_number_is_used_for_leads_to_each_reader_that_the_answer_tells(ask):
    step = ask()
    for group in step["readers"]:
        for reader in group["largest"]:
            to = "-".join(map(str, [group["name"], *reader["at"]]))
            assert f'data-to="{to}"' in step["html"]
            again = ask(name=group["name"], at=",".join(map(str, reader["at"])))
            assert again["value"] == reader["value"]
            assert step["name"] in {operand["name"] for operand in again["operands"]}


def test_the_last_number_of_a_model_is_used_for_nothing_further(ask):
    step = ask(name="probabilities", at="0,5")
    assert (step["readers"], step["readers_count"]) == ([], 0)


@pytest.mark.parametrize("rank", [1, 2, 40])
def test_at_its_end_the_chain_says_which_guess_of_the_model_the_word_is(
    client: httpx2.Client, ask, rank: int
):
    query = {"model": CELL["model"], "source": CELL["source"], "full": "true"}
    answer = client.get("/api/v1/logits", params=query).json()
    row = np.array(answer["tensors"]["probabilities"]["data"])[1]
    word = int(np.argsort(-row, kind="stable")[rank - 1])
    step = ask(name="probabilities", at=f"1,{word}")
    ending = derivation.ending(step)
    assert ending in unescape(step["html"])
    assert re.search(rf"ranks {rank} of {grouped(len(row))}", ending)
    assert f"“{step['labels']['vocabulary']}”" in ending
    assert ("is not the model’s top prediction" in ending) == (rank > 1)


def test_the_box_of_a_query_is_an_end_too(client: httpx2.Client):
    run = {"model": "shapes", "image": "three"}
    query = {**run, "name": "box.out", "at": "0,2", "direction": "forward"}
    answer = client.get("/api/v1/explain", params=query).json()
    assert answer["readers"] == []
    body = client.get("/api/v1/explain/trail", params={**run, "trail": "box.out-0-2"}).json()
    assert derivation.ending(answer) in unescape(body["html"])
    assert "box" in derivation.ending(answer)


def test_what_reads_the_last_vector_leads_to_the_first_guess_of_the_model(
    client: httpx2.Client, ask
):
    query = {"model": CELL["model"], "source": CELL["source"]}
    last = client.get("/api/v1/residual", params=query).json()["steps"][-1]["name"]
    step = ask(name=last, at="1,0")
    (group,) = step["readers"]
    logits = client.get("/api/v1/logits", params={**query, "full": "true"}).json()["tensors"]
    best = int(np.argmax(logits["logits"]["data"][1]))
    assert (group["name"], group["first_guess"]["at"]) == ("logits", [1, best])
    assert f'data-to="logits-1-{best}"' in step["html"]


def test_of_a_softmax_the_eye_goes_to_the_cells_own_member_else_to_the_largest(ask):
    assert set(re.findall(r'data-chosen="(\d+)"', ask()["html"])) == {"2"}
    step = ask(name="decoder.1.cross_attention.scores")
    products = derivation.strips(step)[-1].values
    largest = max(range(len(products)), key=lambda i: abs(products[i]))
    assert set(re.findall(r'data-chosen="(\d+)"', step["html"])) == {str(largest)}


def test_a_tensor_keeps_the_colour_of_its_quantity():
    assert derivation.quantity("decoder.2.cross_attention.k") == "key"
    assert derivation.quantity("decoder.2.residual.after_attention") == "stream"
    assert derivation.quantity("decoder.0.attention.scores") == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "−∞"), (0, "0"), (-1.5, "−1.50"), (123.456, "123"), (2e-7, "2.00 × 10⁻⁷")],
)
def test_numbers_are_short_enough_to_read_aloud(value: float | None, text: str):
    assert derivation.spoken(value) == text


def test_readers_in_several_layers_say_in_which_layer_each_of_them_stands(ask):
    """The output of an encoder is read by the keys and the values of every cross-attention."""
    last = "encoder.2.residual.out"
    found = derivation.used_for(ask(name=last, at="1,0"))
    names = [group["name"] for group in found]
    assert len(set(names)) == len(names) == 6
    for layer in range(3):
        assert sum(f"decoder layer {layer}" in name for name in names) == 2
