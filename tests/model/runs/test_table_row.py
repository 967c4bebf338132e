"""A row of a table is read column by column, and run through three models of which every analysis
can be asked.
"""

import json

import pytest
import torch

from app.compute.wire import encode
from model.analyses.activations import activations
from model.analyses.attention import attention
from model.analyses.explain import explain
from model.analyses.logits import logits
from model.analyses.positions import positions
from model.analyses.residual import residual
from model.analyses.tokens import tokens
from model.errors import InvalidInput, UnknownName
from model.inputs.input import Input
from model.inputs.table_rows import row_text
from model.runs.run_model import run_model
from model.training.model_card import write_model
from model.zoo.models import load_model
from tests.model.support.recomputed import assert_axes_fit, assert_every_number_follows
from tests.model.support.row_runs import (
    CHOICES,
    CLASSES,
    FT,
    FULL,
    ROW,
    SAINT,
    TAB,
    row_model,
    row_run,
    tokenizer,
)
from tests.model.support.runs import small_model
from tests.model.support.small import config_of
from tests.rounding import SHIPPED, SINGLE, same

KINDS = [
    FT,
    TAB,
    SAINT,
    {"placement": "post", "biases": False, "unembedding_bias": True, "normed_embedding": True},
    {**TAB, "placement": "pre", "biases": False, "d_ff": 0},
    {**SAINT, "placement": "post", "biases": False, "n_kv_heads": 2, "score": "dot"},
    {**SAINT, "weighing": "favor", "d_ff": 0},
]


@pytest.mark.parametrize("choices", KINDS)
def test_every_number_of_a_row_follows_from_its_operands(choices):
    of = row_run(**choices)
    assert_axes_fit(of)
    assert_every_number_follows(of)


def test_a_row_is_read_in_any_order_and_without_what_is_missing():
    values = tokenizer().read(" sex = FEMALE , length=39.10, island=,mass=3750.5")
    assert values == {
        "length": 39.1,
        "depth": None,
        "mass": 3750.5,
        "island": None,
        "sex": "female",
    }
    assert tokenizer().read(row_text(values)) == values
    assert row_text(values) == "length=39.1,mass=3750.5,sex=female"
    assert [
        (column.text, column.value, column.place, column.category)
        for column in tokenizer().encode(values)
    ] == [
        ("[CLS]", "", None, None),
        ("length", "39.1", 0, None),
        ("depth", "", 1, None),
        ("mass", "3750.5", 2, None),
        ("island", "", 0, 3),  # the last of its four: what is missing
        ("sex", "female", 1, 4),
    ]
    expected = [(39.1 - 44) / 5.5, None, (3750.5 - 4200) / 800]
    same(tokenizer().standardised(values), expected)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("", "The row is empty: give at least one column."),
        (" , ,", "row is empty"),
        ("length=,island=", "row is empty"),
        ("wings=2", "There is no column 'wings'; the columns are"),
        ("lenght=40", "There is no column 'lenght'; the columns are"),
        ("island=Dream,3", "'3' is not a column with a value"),
        ("=4,island=Dream", "no column ''"),
        ("length=40,length=41", "length is given twice"),
        ("length=long", "length must be from 16 to 90 mm"),
        ("length=nan", "'nan' was given"),
        ("length=1e400", "'1e400' was given"),
        ("length=-40", "from 16 to 90 mm; '-40'"),
        ("length=90.01", "from 16 to 90 mm"),
        ("mass=True", "'True' was given"),
        ("island=Bouvet", "island must be one of Biscoe, Dream, Torgersen; 'Bouvet' was given"),
        ("island=\ud800", "island must be one of"),
        ("some=thing else", "no column 'some'"),
    ],
)
def test_what_is_no_row_is_refused_in_a_sentence(row, sentence):
    with pytest.raises(InvalidInput, match=sentence) as refused:
        run_model(row_model(**FT), Input(row=row))
    assert refused.value.field == "row"


def test_an_example_is_named_by_its_id():
    by_id = run_model(row_model(**FT), Input(row="some"))
    assert torch.equal(by_id.trace["logits"], row_run(**FT).trace["logits"])
    assert by_id.input == {"row": ROW}
    with pytest.raises(UnknownName, match=r"no example named 'same'\. Did you mean some"):
        run_model(row_model(**FT), Input(row="same"))


def test_rows_and_texts_are_refused_by_models_of_the_other():
    for input, sentence in [
        (Input(text="a"), "not `text`"),
        (Input(), "takes table rows: give a `row`."),
    ]:
        with pytest.raises(InvalidInput, match=sentence):
            run_model(row_model(**FT), input)
    with pytest.raises(InvalidInput, match="not `row`"):
        run_model(small_model("encoder-only"), Input(row=ROW))


def test_a_number_beyond_those_learned_from_is_said_to_be_extrapolation():
    assert run_model(row_model(**FT), Input(row="length=61,island=Dream")).notes == [
        "length is 61 mm; it was 32 to 60 in the rows learned from: extrapolation."
    ]
    assert run_model(row_model(**FT), Input(row=FULL)).notes == []


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"max_length": 5}, "make 6 tokens; max_length is 5"),
        ({"positions": "learned"}, "without positions"),
        ({"tied_unembedding": True}, "Table rows need an encoder-only model without positions"),
        ({"inputs": "tokens"}, "belong to models of"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(choices, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        config_of(
            family="encoder-only",
            n_encoder_layers=1,
            d_model=16,
            n_heads=4,
            **{**CHOICES, **choices},
        )


@pytest.mark.parametrize("choices", [FT, TAB, SAINT])
def test_every_analysis_of_a_row_is_served(choices):
    of = row_run(**choices)
    for answer in (
        tokens(of),
        activations(of),
        attention(of),
        residual(of),
        logits(of, lens=True, full=True),
    ):
        assert json.loads(encode(answer))["axes"]["row"]["kind"] == "column"
    axis = attention(of).axes["row"]
    assert (axis.labels[-2:], axis.value[-2:]) == (["island", "sex"], ["Dream", ""])
    answer = logits(of)
    assert (answer.fields["top"], answer.fields["expected"]) == (3, [])
    best = of.trace["logits"][0].argsort(descending=True).tolist()
    assert answer.fields["top_tokens"][0] == [CLASSES[id] for id in best]
    last = logits(of, lens=True, full=True).tensors["lens.logits"].data[-1]
    assert (last - of.trace["logits"]).abs().max() <= (1e-6 if choices is SAINT else 0)
    assert residual(of).fields["largest_difference"]["value"] < 1e-5


def test_of_saint_the_attention_between_rows_is_served_with_their_species():
    answer = attention(row_run(**SAINT), kind="rows", layer=1)
    assert answer.tensors["encoder.1.row_attention.pattern"].data.shape == (4, 4, 4)
    table = answer.axes["table"]
    assert (table.kind, table.value) == ("row", ["", "Adelie", "Gentoo", "Adelie"])
    assert table.labels == ["itself", "Adelie-1", "Gentoo-1", "Adelie-2"]
    with pytest.raises(InvalidInput, match="has no rows-attention"):
        attention(row_run(**FT), kind="rows")


def test_a_logit_read_through_hidden_layers_is_no_sum_of_parts():
    with pytest.raises(
        InvalidInput, match="can’t be split into parts: hidden layers come after its"
    ):
        logits(row_run(**TAB), attribution=True, token=1)
    answer = logits(row_run(**SAINT), attribution=True, token=1)
    same(
        answer.tensors["attribution"].data.sum(0),
        row_run(**SAINT).trace["logits"][:, 1],
        SINGLE,
        n=SHIPPED,
        scale=1,
    )


def test_what_is_missing_is_made_of_vectors_of_its_own():
    depth = explain(row_run(**FT), name="encoder.embedding.token", at="2,3").fields
    assert depth["labels"] == {"position": "depth"}
    weights = dict(row_model(**FT).transformer.named_parameters())
    assert depth["value"] == weights["embedding.token.numbers.missing"][1, 3].item()
    sex = explain(row_run(**FT), name="encoder.embedding.token", at="5,3").fields
    assert [(operand["name"], operand["index"]) for operand in sex["operands"]] == [
        ("embedding.token.categories.table", [6, 3]),
        ("embedding.token.categories.column", [1, 3]),
    ]


def test_a_model_of_rows_is_written_and_read_with_its_encoding(tmp_path):
    model = row_model(**SAINT)
    card = write_model(
        tmp_path / "tiny", model.transformer, model.tokenizer, {"id": "tiny", **model.card}
    )
    assert card == json.loads((tmp_path / "tiny" / "card.json").read_text(encoding="utf-8"))
    read = load_model("tiny", tmp_path)
    assert read.tokenizer == model.tokenizer
    assert torch.equal(
        run_model(read, Input(row="some")).trace["logits"], row_run(**SAINT).trace["logits"]
    )


def test_the_sizes_of_the_tokens_of_a_row_are_served_and_no_position_is_told(monkeypatch):
    monkeypatch.setattr("model.analyses.positions.load_model", lambda name: row_model(**SAINT))
    answer = positions(model="small", row=ROW)
    assert torch.equal(
        answer.tensors["token_norm.row"].data,
        row_run(**SAINT).trace["encoder.embedding.token"].norm(dim=-1),
    )
    assert not answer.tensors["encoding"].data.any()
