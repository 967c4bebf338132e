"""Readers: the later numbers that have a given number as an operand, and with what weight.

The catalog's operands say which numbers make one number. Here they are inverted: for each
activation and each of its operands, the indices are found at which the operand contains the given
number. No second table of the network is needed.

The weight of a reader is its derivative with respect to the number, with all other operands held
fixed. If the rule is linear in the number, this is its coefficient: the weight W_O[i, j] for a
channel of z, the attention weight for a value.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import torch

from model.activations.activation import Activation
from model.activations.operands import INDEX, OPERAND, Numbers, Operand, parts_at, read_index
from model.interpretability.stream.derivation import derivation_at, numbers_of
from model.runs.run import Run


@dataclass(frozen=True)
class Reader:
    """A number computed from another one: its activation, its indices by role, its recorded value
    (-inf for a masked score), and its derivative with respect to that other number.
    """

    activation: Activation
    at: dict[str, int]
    value: float
    weight: float


def readers(run: Run, name: str, place: Sequence[int]) -> list[Reader]:
    """All numbers of the run that have the number at `place` of the activation `name` as an
    operand, in the order of computation. Empty for a final output of the network.
    """
    numbers = numbers_of(run)
    found = []
    for row in run.vocabulary.values():
        for at in cells_that_read(numbers, row, name, place):
            value = run.trace[row.name][tuple(at.values())].item()
            found.append(Reader(row, at, value, weight(run, numbers, row, at, name, place)))
    return found


def cells_that_read(
    numbers: Numbers, row: Activation, name: str, place: Sequence[int]
) -> Iterator[dict[str, int]]:
    """The entries of the activation `row`, as indices by role, that have the number at `place` of
    the activation `name` as an operand.
    """
    sizes = {role: numbers.axes[axis].size for role, axis in zip(row.index, row.axes, strict=True)}
    ways = [row.operands, *(ops for _, ops in row.parts.values())]
    ways += [cells.operands for cells in row.special]
    ways += [ops for other, (_, ops) in row.under_edits.items() if other in numbers.edited]
    found = set()
    for operands in ways:
        for operand in operands:
            if operand.partition("[")[0] != name:
                continue
            for fixed in indices_that_hold(numbers, row, sizes, operand, place):
                free = [role for role in row.index if role not in fixed]
                for rest in product(*(range(sizes[role]) for role in free)):
                    indices = fixed | dict(zip(free, rest, strict=True))
                    cell = {role: indices[role] for role in row.index}
                    inside = cell | parts_at(row, numbers.axes, cell)
                    used = row.rule_at(inside, numbers.edited)[1]
                    if used == operands and tuple(cell.values()) not in found:
                        found.add(tuple(cell.values()))
                        yield cell


def indices_that_hold(
    numbers: Numbers, row: Activation, sizes: dict[str, int], operand: str, place: Sequence[int]
) -> list[dict[str, int]]:
    """The indices by role at which `operand` contains the number at `place`, without irrelevant
    roles. Each index of the operand restricts the roles in it.
    """
    match = OPERAND.fullmatch(operand)
    assert match is not None, f"{operand} is no operand"
    solutions: list[dict[str, int]] = [{}]
    for index, wanted in zip(INDEX.finditer(match.group("index")), place, strict=True):
        roles = roles_in(numbers, row, index.group())
        solutions = [
            known | dict(zip(open_, tried, strict=True))
            for known in solutions
            for open_ in [[role for role in roles if role not in known]]
            for tried in product(*(range(sizes[role]) for role in open_))
            if holds(numbers, row, known | dict(zip(open_, tried, strict=True)), index, wanted)
        ]
    return solutions


def roles_in(numbers: Numbers, row: Activation, index: str) -> list[str]:
    """The roles that one index of an operand depends on. The name of a part of an axis stands for
    the role of that axis.
    """
    words = set(re.findall(r"\w+", index))
    words |= {"head"} & {word.removeprefix("kv_") for word in words}
    return [
        role
        for role, axis in zip(row.index, row.axes, strict=True)
        if role in words or words & set(numbers.axes[axis].parts or {})
    ]


def holds(
    numbers: Numbers, row: Activation, known: dict[str, int], index: re.Match, wanted: int
) -> bool:
    """Whether one index of an operand is, or contains, `wanted` for these entries."""
    cell = dict.fromkeys(row.index, 0) | known
    inside = cell | parts_at(row, numbers.axes, cell)
    if index.group("plain") in all_parts(numbers, row) - inside.keys():
        return False  # this entry is in another part of the axis
    return includes(read_index(numbers, row, inside, index), wanted)


def all_parts(numbers: Numbers, row: Activation) -> set[str]:
    return {part for axis in row.axes for part in numbers.axes[axis].parts or {}}


def includes(index: int | list[int] | None, wanted: int) -> bool:
    """Whether an index of an operand, a range [first, end) or a whole axis, includes a number."""
    if isinstance(index, list):
        return index[0] <= wanted < index[1]
    return index is None or index == wanted


def weight(
    run: Run,
    numbers: Numbers,
    row: Activation,
    at: dict[str, int],
    name: str,
    place: Sequence[int],
) -> float:
    """The derivative of the entry `at` of `row` with respect to the number at `place` of `name`. If
    the number occurs in several operands, each of them counts.
    """
    with torch.inference_mode(False), torch.enable_grad():
        derivation = derivation_at(run, numbers, row, at)
        reading = [
            i for i, op in enumerate(derivation.operands) if is_in(op, name=name, place=place)
        ]
        values = [operand.values.detach().double().clone() for operand in derivation.operands]
        for i in reading:
            values[i].requires_grad_()
        result = derivation.steps(values)[-1].value
        if not result.requires_grad:
            return 0.0  # a query without visible keys, whose weights are 0 by definition
        slopes = torch.autograd.grad(result, [values[i] for i in reading], allow_unused=True)
        members = [member(derivation.operands[i], place) for i in reading]
        return sum(
            slope[inside].item()
            for slope, inside in zip(slopes, members, strict=True)
            if slope is not None
        )


def is_in(operand: Operand, name: str, place: Sequence[int]) -> bool:
    """Whether an operand contains the number at `place` of the activation `name`."""
    return operand.name == name and all(map(includes, operand.index, place))


def member(operand: Operand, place: Sequence[int]) -> tuple[int, ...]:
    """The index of the number at `place` of its tensor within the operand's values."""
    return tuple(
        i - (start[0] if isinstance(start, list) else 0)
        for start, i in zip(operand.index, place, strict=True)
        if start is None or isinstance(start, list)
    )
