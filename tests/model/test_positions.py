"""Positions: the sinusoid's laws against NumPy, what is measured on any table, and a model's own beside its embeddings."""

import math

import numpy as np
import pytest
import torch

from model import positions as schemes
from model.analyses import positions as word
from model.analyses.positions import positions
from model.errors import InvalidInput, UnknownName
from model.position_facts import general_facts
from tests.model.runs import small_model

SIZES = pytest.mark.parametrize(("length", "d_model", "base"), [(2, 2, 10000.0), (7, 6, 50.0), (64, 128, 10000.0), (96, 32, 1e6)])


def by_the_paper(length: int, d_model: int, base: float = 10000.0) -> np.ndarray:
    """Section 3.5 of Vaswani et al., cell by cell."""
    table = np.empty((length, d_model))
    for p in range(length):
        for i in range(d_model // 2):
            angle = p / base ** (2 * i / d_model)
            table[p, 2 * i], table[p, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return table


def facts(answer) -> dict:
    return {fact["name"]: fact for fact in answer.fields["facts"]}


@SIZES
def test_the_table_is_the_formula_of_the_paper(length, d_model, base):
    answer = positions(length=length, d_model=d_model, base=base)
    assert np.abs(answer.tensors["encoding"].data.numpy() - by_the_paper(length, d_model, base)).max() < 1e-7
    assert answer.kind == "analytic"


@SIZES
def test_similarity_is_a_sum_of_cosines_of_the_offset(length, d_model, base):
    """PE(p) . PE(q) = sum_i cos((p - q) w_i): nothing in it but the offset, and even in it."""
    frequency = base ** (-np.arange(0, d_model, 2) / d_model)
    offset = np.arange(length)[:, None] - np.arange(length)
    law = np.cos(offset[..., None] * frequency).sum(-1)
    answer = positions(length=length, d_model=d_model, base=base)
    assert np.abs(answer.tensors["similarity"].data.numpy() - law).max() < 1e-4
    measured = facts(answer)
    assert measured["offset_spread"]["value"] < 1e-9 * d_model
    assert measured["oddness"]["value"] < 1e-9 * d_model
    assert measured["squared_norm"]["value"] == pytest.approx(d_model / 2, abs=1e-9)
    assert measured["rises"]["value"] == (np.diff(law[:, 0]) > 1e-9 * d_model).sum()


@SIZES
def test_one_orthogonal_map_shifts_every_position(length, d_model, base):
    table = by_the_paper(2 * length, d_model, base)
    for k in (1, length - 1, length):
        shift = torch.block_diag(*schemes.rotation(k, d_model, base)).numpy()
        assert np.abs(shift @ shift.T - np.eye(d_model)).max() < 1e-12
        assert np.abs(table[k:] - table[:-k] @ shift.T).max() < 1e-11


def test_the_shift_error_is_tiny_in_both_precisions_and_measured_at_every_offset():
    answer = positions(length=40, d_model=64)
    errors = answer.tensors["shift_error"]
    assert errors.axes == ("precision", "offset")
    assert answer.axes["offset"].labels == [str(k) for k in range(1, 40)]
    assert errors.data[0].max() < 1e-12
    assert 0 < errors.data[1].max() < 1e-6
    assert facts(answer)["shift_error_float32"]["value"] == errors.data[1].max()


def test_a_wrong_map_would_show(monkeypatch):
    """The measurement can fail: a map of slightly other frequencies is found out."""
    monkeypatch.setattr("model.position_facts.rotation", lambda k, d, base: schemes.rotation(k, d, 1.001 * base))
    measured = facts(positions(length=20, d_model=16))
    assert not measured["shift_error"]["holds"]
    assert not measured["shift_error_float32"]["holds"]


@SIZES
def test_wavelengths_are_read_off_the_table_and_are_those_of_the_law(length, d_model, base):
    answer = positions(length=length, d_model=d_model, base=base)
    law = 2 * math.pi * base ** (np.arange(0, d_model, 2) / d_model)
    assert np.allclose(answer.tensors["wavelength"].data, law, rtol=1e-9)
    assert facts(answer)["longest_wavelength"]["value"] == pytest.approx(2 * math.pi * base ** ((d_model - 2) / d_model))
    assert facts(answer)["longest_wavelength"]["holds"]


def test_names_narrow_what_is_sent_and_change_nothing_else():
    whole, part = positions(length=8, d_model=6), positions(length=8, d_model=6, names="wavelength, shift_error")
    assert list(part.tensors) == ["wavelength", "shift_error"]
    assert set(part.axes) == {"pair", "precision", "offset"}
    assert torch.equal(part.tensors["shift_error"].data, whole.tensors["shift_error"].data)
    assert part.fields == whole.fields
    with pytest.raises(UnknownName, match="wavelength"):
        positions(names="wavelenth")


def test_similarity_is_not_monotone_at_the_size_of_the_paper():
    assert facts(positions(length=64, d_model=512))["rises"]["holds"]


def test_no_positions_at_all_leave_every_position_the_same():
    answer = positions(scheme="none", length=9, d_model=6)
    assert not answer.tensors["encoding"].data.any()
    assert not facts(answer)["nearest_distance"]["holds"]
    assert "shift_error" not in answer.tensors


def test_a_random_table_keeps_none_of_the_promises():
    """The facts are measured, not stated."""
    table = 3 * torch.randn(20, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    held = {fact["name"]: fact["holds"] for fact in general_facts(table, table.roll(1, 0))}
    assert held == {"change_with_length": False, "largest_value": False, "nearest_distance": True, "offset_spread": False, "oddness": False}


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
    assert torch.equal(answer.tensors["encoding"].data[:5], model.transformer.embedding.position(5).float())
    assert (answer.kind, answer.fields["length"]) == ("analytic", model.config.max_length)


def test_token_norms_are_those_of_the_scaled_embeddings(ask):
    answer = ask({"source": "the cat", "target": "le chat"})
    weights = small_model().transformer.embedding.token.numpy() * math.sqrt(16)
    for text in ("source", "target"):
        norms = np.linalg.norm(weights[answer.axes[text].ids], axis=1)
        assert np.allclose(answer.tensors[f"token_norm.{text}"].data, norms, rtol=1e-5)
        assert answer.fields["kinds"][f"token_norm.{text}"] == "random initialisation"
    quantiles = {row["quantile"]: row["value"] for row in answer.fields["vocabulary_norm"]}
    assert quantiles[0.5] == pytest.approx(np.median(np.linalg.norm(weights, axis=1)), rel=1e-5)
    assert quantiles[1.0] == pytest.approx(np.linalg.norm(weights, axis=1).max(), rel=1e-5)


def test_a_learned_table_is_shown_as_it_is_and_ends_where_it_ends(ask):
    answer = ask({}, family="decoder-only", positions="learned")
    table = small_model("decoder-only", positions="learned").transformer.embedding.learned
    assert torch.equal(answer.tensors["encoding"].data, table)
    assert answer.kind == "random initialisation"
    assert "wavelength" not in answer.tensors
    with pytest.raises(InvalidInput, match="length is 33") as error:
        ask({"length": 33}, family="decoder-only", positions="learned")
    assert (error.value.field, error.value.limit, error.value.given) == ("length", 32, 33)


@pytest.mark.parametrize(
    ("question", "field", "said"),
    [
        ({"length": 0}, "length", "from 2 to 512"),
        ({"length": 513}, "length", "from 2 to 512"),
        ({"d_model": 7}, "d_model", "has to be even"),
        ({"d_model": 514}, "d_model", "from 2 to 512"),
        ({"base": 0.5}, "base", "from 1 to 1e"),
        ({"base": math.inf}, "base", "from 1 to 1e"),
        ({"base": math.nan}, "base", "from 1 to 1e"),
        ({"scheme": "none", "base": 100.0}, "base", "no part of the scheme none"),
        ({"source": "the cat"}, "source", "needs a `model`"),
        ({"model": "small", "base": 100.0}, "base", "has its own"),
        ({"model": "small", "scheme": "none"}, "scheme", "has its own"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_in_a_sentence(question, field, said):
    with pytest.raises(InvalidInput, match=said) as error:
        positions(**question)
    assert error.value.field == field


def test_an_unknown_scheme_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="sinusoidal"):
        positions(scheme="sinusoid")
