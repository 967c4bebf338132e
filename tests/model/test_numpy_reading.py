"""Every number that the shipped translator records is the number that NumPy reads out of its
weights.
"""

import pytest

from model.inputs.input import Input
from model.runs.run_model import run_model
from model.zoo import models
from tests.model.support.numpy_reading import Reading, error

FOLDER = models.WEIGHTS / "translator"
# of the largest number in a tensor where that is above 1, absolute otherwise: float32 against
# float64
TOLERANCE = 1e-5
INPUTS = {
    "one word": ("go", None),
    "its own translation": ("i am cold", None),
    "a translation of ours": (
        "The white house is very big.",
        "la maison blanche est très grande .",
    ),
    "a wrong translation": ("i am cold", "le chat mange une pomme"),
    "rare characters": ("Xylophones cost £5, naïve 日本!", "☃ coûte"),
    "longer than any sentence it learned from": (
        "i know that you know that i know that he knows that she knows nothing at all .",
        None,
    ),
}


@pytest.fixture(scope="module")
def reading():
    return Reading(FOLDER)


@pytest.fixture(scope="module", params=INPUTS)
def both(request, reading):
    source, target = INPUTS[request.param]
    of = run_model(models.load_model("translator"), Input(source=source, target=target))
    source_ids = reading.source_ids(source)
    target_ids = reading.greedy(source_ids, 63) if target is None else reading.target_ids(target)
    return of, source_ids, target_ids, reading.translate(source_ids, target_ids)


def test_text_is_cut_into_the_same_tokens_and_greedy_writes_the_same(both):
    of, source, target, _ = both
    assert [token.id for token in of.tokens["source"]] == source
    assert [token.id for token in of.tokens["target"]] == target


def test_every_activation_is_the_one_numpy_computes(both):
    of, _, _, expected = both
    assert set(of.trace) == set(expected)
    errors = {name: error(value.numpy(), expected[name]) for name, value in of.trace.items()}
    assert {name: e for name, e in errors.items() if not e < TOLERANCE} == {}
