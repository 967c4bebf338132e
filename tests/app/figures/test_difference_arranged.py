"""Differences of figures where the tokens are read in another order or with pads: each token is
compared with itself, wherever it stands.
"""

import json

import numpy as np
import pytest

from app.compute.messages import Figures, Shows
from app.figures.plot import axis_of
from model.errors import InvalidInput
from tests.app.questions import Worker, answer
from tests.rounding import SINGLE, same

TWICE = {"model": "translator", "source": "i am cold and i am hungry"}
MAP = TWICE | {"kind": "self", "stack": "encoder", "layer": 0, "head": 1}
PATTERN = "encoder.0.attention.pattern"


def figures(word: str, question: dict, shows: Shows) -> dict[str, dict]:
    return json.loads(Worker.answer(word, question, Figures(shows=shows)))["figures"]


def difference(word: str, question: dict) -> dict[str, dict]:
    return figures(word, question, "difference")


def pattern(question: dict) -> np.ndarray:
    """[head, query, key] of the encoder's first layer."""
    names = {"names": PATTERN}
    return answer("activations", question | names).tensors[PATTERN].data.numpy()


def labels(question: dict) -> list[str]:
    axis = answer("tokens", question).axes["source"]
    return axis.labels or []


def exchanged() -> list[int]:
    """The order in which the two tokens that are read twice, i, have changed places."""
    tokens = labels(TWICE)
    first, second = (at for at, word in enumerate(tokens) if word == "i")
    order = list(range(len(tokens)))
    order[first], order[second] = second, first
    return order


def listed(order: list[int]) -> str:
    return ",".join(map(str, order))


def test_a_token_that_stands_twice_is_compared_with_itself():
    order = exchanged()
    now, was = (pattern(q)[1] for q in (TWICE | {"order": listed(order)}, TWICE))
    (map_,) = difference("attention", MAP | {"order": listed(order)})["map"]["data"]
    wanted = now - was[np.ix_(order, order)]
    assert np.abs(wanted - (now - was)).max() > 1e-4
    same(np.array(map_["z"], float), wanted, SINGLE, scale=1)


def test_small_maps_without_names_compare_each_token_with_itself():
    order = list(range(len(labels(TWICE))))
    order[1:-1] = reversed(order[1:-1])
    question = TWICE | {"order": listed(order)}
    now, was = pattern(question)[0], pattern(TWICE)[0]
    plot = difference("attention", question | {"kind": "self", "stack": "encoder"})["heads"]
    n = len(order)
    tile = np.array(plot["data"][0]["z"], float)[:n, :n]
    same(tile, now - was[np.ix_(order, order)], SINGLE, scale=1)


def test_a_pad_has_no_counterpart_and_the_tokens_behind_it_have_theirs():
    question = MAP | {"pad": "left:2"}
    plot = difference("attention", question)["map"]
    now, was = pattern(TWICE | {"pad": "left:2"})[1], pattern(TWICE)[1]
    z = np.array(plot["data"][0]["z"], float)
    assert np.isnan(z[:2]).all()
    assert np.isnan(z[:, :2]).all()
    same(z[2:, 2:], now[2:, 2:] - was, SINGLE, scale=1)
    assert "pad" in plot["layout"]["meta"]["difference"]
    sums = {
        note["y"]: note["text"] for note in plot["layout"]["annotations"] if "Σ" in note["text"]
    }
    assert sums == dict.fromkeys(range(2, len(now)), "Σ 0.000")


def test_small_maps_compare_the_tokens_behind_a_pad_with_themselves():
    question = TWICE | {"pad": "left:2", "kind": "self", "stack": "encoder"}
    now, was = pattern(TWICE | {"pad": "left:2"})[0], pattern(TWICE)[0]
    plot = difference("attention", question)["heads"]
    n = len(now)
    tile = np.array(plot["data"][0]["z"], float)[:n, :n]
    same(tile[2:, 2:], now[2:, 2:] - was, SINGLE, scale=1)
    assert np.isnan(tile[:2]).all()
    assert "numbers only with the edits" in plot["layout"]["meta"]["difference"]


def test_a_pad_beside_the_followed_token_is_told_and_not_drawn():
    question = TWICE | {"pad": "left:2", "stack": "encoder", "position": 4}
    plot = difference("residual", question)["norm"]
    assert not [trace for trace in plot["data"] if trace["meta"].get("column") == "<pad>"]
    assert "“<pad>” is drawn only with the edits" in plot["layout"]["meta"]["difference"]


def test_a_word_that_comes_next_is_compared_with_itself_whatever_it_follows():
    question = {"model": "shakespeare", "text": "the king", "order": "0,2,1"}

    def chances(shows: Shows) -> dict[str, float]:
        steps = figures("journey", question, shows).values()
        fed = next(step for step in steps if "becomes input" in step["layout"]["meta"]["title"])
        _, bars = (trace for trace in fed["data"] if trace["type"] == "bar")
        names = fed["layout"][axis_of(bars, "y")]["ticktext"]
        return {names[round(y)]: x for x, y in zip(bars["x"], bars["y"], strict=True)}

    changed, now, was = (chances(shows) for shows in ("difference", "edited", "run"))
    assert len(changed) == 2
    assert list(now) != list(was)
    same(changed, {name: now[name] - was[name] for name in now}, SINGLE)


@pytest.mark.parametrize(
    ("word", "field"),
    [
        ("residual", {"stack": "encoder", "position": 1}),
        ("residual", {"stack": "encoder"}),
        ("journey", {"token": 1}),
    ],
)
def test_a_pad_that_is_followed_is_refused(word: str, field: dict):
    with pytest.raises(InvalidInput, match="is a pad, which the unedited run lacks: choose a text"):
        difference(word, TWICE | {"pad": "left:2"} | field)


@pytest.mark.parametrize("half", [False, True])
def test_the_sums_beside_rows_are_differences_of_sums(half: bool):
    halved = {"op": "scale", "at": PATTERN, "where": {"head": [1]}, "value": 0.5}
    other = {"op": "zero", "at": "encoder.embedding.position"}
    plot = difference("attention", MAP | {"edits": [halved if half else other]})["map"]
    sums = [note["text"] for note in plot["layout"]["annotations"] if "Σ" in note["text"]]
    assert sums == ["Σ −0.500" if half else "Σ 0.000"] * len(labels(TWICE))
