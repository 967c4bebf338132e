"""What a model answers without edits and with them, about each kind of input."""

import math

import pytest

from app.captions.text import percent
from app.site.edit_effect import before_and_after
from app.site.pages import cards

CARDS = {card["id"]: card for card in cards()}


def answer(tokens: list[str], chances: list[float], **more: object) -> dict:
    data = {"top_probability": {"data": [[p] for p in chances]}}
    told = {"tensors": data | {"expected_probability": {"data": more.pop("expected", [])}}}
    return {"top_tokens": [[t] for t in tokens], "expected_from": 0, "input": {}, **told, **more}


def test_a_text_is_answered_after_each_of_its_tokens_and_has_a_probability():
    given = {"input": {"source": "i am", "target": "j' ai"}}
    plain = answer(["j'", "ai", "</s>"], [0.9] * 3, expected=[0.9, 0.8, 0.5], **given)
    edited = answer(["j'", "est", "</s>"], [0.9] * 3, expected=[0.5, 0.1, 0.1], **given)
    said = before_and_after(CARDS["translator"], plain, edited)
    assert (said.without, said.with_edits) == (["j'", "ai", "</s>"], ["j'", "est", "</s>"])
    assert said.text == ("36 %", "0.50 %")
    assert said.chances is None


def test_a_model_that_continues_a_text_answers_at_its_end():
    plain = answer(["a", "b", "c"], [0.1, 0.2, 0.3])
    edited = answer(["a", "x", "d"], [0.1, 0.2, 0.4])
    said = before_and_after(CARDS["shakespeare"], plain, edited)
    assert (said.without, said.with_edits) == (["c"], ["d"])
    assert said.chances == ("30 %", "40 %")


def test_a_class_is_answered_at_the_first_position():
    said = before_and_after(
        CARDS["digits"], answer(["1", "8"], [0.9999, 0.5]), answer(["7", "8"], [0.5, 0.5])
    )
    assert (said.without, said.with_edits) == (["1"], ["7"])
    assert said.chances == ("more than 99.9 %", "50 %")
    assert said.single == (0.9999, 0.5), "a bar is as long as the number, whatever words say of it"


def test_blanks_are_answered_where_they_are():
    axes = {"text": {"labels": ["<s>", "<mask>", "is", "<mask>", "</s>"]}}
    plain = answer(["-", "he", "-", "cold", "-"], [0.5] * 5, axes=axes)
    edited = answer(["-", "he", "-", "hot", "-"], [0.5] * 5, axes=axes)
    said = before_and_after(CARDS["fill-in"], plain, edited)
    assert (said.without, said.with_edits) == (["he", "cold"], ["he", "hot"])


def test_every_object_query_answers():
    plain = answer(["red ellipse", "nothing"], [0.9, 0.9])
    edited = answer(["nothing", "nothing"], [0.9, 0.9])
    said = before_and_after(CARDS["shapes"], plain, edited)
    assert said.with_edits == ["nothing", "nothing"]


@pytest.mark.parametrize("model", sorted(CARDS))
def test_of_every_model_both_answers_are_the_most_probable_tokens_of_its_runs(ask, model: str):
    question = {"model": model, **CARDS[model]["examples"][0]["input"]}
    plain = ask("logits", **question, top=1)
    said = before_and_after(CARDS[model], plain, plain)
    assert said.without == said.with_edits
    assert said.without
    if said.text:
        logs = plain["tensors"]["expected_probability"]["data"]
        assert said.text == (percent(math.exp(sum(map(math.log, logs)))),) * 2
