"""The findings of an answer by name."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from model.answers.answer import Answer
    from model.answers.measurements import Finding


def finding(answer: "Answer", name: str) -> "Finding":
    """The finding of a name. Raises StopIteration for a name that none has."""
    return next(finding for finding in answer.fields["findings"] if finding.name == name)


def measured(answer: "Answer", name: str) -> float:
    """The number of a finding: its value, or the mean of its seeds."""
    return finding(answer, name).number
