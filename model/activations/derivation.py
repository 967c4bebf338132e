"""Derivations: the steps by which one number follows from its operands, and the rules that several
parts share.

A rule takes a cell and the values of its operands, in the order in which the activation lists them.
It returns the steps of the derivation in order; the last step is the number itself. All arithmetic
is in float64, from float32 operands. The rules of one part only stand in the file of that part.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
    """A way to derive a number, called with a cell and its operands; answers show its `name`.

    `blackboard` are the ways in which the derivation is written down, which
    model/activations/blackboard.py reads; the first whose numbers all exist is used.
    """

    name: str
    derive: Callable[..., list[Step]]
    blackboard: tuple[tuple[str, ...], ...] = ()

    def __call__(self, cell: Cell, *operands: Tensor) -> list[Step]:
        return self.derive(cell, *operands)


def rule(derive: FunctionType) -> Rule:
    """A rule with the name of the function that it decorates, without a `_steps` at its end."""
    return Rule(derive.__name__.removesuffix("_steps"), derive)


def typeset(*lines: str) -> Callable[[Rule], Rule]:
    """The rule that it decorates, written down in these lines: `{largest}` is a step by its name,
    `{0}` an operand by its number (`{-1}` the last), `{0:own}` the member of an operand that
    belongs to the cell, and `{..-4}` the sum of all operands before the last four.
    """
    return lambda rule: replace(rule, blackboard=(lines, *rule.blackboard))


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


@typeset("{0} = {value}")
@rule
def copy(cell: Cell, x: Tensor) -> list[Step]:
    """The operand itself."""
    return [Step("value", "x", x)]


def add(cell: Cell, *summands: Tensor) -> list[Step]:
    """The sum of all operands."""
    return [Step("value", "sum of operands", torch.stack(summands).sum())]


# The function cannot have the name of Python's own sum.
SUM = Rule("sum", add, (("{..} = {value}",),))


@typeset("Σ {sum} + {2} = {value}")
@rule
def linear(cell: Cell, x: Tensor, weight: Tensor, bias: Tensor) -> list[Step]:
    """One number of the linear map x W + b."""
    steps = sum_of_products(x, weight)
    return [*steps, Step("value", "sum + bias", steps[-1].value + bias)]


@typeset("Σ {value}")
@rule
def product(cell: Cell, x: Tensor, y: Tensor) -> list[Step]:
    """One number of a matrix product, x W or q k^T."""
    steps = sum_of_products(x, y)
    return [steps[0], Step("value", "sum of products", steps[1].value)]


@typeset("exp( {0:own} − {largest} ) = {own}", "{own} ÷ {sum} = {value}")
@typeset("{value}")
@rule
def softmax(cell: Cell, row: Tensor) -> list[Step]:
    """exp(s) / sum exp(s); a row that is -inf everywhere gives 0.

    The largest score is subtracted first: the quotient stays the same, and exp cannot overflow.
    """
    index = list(cell.at.values())[-1]
    largest = row.max()
    if largest.isneginf():
        return [Step("value", "0: this query may look nowhere", number(0.0))]
    exponentials = (row - largest).exp()
    return [
        Step("largest", "max of the row", largest),
        Step("exponentials", "exp(score - largest)", exponentials),
        Step("own", "this cell's exponential", exponentials[index]),
        Step("sum", "sum of the row", exponentials.sum()),
        Step("value", "own / sum", exponentials[index] / exponentials.sum()),
    ]
