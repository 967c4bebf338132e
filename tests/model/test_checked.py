"""The tests' own check of shapes: it sees a wrong one, in every file, and leaves the rest on
trust.
"""

import pytest
import torch
from beartype import beartype
from jaxtyping import Float, TypeCheckError
from torch import Tensor

from model.layers.attention_scores import scaled_dot
from tests import checked


def a_checked_function():
    def first_of_two(a: Float[Tensor, " n"], b: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
        return a

    first_of_two.__qualname__ = "first_of_two"
    return checked.at_first(typechecker=beartype)(first_of_two)


def test_the_models_own_types_are_checked():
    with pytest.raises(TypeCheckError):
        scaled_dot(torch.zeros(2, 3), torch.zeros(4, 5))


def test_each_form_of_the_first_calls_is_checked_and_the_next_file_begins_again():
    function, unit, pair = a_checked_function(), torch.zeros(1), torch.zeros(2)
    for _ in range(checked.CALLS - 1):
        assert function(pair, pair) is pair
    with pytest.raises(TypeCheckError):
        function(unit, pair)
    assert function(unit, pair) is unit, f"Call {checked.CALLS + 1} is checked, which is on trust."
    checked.next_file()
    with pytest.raises(TypeCheckError):
        function(unit, pair)


def test_a_form_that_was_right_once_is_not_checked_again_until_the_next_file():
    """What is not seen: two results of other shapes for arguments of the same forms."""
    results = iter([torch.zeros(2), torch.zeros(1), torch.zeros(1)])

    def changing(a: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
        return next(results)

    changing.__qualname__ = "changing"
    function = checked.at_first(typechecker=beartype)(changing)
    for _ in range(2):
        function(torch.ones(2))
    checked.next_file()
    with pytest.raises(TypeCheckError):
        function(torch.ones(2))


def test_all_that_a_shape_can_depend_on_is_part_of_a_form():
    two, wide = torch.zeros(2), torch.zeros(2, 1)
    values = [two, wide, two.double(), two.int(), 1, 3, True, "1", None, [two], [two, two], [wide]]
    values += [2.5, (two,), torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)]
    forms = [checked.form(value) for value in values]
    twice = [str(values[i]) for i, form in enumerate(forms) if form in forms[:i]]
    assert not twice, f"{twice[0]} has the form of something else."
    assert checked.form(torch.ones(2)) == checked.form(two), "Values are no part of a form."
    assert checked.form(1.5) == checked.form(2.5), "A number with a point is the size of nothing."


def test_a_function_inside_another_is_checked_when_it_is_defined_anew():
    def outer(a: Tensor, b: Tensor) -> Tensor:
        @checked.at_first(typechecker=beartype)
        def inner(a: Float[Tensor, " n"], b: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
            return a

        return inner(a, b)

    for _ in range(checked.CALLS_WITHIN):
        with pytest.raises(TypeCheckError):
            outer(torch.zeros(1), torch.zeros(2))
    assert outer(torch.zeros(1), torch.zeros(2)).shape == (1,)
