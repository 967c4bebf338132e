"""What /feed-forward says of each view is read off the answer."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from app.words.feed_forward import words
from model.analyses import answer
from model.answers.answer import Answer

TRANSLATOR = {"model": "translator", "source": "i am cold", "target": "j' ai froid"}


def said(question: dict) -> tuple[Answer, dict]:
    asked = answer("feed-forward", question)
    return asked, words(asked, question)


def test_the_number_of_neurons_that_fire_is_that_of_the_answer():
    asked, told = said({**TRANSLATOR, "layer": 1, "position": 3})
    sentence = told["views"]["fires"]["see"]
    assert f"one of the {asked.fields['neurons']} neurons: {asked.fields['firing']} of" in sentence
    assert "“froid”" in sentence


@pytest.mark.parametrize("position", [0, 1, 2, 3])
def test_the_tokens_that_share_most_and_least_are_those_of_the_answer(position: int):
    asked, told = said({**TRANSLATOR, "layer": 0, "position": position})
    shares = asked.tensors["also_fires"].data.tolist()
    others = [share for i, share in enumerate(shares) if i != position]
    found = [int(share) for share in re.findall(r"(\d+) %", told["views"]["tokens"]["more"])]
    assert found[0] == round(100 * max(others))
    assert found[-1] == round(100 * min(others))


@pytest.mark.parametrize(
    ("question", "next_one"),
    [
        ({**TRANSLATOR, "layer": 0}, "self-attention of layer 1"),
        ({**TRANSLATOR, "stack": "encoder"}, "every cross-attention reads"),
        ({**TRANSLATOR, "layer": 2}, "from which the answer is read"),
        ({"model": "digits", "image": "three", "layer": 2}, "final norm"),
        ({"model": "penguins-saint", "row": "adelie", "layer": 0}, "attention between rows"),
    ],
    ids=str,
)
def test_what_reads_the_stream_next_is_named(question: dict, next_one: str):
    _, told = said(question)
    assert next_one in told["views"]["stream"]["more"]


def test_a_norm_after_the_sum_is_told_where_there_is_one_and_nowhere_else():
    assert "norm after it" in said(TRANSLATOR)[1]["views"]["stream"]["see"]
    before = {**TRANSLATOR, "model": "translator-pre"}
    assert "norm after it" not in said(before)[1]["views"]["stream"]["see"]


def test_the_reason_why_no_words_are_read_depends_on_the_model():
    encoder = said({**TRANSLATOR, "stack": "encoder"})[1]["views"]["words"]["see"]
    image = said({"model": "digits", "image": "three"})[1]["views"]["words"]["see"]
    assert "choose the decoder" in encoder
    assert "predicts no words" in image


def test_the_links_carry_the_input_the_stack_and_the_token():
    _, told = said({**TRANSLATOR, "stack": "encoder", "layer": 1, "position": 2})
    found = {
        urlsplit(link["href"]).path: parse_qs(urlsplit(link["href"]).query)
        for link in told["links"]
    }
    assert found["/residual"]["position"] == ["2"]
    assert found["/attention"]["layer"] == ["2"]
    assert found["/attention"]["source"] == ["i am cold"]
    assert found["/memory"] == {"stack": ["encoder"], "layer": ["1"]}


@pytest.mark.parametrize("model", ["translator", "translator-pre"])
def test_a_link_opens_the_derivation_of_the_neuron_that_writes_most(model: str):
    asked, told = said({**TRANSLATOR, "model": model, "layer": 1, "position": 2})
    queries = [parse_qs(urlsplit(link["href"]).query) for link in told["links"]]
    ((trail,),) = (query["explain"] for query in queries if "explain" in query)
    name, *at = trail.split("-")
    question = {**TRANSLATOR, "model": model, "name": name, "at": ",".join(at)}
    explained = answer("explain", question).fields
    assert explained["value"] == pytest.approx(asked.fields["top_neurons"][0]["post"], rel=1e-6)


def test_the_controls_offer_every_layer_and_every_token_and_show_what_is_drawn():
    _, told = said({**TRANSLATOR, "position": 2})
    assert [one["value"] for one in told["choices"]["layer"]] == ["", "0", "1", "2"]
    assert [one["label"] for one in told["choices"]["position"]] == [
        "first",
        "0 <s>",
        "1 j'",
        "2 ai",
        "3 froid",
    ]
    assert told["chosen"] == {"layer": "", "position": "2"}
