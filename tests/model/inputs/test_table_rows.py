"""Rows of any table: columns without a unit, below zero, with many options, of one kind alone."""

import pytest

from model.errors import InvalidInput
from model.inputs.table_rows import Category, Number, RowTokenizer, row_text
from model.runs.table_row import tensors


@pytest.mark.parametrize(
    ("least", "most", "bounds"),
    [(33.1, 58, (16.55, 87)), (-10, 20, (-15, 30)), (-40, -10, (-60, -5)), (0, 3, (0, 4.5))],
)
def test_what_was_learned_from_is_within_the_bounds_and_half_as_far_again(least, most, bounds):
    column = Number("x", "", 0.0, 1.0, least, most)
    assert column.bounds == bounds
    for value in (least, most):
        assert column.read(str(value)) == value
    with pytest.raises(InvalidInput, match="x must be from"):
        column.read("1e9")


def test_an_option_with_its_own_capitals_goes_before_one_that_differs_in_them():
    column = Category("code", ("AA", "aa", "b"))
    assert [column.read(text) for text in ("aa", "AA", "B")] == ["aa", "AA", "b"]


def test_of_many_options_a_refusal_names_those_that_are_like_what_was_typed():
    column = Category("airport", (*(f"A{n:02}" for n in range(99)), "BOSTON"))
    with pytest.raises(InvalidInput) as refused:
        column.read("Bostn")
    assert "one of 100 options, such as" in str(refused.value)
    assert len(str(refused.value)) < 120


def test_a_table_may_have_columns_of_one_kind_alone():
    numbers = RowTokenizer((Number("x", "", 2.0, 4.0, 0.0, 9.0),), (), ("no", "yes"))
    rows = tensors(numbers, [{"x": 4.0}, {"x": None}])
    assert (rows.numbers.tolist(), rows.categories.shape) == ([[0.5], [0.0]], (2, 0))
    categories = RowTokenizer((), (Category("c", ("a", "b")),), ("no", "yes"))
    rows = tensors(categories, [{"c": "b"}, {"c": None}])
    assert (rows.numbers.shape, rows.categories.tolist()) == ((2, 0), [[1], [2]])
    assert categories.read(row_text({"c": "b"})) == {"c": "b"}
