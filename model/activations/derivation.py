"""Derivations: the steps by which one number follows from its operands, and the rules that several
parts share.

A rule takes a cell and the values of its operands, in the order in which the activation lists them.
It returns the steps of the derivation in order; the last step is the number itself. All arithmetic
is in float64, from float32 operands. The rules of one part only stand in the file of that part.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import cast

import torch
from torch import Tensor

from model.config import Config


@dataclass(frozen=True)
class Step:
    """One step of a derivation: `value` is a number, or a vector when the step has a number for
    each member of a sum.
    """

    name: str
    formula: str
    value: Tensor


@dataclass(frozen=True)
class Cell:
    """The place of a number: `at` holds its indices by the role of the axis, `config` belongs to
    its model, and `length` counts the positions of its text.

    `start` is the number of remembered positions that come before the text's position 0.
    """

    config: Config
    at: dict[str, int]
    length: int = 1
    start: int = 0


@dataclass(frozen=True)
class Rule:
    """A way to derive a number, called with a cell and its operands; answers show its `name`."""

    name: str
    derive: Callable[..., list[Step]]

    def __call__(self, cell: Cell, *operands: Tensor) -> list[Step]:
        return self.derive(cell, *operands)


def rule(derive: FunctionType) -> Rule:
    """A rule with the name of the function that it decorates."""
    return Rule(derive.__name__, derive)


def number(value: float) -> Tensor:
    """A float64 scalar."""
    return torch.tensor(value, dtype=torch.float64)


def total(summands: Sequence[Tensor]) -> Tensor:
    """The sum of one operand or more."""
    return cast(Tensor, sum(summands))  # only a sum of nothing would be the integer 0


def sum_of_products(x: Tensor, y: Tensor) -> list[Step]:
    """The products x_i y_i of two tensors of equal size, read row by row, and their sum."""
    products = x.flatten() * y.flatten()
    return [Step("products", "x_i y_i", products), Step("sum", "sum of products", products.sum())]


@rule
def copy(cell: Cell, x: Tensor) -> list[Step]:
    """The operand itself."""
    return [Step("value", "x", x)]


def add(cell: Cell, *summands: Tensor) -> list[Step]:
    """The sum of all operands."""
    return [Step("value", "sum of operands", torch.stack(summands).sum())]


SUM = Rule("sum", add)  # the function cannot have the name of Python's own sum


@rule
def linear(cell: Cell, x: Tensor, weight: Tensor, bias: Tensor) -> list[Step]:
    """One number of the linear map x W + b."""
    steps = sum_of_products(x, weight)
    return [*steps, Step("value", "sum + bias", steps[-1].value + bias)]


@rule
def product(cell: Cell, x: Tensor, y: Tensor) -> list[Step]:
    """One number of a matrix product, x W or q k^T."""
    steps = sum_of_products(x, y)
    return [steps[0], Step("value", "sum of products", steps[1].value)]


@rule
def softmax(cell: Cell, row: Tensor) -> list[Step]:
    """exp(s) / sum exp(s); a row that is -inf everywhere gives 0.

    The largest score is subtracted first: the quotient stays the same, and exp cannot overflow.
    """
    own = list(cell.at.values())[-1]
    largest = row.max()
    if largest.isneginf():
        return [Step("value", "0: this query may look nowhere", number(0.0))]
    exponentials = (row - largest).exp()
    return [
        Step("largest", "max of the row", largest),
        Step("exponentials", "exp(score - largest)", exponentials),
        Step("own", "this cell's exponential", exponentials[own]),
        Step("sum", "sum of the row", exponentials.sum()),
        Step("value", "own / sum", exponentials[own] / exponentials.sum()),
    ]
