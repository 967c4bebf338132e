"""What /attribution says of each view follows the numbers of the answer."""

from urllib.parse import parse_qs, urlsplit

import pytest
import torch

from app.words.attribution import TITLES, words
from model.analyses import answer
from model.answers.answer import Answer

TRANSLATOR = {"model": "translator", "source": "i am cold", "target": "j' ai froid", "steps": 257}


def said(question: dict) -> tuple[Answer, dict]:
    asked = answer("attribution", question)
    return asked, words(asked, question)


def test_the_token_without_which_the_answer_loses_most_is_named_with_its_loss():
    asked, told = said(TRANSLATOR)
    removal = asked.tensors["score"].data[0]
    sentence = told["views"]["scores"]["see"]
    assert "The model answers “froid”" in sentence
    assert asked.fields["tokens"][int(removal.abs().argmax())] == "cold"
    assert "“cold” matters most: without its vector, the answer’s log-probability falls" in sentence
    assert f"{removal.max().item():.2f} nats" in sentence


def test_a_token_that_speaks_against_the_answer_makes_it_rise():
    asked, _ = said({**TRANSLATOR, "methods": "attention"})
    asked.tensors["score"].data[0] *= -1
    assert "log-probability rises by" in words(asked, TRANSLATOR)["views"]["scores"]["see"]


def test_every_method_is_told_once_by_its_verdict():
    asked, told = said(TRANSLATOR)
    sentence = told["views"]["agreement"]["see"].lower()
    for one in asked.fields["agreement"]:
        assert sentence.count(TITLES[one["method"]]) == 1
        _, _, after = sentence.partition(TITLES[one["method"]])
        assert f"with removal {one['verdict']}" in after.split(".")[0] + "."


@pytest.mark.parametrize(
    "verdict", ["better than chance", "no better than chance", "worse than chance"]
)
def test_a_verdict_of_attention_follows_the_number(verdict: str):
    asked, _ = said({**TRANSLATOR, "methods": "attention"})
    asked.fields["agreement"][0]["verdict"] = verdict
    sentence = words(asked, TRANSLATOR)["views"]["agreement"]["see"]
    assert f"Mean attention agrees with removal {verdict} here." in sentence


def test_the_best_and_the_worst_method_over_held_out_inputs_are_those_of_the_means():
    asked, told = said({**TRANSLATOR, "methods": "attention"})
    rows = [one for one in asked.fields["held_out"]["agreement"] if one["method"] != "uniform"]
    rows.sort(key=lambda one: one["mean"])
    sentence = told["views"]["agreement"]["more"]
    assert f"highest for {TITLES[rows[-1]['method']]}," in sentence
    assert f"lowest for {TITLES[rows[0]['method']]}," in sentence


def test_a_model_that_was_not_measured_on_held_out_inputs_says_so():
    asked, _ = said({**TRANSLATOR, "methods": "attention"})
    asked.fields["held_out"] = None
    sentence = words(asked, TRANSLATOR)["views"]["agreement"]["more"]
    assert sentence == "The agreement over held-out inputs was not measured for this model."


def test_where_removal_orders_nothing_no_method_is_said_to_agree():
    asked, _ = said({**TRANSLATOR, "methods": "attention"})
    asked.fields["chance"] = None
    sentence = words(asked, TRANSLATOR)["views"]["agreement"]["see"]
    assert "no method can agree" in sentence


def test_an_error_that_is_too_large_says_what_to_do():
    few = said({**TRANSLATOR, "steps": 17})[1]["views"]["scores"]["more"]
    assert "more than 0.001. Choose more points to make it smaller." in few
    enough = said({"model": "digits", "image": "three"})[1]["views"]["scores"]["more"]
    assert enough.endswith("at most 0.001.")


def test_only_views_whose_method_was_asked_for_are_told():
    _, told = said({**TRANSLATOR, "methods": "attention"})
    assert set(told["views"]) == {"scores", "agreement"}


def test_the_controls_offer_every_answer_and_show_the_chosen_one():
    _, told = said({**TRANSLATOR, "answer": 1, "methods": "attention"})
    labels = [one["label"] for one in told["choices"]["answer"]]
    assert labels == ["the usual one", "0 j'", "1 ai", "2 froid", "3 </s>"]
    assert told["chosen"] == {"answer": "1"}


def test_the_links_carry_the_input_and_the_position():
    _, told = said({**TRANSLATOR, "answer": 1, "methods": "attention"})
    found = {
        urlsplit(one["href"]).path: parse_qs(urlsplit(one["href"]).query) for one in told["links"]
    }
    assert found["/residual"]["position"] == ["1"]
    assert found["/attention"]["source"] == ["i am cold"]


def test_two_tokens_of_the_same_text_are_told_apart_by_their_places():
    asked, _ = said({**TRANSLATOR, "methods": "attention"})
    asked.tensors["score"].data[0] = torch.zeros(8).index_fill(0, torch.tensor([5]), 2.0)
    assert "“<s>” (target 0)" in words(asked, TRANSLATOR)["views"]["scores"]["see"]
