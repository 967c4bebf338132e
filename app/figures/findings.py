"""The findings of an answer by name."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from model.answers.answer import Answer


def measured(answer: "Answer", name: str) -> float:
    """The number of a finding: its value, or the mean of its seeds."""
    return next(one.number for one in answer.fields["findings"] if one.name == name)
