"""Every word answers about every model what it answered before `model/` was put into rooms: the
structure exactly, the numbers as far as another processor leaves them equal.
"""

import json

import pytest

from tests.model.recorded.questions import RECORDED, recorded, short

BEFORE = json.loads(RECORDED.read_text())
TOLERANCE = 1e-5
"""Of the sum of the absolute values: float32 sums in another order differ by less."""


@pytest.fixture(scope="module")
def now() -> dict:
    return {name: short(plain, tensors) for name, plain, tensors in recorded()}


def test_the_same_questions_are_asked(now: dict):
    assert list(now) == list(BEFORE)


@pytest.mark.parametrize("question", BEFORE)
def test_an_answer_is_the_one_that_was_recorded(now: dict, question: str):
    before, after = BEFORE[question], now[question]
    assert after["structure"] == before["structure"]
    assert list(after["numbers"]) == list(before["numbers"])
    for name, (total, size) in before["numbers"].items():
        assert abs(after["numbers"][name][0] - total) <= TOLERANCE * (size + 1), name
