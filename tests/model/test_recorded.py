"""Every word answers about every model what it answered before `model/` was put into rooms: the
structure exactly, the numbers as far as another processor leaves them equal.
"""

import json

import pytest

from tests.model.recorded.questions import RECORDED, recorded, short
from tests.model.support.every_model import REPEATED
from tests.thorough import mostly

BEFORE = json.loads(RECORDED.read_text())
NOW = recorded()
TOLERANCE = 1e-5
"""Of the sum of the absolute values: float32 sums in another order differ by less."""


def is_repeated(question: str) -> bool:
    return any(f'"{id}"' in question or question == f"explain {id}" for id in REPEATED)


def test_the_same_questions_are_asked():
    assert list(NOW) == list(BEFORE)


@pytest.mark.parametrize(
    "question", mostly(BEFORE, *(one for one in BEFORE if not is_repeated(one)))
)
def test_an_answer_is_the_one_that_was_recorded(question: str):
    before, after = BEFORE[question], short(*NOW[question]())
    assert after["structure"] == before["structure"]
    assert list(after["numbers"]) == list(before["numbers"])
    for name, (total, size) in before["numbers"].items():
        assert abs(after["numbers"][name][0] - total) <= TOLERANCE * (size + 1), name
