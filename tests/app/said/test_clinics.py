"""What the page of every clinic says is said a second time: each number, each name and each word of
comparison in a claim, in what to look for and in the number to read off belongs to a saying of the
clinic, with the fields of the answer. Answers also have numbers of their own in them, so that no
two print alike.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import ModuleType

import pytest

from app.figures.drawing import figures_of
from app.words import verdicts
from model.answers.answer import Answer
from tests.app.said.answered import marked
from tests.app.said.sayings import Question, unexplained
from tests.app.words.test_every_clinic import CLINICS, asked, base

PARTS = ("claim", "look_for", "reading")


def second(word: str) -> ModuleType:
    return import_module(f"tests.app.said.{word.replace('-', '_')}")


@cache
def pages(word: str) -> list[tuple[Question, Answer]]:
    """The small question and those on which the words depend, with each figure that is shown."""
    told = second(word)
    given = []
    for changes in ({}, *getattr(told, "QUESTIONS", ())):
        question = base(CLINICS[word]) | changes
        one = asked(word, question)
        names = list(figures_of(word, one))
        shown = [(), *((name,) for name in names), *getattr(told, "FIGURES", ())]
        given += [(question | {"figures": figures}, one) for figures in shown]
    return given


@cache
def of_others(word: str) -> list[tuple[Question, Answer]]:
    """The same with other numbers in the answers."""
    told = second(word)
    changed = {id(one): marked(one) for _, one in pages(word)}
    given = [(question, changed[id(one)]) for question, one in pages(word)]
    return given + list(getattr(told, "forced", lambda _: ())(pages(word)))


def sentences(word: str, one: Answer, question: Question) -> dict[str, str]:
    module = verdicts.module_of(word)
    return {
        "claim": module.claim(one, question).text,
        "look_for": module.look_for(one, question),
        "reading": module.reading(one, question),
    }


def faults(word: str, told: list[tuple[Question, Answer]]) -> Iterator[str]:
    rules = second(word)
    for question, one in told:
        for part, sentence in sentences(word, one, question).items():
            for fault in unexplained(
                sentence, rules.SAYS, rules.FIELDS, one, question, getattr(rules, "NAMES", ())
            ):
                yield f"/{word}, {part}: {fault}"


@pytest.mark.parametrize("word", CLINICS)
def test_every_number_and_word_of_comparison_is_explained_by_the_answer(word: str):
    found = list(dict.fromkeys([*faults(word, pages(word)), *faults(word, of_others(word))]))
    assert not found, found[0] + "".join(f"\n{one}" for one in found[1:])
