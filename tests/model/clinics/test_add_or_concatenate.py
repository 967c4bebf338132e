"""Add or concatenate: the identity on real vectors, and least squares against NumPy."""

import numpy as np
import pytest
import torch

from model.clinics.add_or_concatenate import WAYS, accuracy, add_or_concatenate
from model.errors import InvalidInput
from model.zoo.models import load_model
from tests.rounding import same
from tests.thorough import mostly


@pytest.mark.parametrize("vectors", mostly(["translator", "fill-in"], "translator"))
def test_adding_is_concatenating_with_shared_weights_and_both_are_read_from_the_sum(vectors):
    answer = add_or_concatenate(vectors=vectors, tokens=16, seeds=2)
    by_name = {finding.name: finding for finding in answer.fields["findings"]}
    assert [by_name[name].verdict for name in ("identity", "token", "position")] == ["holds"] * 3
    token, position, both, side_by_side = answer.tensors["query"].data
    same(token + position, both)
    same(side_by_side, both)


def test_the_query_of_the_sum_is_that_of_the_model_without_its_bias():
    model = load_model("fill-in")
    attention = model.transformer.stack("encoder")[0].attention
    x = torch.randn(3, model.config.d_model, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        expected = attention.query(x) - attention.query.get_parameter("bias")
        same(x @ attention.query.weight, expected, scale=1)


def test_the_readout_is_the_least_squares_of_numpy():
    draws = np.random.default_rng(0)
    x, labels = draws.normal(size=(60, 5)), draws.integers(3, size=60)
    x[labels == 1, 0] += 2
    fit = np.arange(60) < 40
    design = np.column_stack([x, np.ones(60)])
    w, *_ = np.linalg.lstsq(design[fit], np.eye(3)[labels[fit]], rcond=None)
    expected = (np.argmax(design[~fit] @ w, -1) == labels[~fit]).mean()
    found = accuracy(torch.tensor(x), torch.tensor(labels), torch.tensor(fit))
    same(found, expected)


def test_a_concatenation_needs_twice_the_weights_unless_it_is_pressed_to_the_same_width():
    answer = add_or_concatenate(tokens=8, seeds=1)
    d = answer.fields["d_model"]
    assert [answer.fields["weights"][way] for way in WAYS] == [d * d, d * d, 2 * d * d]


def test_a_model_without_a_table_of_positions_is_refused():
    with pytest.raises(InvalidInput, match="vectors"):
        add_or_concatenate(vectors="shakespeare")
