"""Positions: the sinusoid's laws against NumPy, what is measured on any table, and a model's own
beside its embeddings.
"""

import math

import numpy as np
import pytest
import torch

from model.analyses import positions as word
from model.analyses.positions import positions
from model.analytic.position_properties import general_facts
from model.analytic.sinusoidal_shift import rotation
from model.errors import InvalidInput, UnknownName
from tests.model.support import position_reading
from tests.model.support.runs import small_model
from tests.rounding import SHIPPED, SINGLE, same

SIZES = pytest.mark.parametrize(
    ("length", "d_model", "base"),
    [(2, 2, 10000.0), (7, 6, 50.0), (64, 128, 10000.0), (96, 32, 1e6)],
)


def by_the_paper(length: int, d_model: int, base: float = 10000.0) -> np.ndarray:
    """Section 3.5 of Vaswani et al., cell by cell."""
    table = np.empty((length, d_model))
    for p in range(length):
        for i in range(d_model // 2):
            angle = p / base ** (2 * i / d_model)
            table[p, 2 * i], table[p, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return table


def facts(answer) -> dict:
    return {fact.name: fact for fact in answer.fields["facts"]}


@SIZES
def test_the_table_is_the_formula_of_the_paper(length, d_model, base):
    answer = positions(length=length, d_model=d_model, base=base)
    same(
        answer.tensors["encoding"].data.numpy(),
        by_the_paper(length, d_model, base),
        SINGLE,
        scale=1,
    )
    assert answer.kind == "analytic"


@SIZES
def test_similarity_is_a_sum_of_cosines_of_the_offset(length, d_model, base):
    """PE(p) . PE(q) = sum_i cos((p - q) w_i): nothing in it but the offset, and even in it."""
    frequency = base ** (-np.arange(0, d_model, 2) / d_model)
    offset = np.arange(length)[:, None] - np.arange(length)
    law = np.cos(offset[..., None] * frequency).sum(-1)
    answer = positions(length=length, d_model=d_model, base=base)
    same(answer.tensors["similarity"].data.numpy(), law, SINGLE, n=SHIPPED, scale=1)
    measured = facts(answer)
    assert measured["offset_spread"].value < 1e-9 * d_model
    assert measured["oddness"].value < 1e-9 * d_model
    same(measured["squared_norm"].value, d_model / 2, scale=1)
    assert measured["rises"].value == (np.diff(law[:, 0]) > 1e-9 * d_model).sum()


@SIZES
def test_one_orthogonal_map_shifts_every_position(length, d_model, base):
    table = by_the_paper(2 * length, d_model, base)
    for k in (1, length - 1, length):
        shift = torch.block_diag(*rotation(k, d_model, base)).numpy()
        same(shift @ shift.T, np.eye(d_model), scale=1)
        same(table[k:], table[:-k] @ shift.T, scale=1)


def test_the_shift_error_is_tiny_in_both_precisions_and_measured_at_every_offset():
    answer = positions(length=40, d_model=64)
    errors = answer.tensors["shift_error"]
    assert errors.axes == ("precision", "offset")
    assert answer.axes["offset"].labels == [str(k) for k in range(1, 40)]
    assert errors.data[0].max() < 1e-12
    assert 0 < errors.data[1].max() < 1e-6
    assert facts(answer)["shift_error_float32"].value == errors.data[1].max()


def test_a_wrong_map_would_show(monkeypatch):
    """The measurement can fail: a map of slightly other frequencies is found out."""
    monkeypatch.setattr(
        "model.analytic.position_properties.rotation",
        lambda k, d, base: rotation(k, d, 1.001 * base),
    )
    measured = facts(positions(length=20, d_model=16))
    assert not measured["shift_error"].holds
    assert not measured["shift_error_float32"].holds


@SIZES
def test_wavelengths_are_read_off_the_table_and_are_those_of_the_law(length, d_model, base):
    answer = positions(length=length, d_model=d_model, base=base)
    law = 2 * math.pi * base ** (np.arange(0, d_model, 2) / d_model)
    same(answer.tensors["wavelength"].data, law)
    same(
        facts(answer)["longest_wavelength"].value,
        2 * math.pi * base ** ((d_model - 2) / d_model),
    )
    assert facts(answer)["longest_wavelength"].holds


def test_names_narrow_what_is_sent_and_change_nothing_else():
    whole, part = (
        positions(length=8, d_model=6),
        positions(length=8, d_model=6, names="wavelength, shift_error"),
    )
    assert list(part.tensors) == ["wavelength", "shift_error"]
    assert set(part.axes) == {"pair", "precision", "offset"}
    assert torch.equal(part.tensors["shift_error"].data, whole.tensors["shift_error"].data)
    assert part.fields == whole.fields
    with pytest.raises(UnknownName, match="wavelength"):
        positions(names="wavelenth")


def test_similarity_is_not_monotone_at_the_size_of_the_paper():
    assert facts(positions(length=64, d_model=512))["rises"].holds


def test_no_positions_at_all_leave_every_position_the_same():
    answer = positions(scheme="none", length=9, d_model=6)
    assert not answer.tensors["encoding"].data.any()
    assert not facts(answer)["nearest_distance"].holds
    assert "shift_error" not in answer.tensors


def test_a_random_table_keeps_none_of_the_promises():
    """The facts are measured, not stated."""
    table = 3 * torch.randn(20, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    held = {fact.name: fact.holds for fact in general_facts(table, table.roll(1, 0))}
    assert held == {
        "change_with_length": False,
        "largest_value": False,
        "nearest_distance": True,
        "offset_spread": False,
        "oddness": False,
    }


@pytest.fixture(scope="module")
def board():
    """Every scheme's facts at 64 positions and 32 channels, by name."""
    answer = positions(length=64, d_model=32, board=True)
    return {
        row["name"]: {fact.name: fact for fact in row["facts"]} for row in answer.fields["board"]
    }


def test_the_board_has_every_scheme_and_its_marks_are_measured(board):
    assert list(board) == list(position_reading.DEFAULTS)
    held = {name: [fact.holds for fact in facts.values()] for name, facts in board.items()}
    assert held == {
        #              length, bounded, distinct, offset only, goes on, nothing new, little weight
        "none": [True, True, False, True, True, True],
        "integer": [True, False, True, False, True, False],
        "normalised": [False, True, True, False, True, False],
        "sigmoid": [True, True, False, False, True, True],
        "sine": [True, True, False, False, True, True],
        "sinusoidal": [True, True, True, False, True, False],
        "learned": [True, True, True, False, False],
        "shaw": [True, True, False, True, True, True, False],
        "t5": [True, True, False, True, True, False, False],
        "rope": [True, True, True, True, True, False],
        "alibi": [True, False, True, True, True, False, True],
    }


def test_the_boards_numbers_in_closed_form(board):
    value = {
        name: {key: fact.value for key, fact in facts.items()} for name, facts in board.items()
    }
    same(value["normalised"]["change_with_length"], 1 - 63 / 127)
    same(value["integer"]["weight"], 127, SINGLE)
    same(value["sinusoidal"]["weight"], math.sqrt(1 / 2))
    assert value["alibi"]["weight"] == 63.5
    assert [value[name]["distinct"] for name in ("none", "sigmoid", "sine", "shaw", "t5")] == [
        1,
        19,
        33,
        17,
        14,
    ]
    assert value["learned"]["missing"] == 64
    same(
        value["alibi"]["far_share"],
        np.mean([1 / (1 + math.exp(64 / 2**i)) for i in range(1, 9)]),
    )
    assert value["rope"]["score_spread"] < 1e-12


def test_sigmoid_tells_19_of_512_positions_apart():
    assert facts(positions(scheme="sigmoid", length=512, d_model=2))["distinct"].value == 19


def test_what_a_scheme_is_asked_with_stays_its_own():
    """Parameters of one question do not turn up in the next."""
    positions(scheme="alibi", length=4, d_model=2, heads=3)
    assert positions(scheme="alibi", length=4, d_model=2).fields["heads"] == 8


def test_the_bias_of_a_head_lies_in_the_cells_of_its_pairs():
    answer = positions(scheme="alibi", length=5, d_model=4, heads=4, head=1)
    law = [[-abs(q - p) / 16 for q in range(5)] for p in range(5)]
    assert answer.tensors["similarity"].data.tolist() == law
    assert answer.axes["offset"].labels == ["-4", "-3", "-2", "-1", "0", "1", "2", "3", "4"]
    assert "encoding" not in answer.tensors
    assert answer.kind == "analytic"


@pytest.mark.parametrize("scheme", ["learned", "shaw", "t5"])
def test_what_would_be_learned_is_drawn_from_its_seed_and_says_so(scheme):
    first, again, other = (
        positions(scheme=scheme, length=6, d_model=4, seed=seed) for seed in (1, 1, 2)
    )
    assert first.kind == "random initialization"
    assert first.fields["seed"] == 1
    assert all(
        torch.equal(first.tensors[name].data, again.tensors[name].data) for name in first.tensors
    )
    assert not torch.equal(first.tensors["similarity"].data, other.tensors["similarity"].data)


def test_a_learned_table_has_nothing_beyond_its_end():
    answer = positions(scheme="learned", length=6, d_model=4)
    assert answer.tensors["identifier_norm"].data.isneginf().tolist() == [False] * 6 + [True] * 6
    assert answer.tensors["profile"].data[1].isneginf().all()
    assert answer.tensors["profile"].masked


@pytest.mark.parametrize("scheme", ["none", "sinusoidal", "rope", "alibi", "t5", "shaw"])
def test_where_the_offset_is_all_that_counts_the_last_query_sees_the_same_at_twice_the_length(
    scheme,
):
    near, far = positions(scheme=scheme, length=20, d_model=8).tensors["profile"].data
    same(near[:20], far[:20], SINGLE, scale=1)


@pytest.fixture
def ask(monkeypatch):
    """Asks about a small random model with the given choices."""

    def ask(question: dict, **choices):
        monkeypatch.setattr(word, "load_model", lambda name: small_model(**choices))
        return positions(model="small", **question)

    return ask


def test_a_models_own_table_is_what_its_run_adds(ask):
    answer = ask({"source": "the cat", "target": "le chat"})
    model = small_model()
    assert torch.equal(
        answer.tensors["encoding"].data[:5], model.transformer.embedding.position(5).float()
    )
    assert (answer.kind, answer.fields["length"]) == ("analytic", model.config.max_length)


def test_token_norms_are_those_of_the_scaled_embeddings(ask):
    answer = ask({"source": "the cat", "target": "le chat"})
    weights = small_model().transformer.embedding.token.numpy() * math.sqrt(16)
    for text in ("source", "target"):
        norms = np.linalg.norm(weights[answer.axes[text].ids], axis=1)
        same(answer.tensors[f"token_norm.{text}"].data, norms)
        assert answer.fields["kinds"][f"token_norm.{text}"] == "random initialization"
    quantiles = {row["quantile"]: row["value"] for row in answer.fields["vocabulary_norm"]}
    same(quantiles[0.5], np.median(np.linalg.norm(weights, axis=1)), SINGLE)
    same(quantiles[1.0], np.linalg.norm(weights, axis=1).max(), SINGLE)


def test_a_learned_table_is_shown_as_it_is_and_ends_where_it_ends(ask):
    answer = ask({}, family="decoder-only", positions="learned")
    table = small_model("decoder-only", positions="learned").transformer.embedding.learned
    assert torch.equal(answer.tensors["encoding"].data, table)
    assert answer.kind == "random initialization"
    assert "wavelength" not in answer.tensors
    with pytest.raises(InvalidInput, match="length is 33") as error:
        ask({"length": 33}, family="decoder-only", positions="learned")
    assert (error.value.field, error.value.limit, error.value.given) == ("length", 32, 33)


def test_a_model_whose_attention_is_told_offsets_says_so(ask):
    answer = ask({}, family="decoder-only", positions="none", relative="rope")
    assert (answer.fields["scheme"], answer.fields["relative"]) == ("none", "rope")
    assert "relative" not in ask({}).fields


@pytest.mark.parametrize(
    ("question", "field", "message"),
    [
        ({"length": 0}, "length", "between 2 and 512"),
        ({"length": 513}, "length", "between 2 and 512"),
        ({"d_model": 7}, "d_model", "it must be even, because channels are pairs"),
        ({"d_model": 514}, "d_model", "between 2 and 512"),
        ({"base": 0.5}, "base", "between 1 and 1e"),
        ({"base": math.inf}, "base", "between 1 and 1e"),
        ({"base": math.nan}, "base", "between 1 and 1e"),
        ({"scheme": "none", "base": 100.0}, "base", "The scheme none has no"),
        ({"scheme": "rope", "period": 3.0}, "period", "The scheme rope has no"),
        ({"scheme": "sinusoidal", "head": 0}, "head", "The scheme sinusoidal has no"),
        ({"scheme": "sine", "period": 0.5}, "period", "between 1 and 1e"),
        ({"scheme": "sigmoid", "seed": 1}, "seed", "The scheme sigmoid has no"),
        ({"scheme": "alibi", "heads": 65}, "heads", "between 1 and 64"),
        ({"scheme": "alibi", "heads": 4, "head": 4}, "head", "between 0 and 3"),
        ({"scheme": "shaw", "head": 1}, "head", "between 0 and 0"),
        ({"scheme": "shaw", "most": 0}, "most", "between 1 and 4096"),
        (
            {"scheme": "t5", "buckets": 7},
            "buckets",
            "it must be even, because half of them look ahead.",
        ),
        ({"scheme": "t5", "buckets": 32, "most": 8}, "most", "more than 8"),
        (
            {"scheme": "rope", "d_model": 5},
            "d_model",
            "it must be even, because channels are pairs",
        ),
        ({"source": "the cat"}, "source", "needs a `model`"),
        ({"model": "small", "board": True}, "board", "has its own"),
        ({"model": "small", "base": 100.0}, "base", "has its own"),
        ({"model": "small", "scheme": "none"}, "scheme", "has its own"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_in_a_sentence(question, field, message):
    with pytest.raises(InvalidInput, match=message) as error:
        positions(**question)
    assert error.value.field == field


def test_an_unknown_scheme_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="sinusoidal"):
        positions(scheme="sinusoid")
    with pytest.raises(UnknownName, match="alibi"):
        positions(scheme="alib")
