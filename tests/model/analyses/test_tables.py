"""What is told of a row of a table: the weights of the run, and the answer without each value,
measured by reading the row again.
"""

import pytest
import torch

from model.analyses.tables import tables
from model.errors import InvalidInput
from model.inputs.given import Input
from model.runs.run_model import run_model
from model.runs.table_row import tensors
from tests.model.support.row_runs import FT, FULL, SAINT, TAB, row_model, row_run, tokenizer
from tests.model.support.runs import small_run

KINDS = pytest.mark.parametrize("choices", [FT, TAB, SAINT], ids=["ft", "tab", "saint"])
VALUES = tokenizer().read(FULL)


def full_run(choices: dict):
    return run_model(row_model(**choices), Input(row=FULL))


@KINDS
def test_the_weights_are_those_of_the_run_and_each_row_of_them_sums_to_one(choices):
    of = full_run(choices)
    told = tables(of)
    weights = told.tensors["weights"].data
    for layer in range(of.config.n_encoder_layers):
        assert torch.equal(weights[layer], of.trace[f"encoder.{layer}.attention.pattern"])
    assert (weights.sum(-1) - 1).abs().max() < 1e-6
    assert ("rows" in told.tensors) == of.config.between_rows
    if of.config.between_rows:
        assert (told.tensors["rows"].data.sum(-1) - 1).abs().max() < 1e-6
        assert told.tensors["rows"].data.shape[-1] == 1 + len(of.model.tokenizer.references)


@KINDS
def test_without_a_value_the_answer_is_that_of_the_row_in_which_it_is_missing(choices):
    of = full_run(choices)
    told = tables(of)
    assert told.axes["cleared"].labels == list(VALUES)
    beside = [of.model.tokenizer.read(reference.row) for reference in of.model.tokenizer.references]
    for name, chances in zip(VALUES, told.tensors["without"].data, strict=True):
        rows = tensors(of.model.tokenizer, [VALUES | {name: None}, *beside])
        transformer, mask = of.model.transformer, of.masks["encoder.attention"]
        logits = transformer.unembed(
            transformer.encode(rows, mask), bypassed=transformer.bypassing(rows)
        )[0, 0]
        assert (chances - logits.softmax(-1)).abs().max() < 1e-6


def test_what_is_missing_is_not_cleared_and_the_last_value_stays():
    assert tables(row_run(**FT)).axes["cleared"].labels == ["length", "mass", "island"]
    alone = tables(run_model(row_model(**FT), Input(row="mass=4000")))
    assert alone.axes["cleared"].size == 0
    assert alone.tensors["without"].data.shape == (0, 3)


@KINDS
def test_the_columns_stand_with_their_values_and_those_that_go_past_are_no_tokens(choices):
    told = tables(run_model(row_model(**choices), Input(row="length=39.1,island=Dream")))
    of = {column["name"]: column for column in told.fields["columns"]}
    assert {name: column["value"] for name, column in of.items()} == {
        "length": 39.1,
        "depth": None,
        "mass": None,
        "island": "Dream",
        "sex": None,
    }
    assert [name for name, column in of.items() if not column["token"]] == (
        ["length", "depth", "mass"] if choices is TAB else []
    )


def test_numbers_past_the_stack_move_no_weight_and_rows_are_a_set():
    assert [fact.name for fact in tables(full_run(FT)).fields["facts"]] == []
    for choices in (TAB, SAINT):
        (fact,) = tables(full_run(choices)).fields["facts"]
        assert fact.holds, fact
    assert tables(run_model(row_model(**TAB), Input(row="mass=4000"))).fields["facts"] == [], (
        "without a category nothing can be told"
    )


def test_only_a_model_of_rows_is_asked():
    with pytest.raises(InvalidInput, match="reads no row of a table; penguins-ft does"):
        tables(small_run("encoder-only", "pre"))
