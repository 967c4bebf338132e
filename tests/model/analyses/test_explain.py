"""Every number of a run follows from its operands by the rule that the vocabulary names."""

import numpy as np
import pytest
import torch

from model.activations.catalogue import activations
from model.analyses.explain import explain
from model.errors import InvalidInput, UnknownName
from model.inputs.input import Input
from model.runs.run import Run
from model.runs.run_model import run_model
from tests.model.support.recomputed import assert_every_number_follows
from tests.model.support.runs import CONFIGURATIONS, RUNS, small_model, small_run
from tests.rounding import SINGLE, same


@pytest.mark.parametrize(("family", "placement", "choices"), CONFIGURATIONS)
def test_every_row_of_the_vocabulary_recomputes_its_cells_from_their_operands(
    family, placement, choices
):
    assert_every_number_follows(small_run(family, placement, **choices))


def test_the_operands_of_a_score_are_query_and_key_and_their_scaled_product_is_the_score():
    of = small_run()
    fields = explain(of, name="decoder.1.cross_attention.scores", at="2,1,3").fields
    q, k = fields["operands"]
    assert (q["name"], q["index"]) == ("decoder.1.cross_attention.q", [2, 1, None])
    assert (k["name"], k["index"]) == ("decoder.1.cross_attention.k", [2, 3, None])
    same(np.dot(q["values"], k["values"]) / np.sqrt(of.config.d_head), fields["value"], SINGLE)
    assert fields["labels"] == {"query": "le", "key": of.tokens["source"][3].text}


def test_a_query_comes_from_the_column_block_of_its_head():
    of = small_run()
    fields = explain(of, name="encoder.0.attention.q", at="3,2,1").fields
    x, weight, bias = fields["operands"]
    column = 3 * of.config.d_head + 1
    parameters = dict(of.model.transformer.named_parameters())
    assert weight["index"] == [None, column]
    assert weight["values"] == parameters["encoder.0.attention.query.weight"][:, column].tolist()
    assert bias["values"] == parameters["encoder.0.attention.query.bias"][column].item()
    assert x["values"] == of.trace["encoder.0.residual.in"][2].tolist()


def test_every_operand_that_is_an_activation_can_itself_be_asked_for():
    for family, placement, choices in RUNS:
        of = small_run(family, placement, **choices)
        order = list(of.vocabulary)
        for name, row in of.vocabulary.items():
            for operand in row.operands:
                source = operand.split("[")[0]
                if source in of.trace:
                    assert order.index(source) < order.index(name), (
                        f"{name} would be made of what comes after it"
                    )


def test_a_masked_cell_is_explained_with_null_for_minus_infinity():
    fields = explain(small_run(), name="decoder.0.attention.masked_scores", at="0,0,2").fields
    assert fields["value"] is None
    assert fields["operands"][1] == {
        "name": "decoder.attention.mask",
        "kind": "mask",
        "index": [0, 2],
        "shape": [],
        "values": None,
        "short": "mask",
        "axis": None,
        "token": None,
    }
    assert (
        explain(small_run(), name="decoder.0.attention.pattern", at="0,0,2").fields["value"] == 0.0
    )


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ("0,0", "3 axes"),
        ("0,0,99", "does not exist"),
        ("-1,0,0", "does not exist"),
        ("a,b,c", "whole numbers"),
        ("", "whole numbers"),
        ("0,0,0,0", "3 axes"),
    ],
)
def test_a_place_that_is_none_is_refused_in_a_sentence(at, message):
    with pytest.raises(InvalidInput, match=message):
        explain(small_run(), name="decoder.0.attention.scores", at=at)


def test_an_unknown_name_is_told_its_nearest():
    with pytest.raises(UnknownName, match=r"decoder\.0\.attention\.scores"):
        explain(small_run(), name="decoder.0.attention.score", at="0,0,0")


@pytest.mark.parametrize(("family", "placement", "choices"), CONFIGURATIONS)
def test_the_vocabulary_lists_what_a_run_records_in_the_order_of_computation_with_its_shapes(
    family, placement, choices
):
    of: Run = small_run(family, placement, **choices)
    assert list(of.trace) == list(activations(of.config))
    for name, row in of.vocabulary.items():
        assert tuple(of.axes[axis].size for axis in row.axes) == tuple(of.trace[name].shape), name


def test_an_input_the_model_cannot_read_is_refused_in_a_sentence():
    encoder_decoder, decoder_only = small_model(), small_model("decoder-only")
    for model, wrong, message in [
        (encoder_decoder, Input(source="   "), "source is empty"),
        (encoder_decoder, Input(source="a", target=""), "target is empty"),
        (encoder_decoder, Input(text="a"), "use `source`"),
        (decoder_only, Input(source="a"), "use `text`"),
        (encoder_decoder, Input(source="cat " * 40), "the limit of small is 32"),
        (encoder_decoder, Input(source="half \ud800"), "surrogate"),
    ]:
        with pytest.raises(InvalidInput, match=message):
            run_model(model, wrong)


def test_a_text_beyond_learned_positions_is_refused_with_that_reason_another_with_its_own():
    """SCIENCE: refused with the reason where positions are learned, answered as extrapolation where
    a scheme tells any position.
    """
    for positions, reason in (
        ("learned", "Its positions are learned, and position 32, counted from 0, has no row."),
        ("sinusoidal", "the limit is Vitrine’s own"),
    ):
        with pytest.raises(InvalidInput, match="the limit of small is 32") as refused:
            run_model(small_model(positions=positions), Input(source="cat " * 40))
        assert reason in refused.value.sentence.why
        assert (refused.value.field, refused.value.limit) == ("source", 32)
    for choices in (
        {"positions": "sinusoidal"},
        {"positions": "none", "relative": "rope"},
        {"positions": "none", "relative": "alibi"},
    ):
        of = run_model(small_model("decoder-only", **choices), Input(text="the cat sees the dog ."))
        assert "extrapolation" in of.notes[0]


def test_an_input_longer_than_any_in_training_is_answered_and_said_to_be_extrapolation():
    answer = explain(
        run_model(small_model(), Input(source="the cat sees the dog . late ? i am", target="le")),
        name="logits",
        at="0,0",
    )
    assert "extrapolation" in answer.fields["notes"][0]
    assert torch.isfinite(torch.tensor(answer.fields["value"]))
