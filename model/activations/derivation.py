"""Derivations: the steps that compute one number from its operands, and the rules shared by several
parts.

A rule takes an entry's position and the values of its operands, in the order in which the
activation lists them. It returns the steps in order; the last step is the number itself. All
arithmetic is in float64, from float32 operands. Rules used by only one part are in the file of that
part.
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
    """One step of a derivation. `value` is a number, or a vector with one number per summand."""

    name: str
    formula: str
    value: Tensor


@dataclass(frozen=True)
class Cell:
    """The position of an entry: `at` holds its indices by axis role, `config` belongs to its model,
    and `length` is the length of its sequence.

    `start` is the number of remembered positions before position 0.
    """

    config: Config
    at: dict[str, int]
    length: int = 1
    start: int = 0


@dataclass(frozen=True)
class Rule:
    """How to derive a number, called with a cell and its operands; results show its `name`.

    `blackboard` lists the ways to typeset the derivation, which model/activations/blackboard.py
    reads; the first one whose numbers all exist is used.
    """

    name: str
    derive: Callable[..., list[Step]]
    blackboard: tuple[tuple[str, ...], ...] = ()

    def __call__(self, cell: Cell, *operands: Tensor) -> list[Step]:
        return self.derive(cell, *operands)


def rule(derive: FunctionType) -> Rule:
    """A rule named after the decorated function, without the suffix `_steps`."""
    return Rule(derive.__name__.removesuffix("_steps"), derive)


def typeset(*lines: str) -> Callable[[Rule], Rule]:
    """Adds lines that typeset the decorated rule: `{largest}` is a step by name, `{0}` an operand
    by index (`{-1}` is the last), `{0:own}` the element of an operand that belongs to the entry,
    and `{..-4}` the sum of all operands except the last four.
    """
    return lambda rule: replace(rule, blackboard=(lines, *rule.blackboard))


def number(value: float) -> Tensor:
    """A float64 scalar."""
    return torch.tensor(value, dtype=torch.float64)


def total(summands: Sequence[Tensor]) -> Tensor:
    """The sum of one or more operands."""
    return cast(Tensor, sum(summands))  # sum() would return an int only for no operands


def sum_of_products(x: Tensor, y: Tensor) -> list[Step]:
    """The products x_i y_i of two tensors of equal size in row-major order, and their sum."""
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


# named so as not to shadow the built-in `sum`
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
    """exp(s) / sum exp(s); a row that is entirely -inf gives 0.

    The maximum is subtracted first: this does not change the quotient, and exp cannot overflow.
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
