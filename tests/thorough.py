"""Which cases of a test `make test` asks, and which it leaves to `make thorough`, before a release:
the same sentence about more models, sizes or seeds. What is left must repeat what stays.
"""

from collections.abc import Iterable

import pytest


def mostly(cases: Iterable, *kept: object) -> list:
    """All cases; those that are not among `kept` are left to `make thorough`."""
    cases = list(cases)
    unknown = [case for case in kept if case not in cases]
    assert not unknown, f"{unknown} are none of the cases {cases}."
    return [
        case if case in kept else pytest.param(case, marks=pytest.mark.thorough) for case in cases
    ]
