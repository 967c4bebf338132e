"""What a model answers without edits and with them, about each kind of input."""

import math

import pytest

from app.captions.text import percent
from app.errors import Problem
from app.site.edit_effect import Words, before_and_after, predictions, writes_after_reading
from app.site.pages import cards

CARDS = {card["id"]: card for card in cards()}


def answer(tokens: list[str], chances: list[float], **more: object) -> dict:
    data = {"top_probability": {"data": [[p] for p in chances]}}
    tensors = {"tensors": data | {"expected_probability": {"data": more.pop("expected", [])}}}
    return {"top_tokens": [[t] for t in tokens], "expected_from": 0, "input": {}, **tensors, **more}


def plain_words(side: Words) -> list[str]:
    return [word for word, _ in side]


def test_of_a_text_is_said_what_is_written_and_how_probable_the_given_one_is():
    read = {"input": {"source": "i am", "target": "j' ai"}}
    plain = answer(["j'", "ai", "</s>"], [0.9] * 3, expected=[0.9, 0.8, 0.5], **read)
    edited = answer(["j'", "est", "</s>"], [0.9] * 3, expected=[0.5, 0.1, 0.1], **read)
    output = {"text": "je suis un ami", "without_edits": {"text": "tu es un bon ami"}}
    effect = before_and_after(CARDS["translator"], plain, edited, output)
    assert effect.without == [
        ("tu", True),
        ("es", True),
        ("un", False),
        ("bon", True),
        ("ami", False),
    ]
    assert effect.with_edits == [("je", True), ("suis", True), ("un", False), ("ami", False)]
    assert (effect.given, effect.chances) == ("j' ai", ("36%", "0.50%"))
    sentences = predictions(plain, edited, output)
    assert (sentences["run"], sentences["edited"]) == ("tu es un bon ami", "je suis un ami")


def test_a_text_that_cannot_be_written_says_why():
    read = {"input": {"source": "i am", "target": "j' ai"}, "prediction": "j' ai"}
    plain = answer(["j'", "ai"], [0.9] * 2, expected=[0.5, 0.5], **read)
    refused = Problem("invalid", "no-question-open")
    effect = before_and_after(CARDS["translator"], plain, plain, refused)
    assert effect.refusal == refused.detail
    assert effect.without == effect.with_edits == []
    assert effect.chances == ("25%", "25%")
    assert predictions(plain, plain, refused)["edited"] == ""


def test_a_model_that_continues_a_text_answers_at_its_end():
    plain = answer(["a", "b", "c"], [0.1, 0.2, 0.3])
    edited = answer(["a", "x", "d"], [0.1, 0.2, 0.4])
    effect = before_and_after(CARDS["shakespeare"], plain, edited, None)
    assert (effect.without, effect.with_edits) == ([("c", True)], [("d", True)])
    assert effect.chances == ("30%", "40%")


def test_a_class_is_answered_at_the_first_position():
    effect = before_and_after(
        CARDS["digits"], answer(["1", "8"], [0.9999, 0.5]), answer(["7", "8"], [0.5, 0.5]), None
    )
    assert (effect.without, effect.with_edits) == ([("1", True)], [("7", True)])
    assert effect.chances == ("more than 99.9%", "50%")
    assert effect.single == (0.9999, 0.5), (
        "a bar is as long as the number, whatever words say of it"
    )


def test_blanks_are_answered_where_they_are():
    axes = {"text": {"labels": ["<s>", "<mask>", "is", "<mask>", "</s>"]}}
    plain = answer(["-", "he", "-", "cold", "-"], [0.5] * 5, axes=axes)
    edited = answer(["-", "he", "-", "hot", "-"], [0.5] * 5, axes=axes)
    effect = before_and_after(CARDS["fill-in"], plain, edited, None)
    assert effect.without == [("he", False), ("cold", True)]
    assert effect.with_edits == [("he", False), ("hot", True)]


def test_every_object_query_answers():
    plain = answer(["red ellipse", "nothing"], [0.9, 0.9])
    edited = answer(["nothing", "nothing"], [0.9, 0.9])
    effect = before_and_after(CARDS["shapes"], plain, edited, None)
    assert plain_words(effect.with_edits) == ["nothing", "nothing"]


@pytest.mark.parametrize("model", sorted(CARDS))
def test_of_every_model_both_answers_are_those_of_its_runs(ask, model: str):
    question = {"model": model, **CARDS[model]["examples"][0]["input"]}
    plain = ask("logits", **question, top=1)
    if not writes_after_reading(CARDS[model], plain):
        effect = before_and_after(CARDS[model], plain, plain, None)
        assert effect.without == effect.with_edits
        assert effect.without
        return
    text = {"text": plain["prediction"]}  # its own words are the target of a run without one
    effect = before_and_after(CARDS[model], plain, plain, {**text, "without_edits": text})
    assert " ".join(plain_words(effect.without)) == effect.given == plain["prediction"]
    logs = plain["tensors"]["expected_probability"]["data"]
    assert effect.chances == (percent(math.exp(sum(map(math.log, logs)))),) * 2
