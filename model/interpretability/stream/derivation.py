"""The derivation of one number of a run: looks up its rule and operands."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from model.activations.activation import Activation
from model.activations.derivation import Cell, Rule, Step
from model.activations.operands import Numbers, Operand, parts_at, read_operand
from model.runs.run import Run


@dataclass(frozen=True)
class LocalDerivation:
    """Rule and operands of one entry."""

    rule: Rule
    cell: Cell
    operands: list[Operand]

    def steps(self, values: Sequence[Tensor] | None = None) -> list[Step]:
        """The steps of the rule in float64, from the recorded operands or from other `values`."""
        recorded = [operand.values.double() for operand in self.operands]
        return self.rule(self.cell, *(recorded if values is None else values))


def derivation_at(
    run: Run, numbers: Numbers, row: Activation, where: dict[str, int]
) -> LocalDerivation:
    """The derivation of the entry of the activation `row` at the indices `where`, by role."""
    inside = where | parts_at(row, run.axes, where)
    rule, names = row.rule_at(inside | typed_place(run, row, where), numbers.edited)
    cell = Cell(run.config, where, length_of(run, row), run.remembered(row))
    return LocalDerivation(rule, cell, [read_operand(numbers, row, inside, name) for name in names])


def typed_place(run: Run, row: Activation, where: dict[str, int]) -> dict[str, int]:
    """The position at which the token of a vector in `row` was typed, in a run with reordered
    tokens: a vector follows the rule of its token, wherever it was moved.
    """
    if not row.name.endswith(".embedding.token") or row.axes[0] not in run.aligned:
        return {}
    place = run.aligned[row.axes[0]][where["position"]]
    return {} if place is None else {"position": place}


def numbers_of(run: Run) -> Numbers:
    """All numbers of a run, for looking up operands."""
    parameter = run.model.transformer.get_parameter
    values = (run.config, run.trace, run.constants, run.masks, parameter, run.tokens, run.axes)
    return Numbers(*values, edited=run.stages.keys())


def length_of(run: Run, row: Activation) -> int:
    """The length of the sequence that the activation `row` belongs to; 1 if there is none."""
    return next((len(run.tokens[axis]) for axis in row.axes if axis in run.tokens), 1)
