"""The equations that an edit breaks are measured, and those that still hold are not listed."""

import numpy as np

from model.edits.changes import BrokenInvariant
from model.edits.edit import read_edits
from model.inputs.input import Input
from model.runs.run_model import run_model
from tests.model.support.runs import small_model, small_run
from tests.rounding import SINGLE, same

PATTERN = "decoder.0.attention.pattern"


def broken(*edits: dict) -> dict[str, BrokenInvariant]:
    """The broken invariants of the last edit without the formula of the activation itself."""
    pair = Input(source="the cat sees the dog .", target="le chat voit")
    *_, last = run_model(small_model(), pair, read_edits(edits)).edits
    return {invariant.law: invariant for invariant in last.invariants if " = " not in invariant.law}


def test_rows_that_do_not_sum_to_1_are_counted_and_the_largest_deviation_is_told():
    found = broken({"op": "scale", "at": PATTERN, "where": {"head": [1]}, "value": 1.5})
    assert list(found) == ["the weights of a row sum to 1"]
    invariant = found["the weights of a row sum to 1"]
    assert invariant.cells == small_run().trace[PATTERN].shape[1]
    same(invariant.largest, 0.5, SINGLE, scale=1)


def test_a_head_turned_off_in_its_pattern_has_rows_that_sum_to_0():
    found = broken({"op": "zero", "at": PATTERN, "where": {"head": [1]}})
    same(found["the weights of a row sum to 1"].largest, 1, SINGLE, scale=1)


def test_weight_on_a_masked_key_is_told():
    found = broken(
        {
            "op": "set",
            "at": PATTERN,
            "where": {"head": [0], "query": [0], "key": [2]},
            "value": 0.25,
        }
    )
    assert found["a masked key has no weight"].cells == 1
    same(found["a masked key has no weight"].largest, 0.25, SINGLE)


def test_the_mean_of_a_causal_pattern_looks_ahead():
    weights = small_run().trace[PATTERN].numpy()
    mean = weights.mean(1, keepdims=True).repeat(weights.shape[1], 1)
    ahead = np.triu(np.ones(weights.shape[1:], dtype=bool), 1)
    found = broken({"op": "mean", "at": PATTERN})
    assert list(found) == ["a masked key has no weight"]
    assert found["a masked key has no weight"].cells == (mean[:, ahead] != 0).sum()


def test_a_negative_weight_is_told():
    assert "no weight is below 0" in broken({"op": "scale", "at": PATTERN, "value": -1})


def test_an_opened_score_is_told():
    where = {"head": [0], "query": [0], "key": [1]}
    edit = {"op": "set", "at": "decoder.0.attention.masked_scores", "where": where, "value": 0}
    found = broken(edit)
    assert found["a score that the mask hides is minus infinity"].cells == 1


def test_a_masked_score_that_the_mask_shows_is_told():
    where = {"head": [0], "query": [2], "key": [1]}
    found = broken({"op": "mask", "at": "decoder.0.attention.scores", "where": where})
    assert found["a score that the mask shows is finite"].cells == 1


def test_probabilities_that_do_not_sum_to_1_are_told():
    found = broken({"op": "scale", "at": "probabilities", "where": {"position": [1]}, "value": 2})
    assert found["the probabilities of a position sum to 1"].cells == 1


def test_the_formula_of_an_edited_activation_holds_no_longer():
    pair = Input(source="the cat sees the dog .", target="le chat voit")
    edit = {"op": "zero", "at": "decoder.*.attention.z", "where": {"head": [1], "query": [0]}}
    [change] = run_model(small_model(), pair, read_edits([edit])).edits
    [law] = change.invariants
    assert law.law == "z = pattern v"
    assert law.names == change.names
    assert law.cells == change.elements


def test_an_edit_whose_effect_a_later_edit_takes_back_breaks_nothing():
    assert (
        broken(
            {"op": "scale", "at": PATTERN, "value": 2}, {"op": "scale", "at": PATTERN, "value": 0.5}
        )
        == {}
    )
