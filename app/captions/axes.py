"""What stands along the axes of an answer."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from model.answers.answer import Answer


def labels(answer: "Answer", axis: str) -> list[str]:
    """The labels of an axis that has some."""
    found = answer.axes[axis].labels
    assert found is not None, f"{axis} has labels"
    return found


def values(answer: "Answer", axis: str) -> list[float]:
    """The numbers that the places of an axis stand for."""
    found = answer.axes[axis].values
    assert found is not None, f"{axis} stands for numbers"
    return found
