"""What an answer has, by name: findings, labels, values."""

from model.answers.answer import Answer


def measured(answer: Answer, name: str) -> float:
    """The number of a finding: its value, or the mean of its seeds."""
    finding = next(finding for finding in answer.fields["findings"] if finding.name == name)
    return finding.mean if finding.value is None else finding.value


def labels(answer: Answer, axis: str) -> list[str]:
    """The labels of an axis that has some."""
    found = answer.axes[axis].labels
    assert found is not None, f"{axis} has labels"
    return found


def values(answer: Answer, axis: str) -> list[float]:
    """The numbers that the places of an axis stand for."""
    found = answer.axes[axis].values
    assert found is not None, f"{axis} stands for numbers"
    return found
