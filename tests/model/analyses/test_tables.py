"""What is told of a row of a table: the weights of the run, and the answer without each value,
measured by reading the row again.
"""

import pytest
import torch

from model.analyses.tables import answer_in, tables
from model.errors import InvalidInput
from model.inputs.input import Input
from model.runs.run_model import run_model
from model.runs.table_row import tensors
from tests.model.support.row_runs import FT, FULL, SAINT, TAB, row_model, row_run, tokenizer
from tests.model.support.runs import small_run
from tests.rounding import SINGLE, same

KINDS = pytest.mark.parametrize("choices", [FT, TAB, SAINT], ids=["ft", "tab", "saint"])
VALUES = tokenizer().read(FULL)


def full_run(choices: dict):
    return run_model(row_model(**choices), Input(row=FULL))


@KINDS
def test_the_weights_are_those_of_the_run_and_each_row_of_them_sums_to_one(choices):
    of = full_run(choices)
    answer = tables(of)
    weights = answer.tensors["weights"].data
    for layer in range(of.config.n_encoder_layers):
        assert torch.equal(weights[layer], of.trace[f"encoder.{layer}.attention.pattern"])
    same(weights.sum(-1), 1, SINGLE, scale=1)
    assert ("rows" in answer.tensors) == of.config.between_rows
    if of.config.between_rows:
        same(answer.tensors["rows"].data.sum(-1), 1, SINGLE, scale=1)
        assert answer.tensors["rows"].data.shape[-1] == 1 + len(of.model.tokenizer.references)


@KINDS
def test_without_a_value_the_answer_is_that_of_the_row_in_which_it_is_missing(choices):
    of = full_run(choices)
    answer = tables(of)
    assert answer.axes["cleared"].labels == list(VALUES)
    beside = [of.model.tokenizer.read(reference.row) for reference in of.model.tokenizer.references]
    for name, chances in zip(VALUES, answer.tensors["without"].data, strict=True):
        rows = tensors(of.model.tokenizer, [VALUES | {name: None}, *beside])
        transformer, mask = of.model.transformer, of.masks["encoder.attention"]
        logits = transformer.unembed(
            transformer.encode(rows, mask), bypassed=transformer.bypassing(rows)
        )[0, 0]
        same(chances, logits.softmax(-1), SINGLE, scale=1)


def test_what_is_missing_is_not_cleared_and_the_last_value_stays():
    assert tables(row_run(**FT)).axes["cleared"].labels == ["length", "mass", "island"]
    single = tables(run_model(row_model(**FT), Input(row="mass=4000")))
    assert single.axes["cleared"].size == 0
    assert single.tensors["without"].data.shape == (0, 3)


@KINDS
def test_the_columns_stand_with_their_values_and_those_that_go_past_are_no_tokens(choices):
    answer = tables(run_model(row_model(**choices), Input(row="length=39.1,island=Dream")))
    of = {column["name"]: column for column in answer.fields["columns"]}
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


def facts_of(run) -> dict[str, float]:
    facts = tables(run).fields["facts"]
    assert all(fact.holds for fact in facts), facts
    return {fact.name: fact.value for fact in facts}


def test_numbers_past_the_stack_move_no_weight_and_no_row_reads_another():
    assert facts_of(full_run(TAB)) == {"weights_moved_by_numbers": 0, "change_by_another_row": 0}
    without_a_category = run_model(row_model(**TAB), Input(row="mass=4000"))
    assert set(facts_of(without_a_category)) == {"change_by_another_row"}


def test_columns_that_are_tokens_have_no_order_and_no_row_reads_another():
    facts = facts_of(full_run(FT))
    assert set(facts) == {"change_by_order_of_columns", "change_by_another_row"}
    assert facts["change_by_order_of_columns"] < 1e-14
    assert facts["change_by_another_row"] == 0


def test_between_rows_the_order_of_the_others_does_not_matter_and_what_they_are_does():
    facts = facts_of(full_run(SAINT))
    assert set(facts) == {"change_by_order_of_rows", "change_by_another_row"}
    assert facts["change_by_order_of_rows"] < 1e-6
    assert facts["change_by_another_row"] > 1e-9


def test_a_model_that_is_told_positions_would_notice_the_order_of_columns():
    """The measurement can fail: a first column that is read by its place moves the answer."""
    run = full_run(FT)
    values = run.model.row_tokenizer.read(run.input["row"])
    plain, turned = (answer_in(run, values, reverse=reverse) for reverse in (False, True))
    same(plain, turned, scale=1)
    hook = run.model.transformer.stack("encoder").register_forward_pre_hook(
        lambda _, args: (args[0] * torch.arange(1.0, args[0].shape[1] + 1)[:, None], *args[1:])
    )
    try:
        plain, turned = (answer_in(run, values, reverse=reverse) for reverse in (False, True))
    finally:
        hook.remove()
    assert (plain - turned).abs().max() > 1e-6


def test_in_float64_the_answer_is_that_of_the_run():
    for choices in (FT, TAB, SAINT):
        run = full_run(choices)
        values = run.model.row_tokenizer.read(run.input["row"])
        same(answer_in(run, values), run.trace["probabilities"][0], SINGLE, scale=1)


def test_only_a_model_of_rows_is_asked():
    with pytest.raises(InvalidInput, match="does not take table rows: choose penguins-ft"):
        tables(small_run("encoder-only", "pre"))
