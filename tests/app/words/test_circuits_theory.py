"""The sentence of /circuits-theory speaks of the composition that is drawn."""

import pytest

from app.figures.text import decimals
from app.words import circuits_theory
from model.analyses import answer
from model.answers.answer import Answer


def said(composition: str, **asked: object) -> tuple[Answer, str]:
    """The answer, and what to look for when its figures show that composition."""
    one = answer("circuits-theory", {"seed": 0, "seeds": 1, **asked})
    shown = {**asked, "composition": composition, "position": 4, "figures": ("logit", "virtual")}
    return one, circuits_theory.look_for(one, shown)


@pytest.mark.parametrize(
    ("composition", "sentence"),
    [
        ("k", "one pair of heads stands out"),
        ("q", "the queries of head 2.0 read nothing"),
        ("v", "the values of head 2.0 read nothing"),
    ],
)
def test_by_hand_the_pair_stands_out_by_keys_alone(composition: str, sentence: str):
    _, told = said(composition, weights="constructed")
    assert sentence in told


@pytest.mark.parametrize("composition", ["q", "k", "v"])
def test_the_ratio_of_trained_heads_is_that_of_the_chosen_composition(composition: str):
    one, told = said(composition, weights="trained", step=3000)
    (first, second), chosen = one.fields["pair"], "qkv".index(composition)
    value = one.tensors["composition"].data[chosen, int(second[-1]), int(first[-1])]
    ratio = (value / one.tensors["baseline"].data[chosen, 0]).item()
    by = {"q": "queries", "k": "keys", "v": "values"}[composition]
    assert f"to the {by} of head {second} are {decimals(ratio)} times as large" in told
