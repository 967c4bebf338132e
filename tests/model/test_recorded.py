"""Every word answers about every model what it answered before `model/` was put into rooms: the
structure exactly, the numbers as far as another processor leaves them equal.
"""

import json

import pytest

from tests.model.recorded.questions import RECORDED, recorded, short
from tests.model.support.every_model import REPEATED
from tests.rounding import SHIPPED, SINGLE, same
from tests.thorough import mostly

BEFORE = json.loads(RECORDED.read_text())
NOW = recorded()


def is_repeated(question: str) -> bool:
    return any(f'"{id}"' in question or question == f"explain {id}" for id in REPEATED)


def test_the_same_questions_are_asked():
    assert list(NOW) == list(BEFORE)


@pytest.mark.parametrize(
    "question", mostly(BEFORE, *(question for question in BEFORE if not is_repeated(question)))
)
def test_an_answer_is_the_one_that_was_recorded(question: str):
    before, after = BEFORE[question], short(*NOW[question]())
    assert after["structure"] == before["structure"]
    assert list(after["numbers"]) == list(before["numbers"])
    for name, (total, size) in before["numbers"].items():
        same(after["numbers"][name][0], total, SINGLE, n=SHIPPED, scale=size + 1, what=name)
