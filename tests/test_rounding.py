"""The rule of rounding.py, and that every comparison of numbers keeps to it."""

import ast
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.rounding import DOUBLE, OTHERS, SHIPPED, SINGLE, SMALL, is_same, near, same

TESTS = Path(__file__).parent
RAW = {"allclose", "approx", "assert_allclose", "assert_almost_equal", "assert_close", "isclose"}
ELSEWHERE = {
    "rounding.py": "is the helper",
    "browser": "places on a screen, and numbers of one answer as script prints them",
    "benchmarks": "measure, and compare with other libraries as they do",
    "storm": "judges whole answers",
    "app/drawn": "looks printed numbers and places up among thousands",
}
"""Where numbers are compared in another way, and why."""


def compared_raw(tree: ast.AST) -> list[int]:
    """The lines of raw comparisons: by what a library offers, or as |a - b| < c with c below 1e-3,
    which means rounding.
    """
    return [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Call) and named(node) in RAW)
        or (
            isinstance(node, ast.Compare)
            and isinstance(node.ops[0], ast.Lt | ast.LtE)
            and isinstance(limit := node.comparators[0], ast.Constant)
            and isinstance(limit.value, float)
            and limit.value < 1e-3
            and any(
                isinstance(call, ast.Call)
                and named(call) in {"abs", "largest_difference"}
                and any(isinstance(part, ast.Sub) for part in ast.walk(call))
                for call in ast.walk(node.left)
            )
        )
    ]


def untyped(tree: ast.AST) -> list[int]:
    """The lines in which a tensor is compared as a number of Python, which does not know that it
    was computed in single precision.
    """
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and named(node) in {"same", "is_same"}
        and len(node.args) < 3
        and not any(keyword.arg == "unit" for keyword in node.keywords)
        and any(
            isinstance(call, ast.Call) and named(call) in {"item", "tolist"}
            for argument in node.args
            for call in ast.walk(argument)
        )
    ]


def named(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def test_every_comparison_of_numbers_goes_through_the_helper_or_says_why_not():
    wrong = [
        f"{path.relative_to(TESTS)}:{line}"
        for path in sorted(TESTS.rglob("*.py"))
        if not {*map(str, path.relative_to(TESTS).parents), str(path.relative_to(TESTS))}
        & ELSEWHERE.keys()
        for tree in [ast.parse(path.read_text())]
        for line in (*compared_raw(tree), *untyped(tree))
        if path != Path(__file__)
    ]
    assert wrong == []


@pytest.mark.parametrize("n", [SMALL, SHIPPED, OTHERS])
def test_one_ten_thousandth_is_found_and_a_sum_in_another_order_is_not(n: int):
    draws = torch.Generator().manual_seed(n)
    x = torch.randn(8, n, generator=draws)
    forth, back = (torch.stack([*values.cumsum(-1).T]) for values in (x, x.flip(-1)))
    same(forth[-1], back[-1], n=n, scale=n**0.5)
    same(forth[-1], x.double().sum(-1), n=n, scale=n**0.5)
    weights = torch.randn(30, 30, generator=draws)
    assert not is_same(weights * (1 + 1e-4), weights.double(), n=n)


def test_numbers_are_as_fine_as_their_type_unless_a_unit_is_named():
    single, double = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0], dtype=torch.float64)
    assert is_same(single * (1 + 1e-6), single)
    assert is_same(single * (1 + 1e-6), double)
    assert not is_same(double * (1 + 1e-6), double)
    assert is_same(double * (1 + 1e-6), double, SINGLE)
    assert not is_same([1.0, 2.0], [1.0, 2.0 + 1e-6])
    assert is_same([1.0, 2.0], [1.0, 2.0 + 1e-15], DOUBLE)


def test_the_scale_is_the_largest_number_that_is_named_or_there():
    assert is_same([1e-9, 1.0], [2e-9, 1.0], SINGLE)
    assert not is_same({"a": 1e-9, "b": 1.0}, {"a": 2e-9, "b": 1.0}, SINGLE)
    assert not is_same(1e-6, 2e-6, SINGLE)
    assert is_same(1e-6, 2e-6, SINGLE, scale=1)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (np.ones(3), np.ones(2)),
        (np.ones((2, 2)), np.ones(2)),
        (np.array([-np.inf, 1]), np.array([1.0, 1])),
        (np.array([np.nan, 1]), np.array([1.0, 1])),
        ({"a": 1.0}, {"b": 1.0}),
        ([1.0, None], [1.0, 2.0]),
        ([[1.0], [2.0]], [[1.0]]),
        ("1", "2"),
    ],
)
def test_what_is_missing_infinite_or_no_number_is_found(found: object, expected: object):
    assert not is_same(found, expected)
    with pytest.raises((AssertionError, TypeError, ValueError)):
        near(found, expected, "a shape is no matter of rounding", abs=1e-3)
