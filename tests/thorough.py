"""Which cases of a test `make test` asks, and which it leaves to `make thorough`, before a release:
the same sentence about more models, sizes or seeds. What is left must repeat what stays.
"""

from collections.abc import Iterable

import pytest

ParameterSet = type(pytest.param())


def mostly(cases: Iterable, *always: object) -> list:
    """All cases; those that are not among `always` are left to `make thorough`. A case of several
    arguments is a `pytest.param`, and each of `always` one of `cases`.
    """
    cases = list(cases)
    unknown = [case for case in always if case not in cases]
    assert not unknown, f"{unknown} are none of the cases {cases}."
    return [case if case in always else left(case) for case in cases]


def left(case: object) -> ParameterSet:
    """A case that is left to `make thorough`."""
    if not isinstance(case, ParameterSet):
        case = pytest.param(case)
    return case._replace(marks=(*case.marks, pytest.mark.thorough))
