"""How far rounding may move a number: the one comparison of numbers that are computed in two ways.

A floating-point operation gives its exact result times 1 + d with |d| <= u, where u is 2^-24 in
single and 2^-53 in double precision. Processors differ in the order of their sums and in fused
operations, and so in every d. After n operations, each on the result of the last, a number that
is made of numbers of size s is off by at most g u s with g = n / (1 - n u) (Higham 2002, Accuracy
and Stability of Numerical Algorithms, lemma 3.1). That needs every d to have one sign. If the d are
independent with mean 0, it is off by at most c sqrt(n) u s with a probability of 1 - 2 exp(-c^2/2)
(Higham and Mary 2019, A New Approach to Probabilistic Rounding Error Analysis, theorem 2.4): all
that a test allows, with c = 4.

n is the longest way through the computation. A layer of width d, with d_ff = 4 d, sums d numbers in
each of two norms, in the queries, the outputs and the hidden layer, and 4 d after it: about 10 d,
and 2 t for t tokens. All processors keep four sums or more at once, so that n is a quarter of that:

    small models of tests   2 + 2 layers, d <= 32, t <= 32        n =   ~400, and the loss behind it
    models that we ship     4 + 4 layers, d <= 192, t <= 64       n = ~4,000
    models of others        30 layers, d <= 576, t <= 64          n = ~45,000

s is the largest number of the two that are compared, or `scale` if that is larger: what a
difference is made of, for instance the logits whose difference is a log-probability near 0.

In single precision all of this stays below one ten-thousandth of s, so that a weight that is off by
so much is found. Exact equality needs no helper: `==`, torch.equal. Script is compared in
tests/js, where every processor does the same: JavaScript fixes the order of its sums.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

SINGLE, DOUBLE = 2.0**-24, 2.0**-53
SMALL, SHIPPED, OTHERS = 1_000, 4_000, 45_000
"""Operations on the longest way through a model, by the table above."""
C = 4

PRINTED = "digits as they are printed"
RANDOM = "random draws, whose spread is known"
APPROXIMATED = "a sum or a difference quotient that stands for an integral or a derivative"
PIXELS = "pixels, of which there is a whole number"
REMEASURED = "what was kept of a training or of other texts, of which a few come out otherwise"
"""Why numbers may be further apart than rounding, for `near`."""


def same(
    found: Any,
    expected: Any,
    unit: float | None = None,
    *,
    n: int = SMALL,
    scale: float = 0.0,
    what: object = "",
) -> None:
    """Asserts that two numbers, arrays, or lists and dictionaries of them are equal up to rounding.

    Arrays are rounded as their types are. Numbers of Python are rounded in double precision unless
    `unit` says SINGLE: an answer's fields are double, whatever they were computed in. All numbers
    of an array or a list have one scale; those of a dictionary have each their own.
    """
    for a, b, where in pairs(found, expected, f"{what} " if what else ""):
        allowed = C * n**0.5 * (unit_of(a, b, unit) + unit_of(b, a, unit))
        a, b = finite(a, b, where)
        if not a.size:
            continue
        off, size = abs(a - b), max(scale, abs(b).max(), abs(a).max())
        at = int(off.argmax())
        assert off[at] <= allowed * size, (
            f"{where}{a[at]:.9g}, expected {b[at]:.9g}: off by {off[at] / size:.2g} of the scale"
            f" {size:.3g}, and rounding moves a number by {allowed:.2g}"
        )


def near(
    found: Any,
    expected: Any,
    why: str,
    *,
    rel: float = 0.0,
    abs: float = 0.0,
) -> None:
    """Asserts that numbers are as near as `why` lets them be, where that is not rounding: printed
    digits, random draws, a difference quotient. `rel` is a share of each expected number.
    """
    for a, b, where in pairs(found, expected, ""):
        assert np.allclose(*finite(a, b, where), rel, abs), f"{where}{a} is not {b}, even for {why}"


def is_same(found: Any, expected: Any, unit: float | None = None, **rest: Any) -> bool:
    """Whether two numbers are equal up to rounding: for tests that need them to differ."""
    try:
        same(found, expected, unit, **rest)
    except AssertionError:
        return False
    return True


def unit_of(actual: np.ndarray, expected: np.ndarray, unit: float | None) -> float:
    kinds = {np.dtype(np.float32): SINGLE, np.dtype(np.float64): DOUBLE}
    return unit or kinds.get(actual.dtype) or kinds.get(expected.dtype, DOUBLE)


def finite(a: np.ndarray, b: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    """The finite numbers of two arrays of one shape, or of an array and one number. What is not
    finite has to be the same in both.
    """
    assert a.shape == b.shape or not b.shape, f"{where}shape {a.shape}, expected {b.shape}"
    a, b = np.asarray(a, complex), np.broadcast_to(b, a.shape)
    known = np.isfinite(a)
    assert np.array_equal(known, np.isfinite(b)), f"{where}{a} is not {b}"
    assert np.array_equal(a[~known], b[~known].astype(complex), equal_nan=True), f"{where}{a}, {b}"
    return a[known], b[known].astype(complex)


def pairs(a: Any, b: Any, where: str) -> Iterator[tuple[np.ndarray, np.ndarray, str]]:
    """The arrays in `a` and `b` that belong together. What is no number has to be equal."""
    if isinstance(b, Mapping):
        assert a.keys() == b.keys(), f"{where}{list(a)} is not {list(b)}"
        for key in b:
            yield from pairs(a[key], b[key], f"{where}{key}: ")
    elif b is None or isinstance(b, str | bool):
        assert a == b, f"{where}{a} is not {b}"
    elif a is None:
        raise AssertionError(f"{where}None, expected {b}")
    elif isinstance(b, list | tuple) and not all(
        isinstance(item, int | float)
        for side in (a, b)
        if isinstance(side, list | tuple)
        for item in side
    ):
        assert len(a) == len(b), f"{where}{len(a)} numbers, expected {len(b)}"
        for i, (actual, expected) in enumerate(zip(a, b, strict=True)):
            yield from pairs(actual, expected, f"{where}{i}: ")
    else:
        yield array(a), array(b), where


def array(numbers: Any) -> np.ndarray:
    return numbers.detach().numpy() if isinstance(numbers, torch.Tensor) else np.asarray(numbers)
