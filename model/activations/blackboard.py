"""A derivation as equations. Each number has a name, a value, and, if it was read from a tensor,
its index there.
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
    """A number in an equation, with the name of its tensor or the formula of its step. `at` is its
    index in the tensor, None for a step. `result` is True for the derived number itself.
    """

    label: str
    name: str
    value: Tensor
    at: list[int] | None = None
    result: bool = False


@dataclass(frozen=True)
class Blackboard:
    """The numbers of one derivation of the activation `name`; its last step is the derived number.
    `member` is the operand's index that belongs to the derived entry, in a softmax.
    """

    name: str
    operands: Sequence[Operand]
    steps: Sequence[Step]
    member: int | None = None

    def equations(self, versions: Sequence[Sequence[str]]) -> list[list[str | Term]]:
        """The first version whose numbers all exist, with the numbers inserted, as text and terms.
        If no version fits, the derivation is shown step by step.
        """
        for lines in versions:
            if all(self.find(wanted) for line in lines for wanted in NUMBER.findall(line)):
                return [self.equation(line) for line in lines]
        numbers = [step for step in self.steps if step.value.dim() == 0]
        return [[f"{typeset(step.formula)} =", self.step(step)] for step in numbers]

    def equation(self, line: str) -> list[str | Term]:
        """One line: the braces contain numbers; everything else is text."""
        parts: list[str | Term] = []
        for i, piece in enumerate(NUMBER.split(line)):
            if i % 2:
                parts += self.find(piece)
            elif piece.strip():
                parts.append(piece.strip())
        return parts

    def find(self, wanted: str) -> list[str | Term]:
        """The terms for a pair of braces (see `typeset`), empty if there is no such number."""
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
        """An operand that is a number, or the element of its vector that belongs to the entry."""
        member = self.member or 0
        value = operand.values if operand.values.dim() == 0 else operand.values[member]
        return Term(short_name(operand.name), operand.name, value, place(operand, member))

    def step(self, step: Step) -> Term:
        """A step; the last one has the name of the derived activation."""
        last = step is self.steps[-1]
        label = short_name(self.name) if last else step.name
        return Term(label, step.formula, step.value, result=last)


def place(operand: Operand, member: int) -> list[int]:
    """The index of one element of an operand in its tensor."""
    return [
        member if i is None else i[0] + member if isinstance(i, list) else i for i in operand.index
    ]


def short_name(name: str) -> str:
    """The name of a tensor in formulas: W_Q, b_2, mask, or the last two parts of its name."""
    if found := WEIGHT.search(name):
        part, kind = found.groups()
        second = part == "output" and "feed_forward" in name
        return f"{'W' if kind == 'weight' else 'b'}_{'2' if second else SUBSCRIPTS[part]}"
    if name.endswith(".mask"):
        return "mask"
    short = ".".join(name.split(".")[-2:])
    return re.sub(r"^(cross_)?attention\.(?!out$)", "", short)


def typeset(formula: str) -> str:
    """k^T and sqrt(d_head) in mathematical notation: kᵀ and √d_head."""
    roots = re.sub(r"sqrt\((\w+)\)", r"√\1", formula.replace("^T", "ᵀ"))
    return roots.replace("sqrt(", "√(")
