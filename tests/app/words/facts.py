"""Facts: predicates that hold in every answer of which a variant is said. Each has the sense of a
word of direction and the term that it is about, as in "more unscaled". They stand apart from the
conditions of `app.experiments`, which this folder does not import, so that none can be circular.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from model.answers.answer import Answer

Fact = Callable[[Answer, Mapping[str, Any]], bool]
Facts = Mapping[str, Mapping[str, Mapping[str, Fact]]]
"""By condition, or by message where it has none, and by variant, "" where there is none."""
Rule = tuple[tuple[str, ...], Callable[..., int | None]]
"""Which findings decide what is right of the choices of an exercise, and which choice, counted from
0, their numbers make right; None where no choice is.
"""


@cache
def second(word: str) -> ModuleType:
    """What is said of a page a second time: its facts, the oracles of its own fields, and which
    choice of its exercise is RIGHT.
    """
    return import_module(f"tests.app.words.{word.replace('-', '_')}")


def between(low: float, high: float) -> Callable[[float], int]:
    """Of three choices: below `low`, from there to `high`, above."""
    return lambda number: 0 if number < low else 1 if number < high else 2


def of_question(holds: Callable[[Mapping[str, Any]], bool]) -> Fact:
    """A fact of the question."""
    return lambda _, question: holds(question)
