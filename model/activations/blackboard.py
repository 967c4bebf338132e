"""The blackboard: a derivation as equations. Each number in them has a name, a value and, where it
was read from a tensor, its place there.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from model.activations.derivation import Step
from model.activations.operands import Operand

NUMBER = re.compile(r"\{([^}]+)\}")
SUBSCRIPTS = {"query": "Q", "key": "K", "value": "V", "output": "O", "hidden": "1"}
WEIGHT = re.compile(rf"\.({'|'.join(SUBSCRIPTS)})\.(weight|bias)$")


@dataclass(frozen=True)
class Term:
    """A number of an equation: what it is called, and the name of the tensor or the formula of the
    step that it is. `at` is its index in that tensor, None for a step; `result` says that it is the
    derived number itself.
    """

    label: str
    name: str
    value: Tensor
    at: list[int] | None = None
    result: bool = False


@dataclass(frozen=True)
class Blackboard:
    """The numbers of one derivation: that of the activation `name`, whose last step is the number
    itself. `member` is the member of the operands that belongs to the derived cell, in a softmax.
    """

    name: str
    operands: Sequence[Operand]
    steps: Sequence[Step]
    member: int | None = None

    def equations(self, versions: Sequence[Sequence[str]]) -> list[list[str | Term]]:
        """The first version whose numbers all exist, with the numbers put in: signs and terms. A
        derivation that nobody has written down is shown step by step.
        """
        for lines in versions:
            if all(self.find(wanted) for line in lines for wanted in NUMBER.findall(line)):
                return [self.equation(line) for line in lines]
        numbers = [step for step in self.steps if step.value.dim() == 0]
        return [[f"{typeset(step.formula)} =", self.step(step)] for step in numbers]

    def equation(self, line: str) -> list[str | Term]:
        """One line: what stands between the braces are numbers, all else are signs."""
        parts: list[str | Term] = []
        for i, piece in enumerate(NUMBER.split(line)):
            if i % 2:
                parts += self.find(piece)
            elif piece.strip():
                parts.append(piece.strip())
        return parts

    def find(self, wanted: str) -> list[str | Term]:
        """The terms of a pair of braces (see `written`); empty where there is no such number."""
        if wanted.startswith(".."):
            end = int(wanted[2:]) if wanted[2:] else None
            sums = [["+", self.operand(operand)] for operand in self.operands[:end]]
            return [part for pair in sums for part in pair][1:]
        index, _, member = wanted.partition(":")
        if index.lstrip("-").isdigit():
            i, n = int(index), len(self.operands)
            there = -n <= i < n and (member == "own" or self.operands[i].values.dim() == 0)
            return [self.operand(self.operands[i])] if there else []
        return [self.step(step) for step in self.steps if step.name == wanted]

    def operand(self, operand: Operand) -> Term:
        """An operand that is a number, or the member of its vector that belongs to the cell."""
        member = self.member or 0
        value = operand.values if operand.values.dim() == 0 else operand.values[member]
        return Term(short_name(operand.name), operand.name, value, place(operand, member))

    def step(self, step: Step) -> Term:
        """A step; the last one is called what the derived activation is called."""
        last = step is self.steps[-1]
        label = short_name(self.name) if last else step.name
        return Term(label, step.formula, step.value, result=last)


def place(operand: Operand, member: int) -> list[int]:
    """The index of one member of an operand in its tensor."""
    return [
        member if i is None else i[0] + member if isinstance(i, list) else i for i in operand.index
    ]


def short_name(name: str) -> str:
    """What a tensor is called in formulas: W_Q, b_2, mask, or the last two words of its name."""
    if found := WEIGHT.search(name):
        part, kind = found.groups()
        second = part == "output" and "feed_forward" in name
        return f"{'W' if kind == 'weight' else 'b'}_{'2' if second else SUBSCRIPTS[part]}"
    if name.endswith(".mask"):
        return "mask"
    short = ".".join(name.split(".")[-2:])
    return re.sub(r"^(cross_)?attention\.(?!out$)", "", short)


def typeset(formula: str) -> str:
    """k^T and sqrt(d_head) as they stand on a blackboard: kᵀ and √d_head."""
    roots = re.sub(r"sqrt\((\w+)\)", r"√\1", formula.replace("^T", "ᵀ"))
    return roots.replace("sqrt(", "√(")
