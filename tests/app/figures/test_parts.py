"""Figures of one part of an answer: another part needs no new answer."""

from types import SimpleNamespace

import pytest

from app.compute.messages import Figures, Numbers
from app.worker.process import State
from model import analyses
from tests.app.questions import Worker

WAVES = {"scheme": "sinusoidal", "length": 6, "d_model": 4}


@pytest.fixture
def questions_computed(monkeypatch: pytest.MonkeyPatch) -> list[dict]:
    """The questions that were computed."""
    questions: list[dict] = []

    def answer(word: str, question: dict) -> object:
        questions.append(question)
        return analyses.answer(word, question)

    monkeypatch.setattr(State, "analyses", SimpleNamespace(answer=answer), raising=False)
    monkeypatch.setattr(State, "memo", {})
    monkeypatch.setattr(State, "sizes", Worker.sizes, raising=False)
    State.answers.clear()
    return questions


def part(position: int) -> Figures:
    view = (("channels", "0"), ("position", position), ("offset", 1))
    return Figures("json", ("table",), view)


def test_another_part_of_an_answer_is_drawn_without_a_new_computation(
    questions_computed: list[dict],
):
    first, second = (State.answer("positions", WAVES, part(position)) for position in (1, 2))
    assert len(questions_computed) == 1
    assert first != second
    assert State.answer("positions", WAVES, part(1)) == first


def test_another_question_is_computed_and_few_answers_are_kept(questions_computed: list[dict]):
    for length in (4, 5, 6, 7, 8, 4):
        State.answer("positions", {**WAVES, "length": length}, part(1))
    assert [question["length"] for question in questions_computed] == [4, 5, 6, 7, 8, 4]


def test_numbers_are_those_of_the_figures_and_not_computed_anew(questions_computed: list[dict]):
    State.answer("positions", WAVES, part(1))
    for encoding in ("json", "base64"):
        State.answer("positions", WAVES, Numbers(encoding))
    assert len(questions_computed) == 1


def test_an_answer_that_takes_too_much_is_not_kept(
    questions_computed: list[dict], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("app.worker.process.MAX_KEPT_BYTES", 100)
    for _ in range(2):
        State.answer("positions", WAVES, Numbers())
    assert len(questions_computed) == 2
    assert not State.answers


def test_an_answer_that_cannot_be_repeated_is_computed_each_time(questions_computed: list[dict]):
    for _ in range(2):
        State.answer("positions", WAVES, Numbers(), store=False)
    assert len(questions_computed) == 2
