"""Facts: predicates that hold in every answer of which a variant is said. Each has the sense of a
word of direction and the term that it is about, as in "more unscaled". They stand apart from the
conditions of `app.experiments`, which this folder does not import, so that none can be circular.
"""

from collections.abc import Callable, Mapping
from typing import Any

from model.answers.answer import Answer

Fact = Callable[[Answer, Mapping[str, Any]], bool]
Facts = Mapping[str, Mapping[str, Mapping[str, Fact]]]
"""By condition, or by message where it has none, and by variant, "" where there is none."""


def asked(holds: Callable[[Mapping[str, Any]], bool]) -> Fact:
    """A fact of the question."""
    return lambda _, question: holds(question)
