"""The findings of an answer by name."""

from model.answers.answer import Answer


def measured(answer: Answer, name: str) -> float:
    """The number of a finding: its value, or the mean of its seeds."""
    finding = next(finding for finding in answer.fields["findings"] if finding.name == name)
    return finding.mean if finding.value is None else finding.value
