"""The tests' own check of shapes: it sees a wrong one, in every test, and leaves the rest on
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


def test_the_first_calls_of_a_test_are_checked_and_the_next_test_begins_again():
    function, one, two = a_checked_function(), torch.zeros(1), torch.zeros(2)
    for _ in range(checked.CALLS - 1):
        assert function(two, two) is two
    with pytest.raises(TypeCheckError):
        function(one, two)
    assert function(one, two) is one
    checked.next_test()
    with pytest.raises(TypeCheckError):
        function(one, two)


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
