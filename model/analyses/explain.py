"""Explain: one number, and the numbers it was computed from, each with its own name and place, so
that one can ask on.
"""

import re
from dataclasses import dataclass

import torch
from torch import Tensor

from model.activations.catalogue import Activation
from model.activations.derivations import RULES, Cell
from model.answers.answer import Answer
from model.errors import InvalidInput
from model.layers import masks
from model.runs.run import Run

OPERAND = re.compile(r"(?P<name>[\w.]+)\[(?P<index>.*)\]")
PART = re.compile(r"\(\s*(\S+) (\S+)\s*\)|(\S+)")


@dataclass(frozen=True)
class Operand:
    """`index` counts along each axis of the tensor `name`; None stands for the whole axis, a pair
    for a range of it.
    """

    name: str
    kind: str  # activation, weight, mask or input
    index: list
    values: Tensor


def explain(run: Run, *, name: str, at: str) -> Answer:
    """The number `name`[`at`], `at` being indices with commas between, recomputed from its operands
    in float64.

    `value` is what the run recorded, `recomputed` what the rule gives, `difference` between the
    two; both null for a masked score.
    """
    row = run.activation(name)
    where = place(run, row, at)
    inside = where | parts_at(run, row, where)
    rule, patterns = row.made(inside)
    operands = [resolve(run, row, inside, pattern) for pattern in patterns]
    steps = RULES[rule](
        Cell(run.config, where, length_of(run, row), run.remembered(row)),
        *(operand.values.double() for operand in operands),
    )
    value, recomputed = run.trace[name][tuple(where.values())].item(), steps[-1].value.item()
    masked = value == -torch.inf
    fields = {
        "name": name,
        "at": list(where.values()),
        "roles": where,
        "labels": labels(run, row, where),
        "value": None if masked else value,
        "recomputed": None if masked else recomputed,
        "difference": None if masked else abs(value - recomputed),
        "formula": row.formula,
        "sentence": row.sentence,
        "rule": rule,
        "operands": [
            {
                "name": o.name,
                "kind": o.kind,
                "index": o.index,
                "shape": list(o.values.shape),
                "values": plain(o.values),
            }
            for o in operands
        ],
        "intermediates": [
            {"name": step.name, "formula": step.formula, "values": plain(step.value)}
            for step in steps
        ],
    }
    return run.answer({}, fields)


def place(run: Run, row: Activation, at: str) -> dict[str, int]:
    """The indices by the role of their axes."""
    shape = run.trace[row.name].shape
    try:
        index = [int(part) for part in at.split(",")]
    except ValueError:
        raise InvalidInput(
            "`at` is whole numbers with commas between.", field="at", given=at[:40]
        ) from None
    if len(index) != len(shape):
        asked = (
            f"{row.name} has {len(shape)} axes ({', '.join(row.index)}); `at` gives {len(index)}"
            " indices."
        )
        raise InvalidInput(asked, field="at", limit=len(shape), given=len(index))
    for role, size, i in zip(row.index, shape, index, strict=True):
        if not 0 <= i < size:
            raise InvalidInput(
                f"{row.name} has {size} along {role}, counted from 0; {i} does not exist.",
                field="at",
                limit=size - 1,
                given=i,
            )
    return dict(zip(row.index, index, strict=True))


def parts_at(run: Run, row: Activation, where: dict[str, int]) -> dict[str, int]:
    """Of every axis that is put together from parts, the part in which its index lies, and the
    index inside.
    """
    found = {}
    for role, axis in zip(row.index, row.axes, strict=True):
        inside = where[role]
        for part, size in (run.axes[axis].parts or {}).items():
            if 0 <= inside < size:
                found[part] = inside
            inside -= size
    return found


def labels(run: Run, row: Activation, where: dict[str, int]) -> dict[str, str]:
    """The tokens the indices stand for, by role."""
    of_text = {
        role: run.inputs[axis]
        for role, axis in zip(row.index, row.axes, strict=True)
        if axis in run.inputs
    }
    named = {}
    for role, axis in of_text.items():
        assert axis.labels is not None, "every position of an input has a label"
        named[role] = axis.labels[where[role]]
    if "vocabulary" in where:
        named["vocabulary"] = run.model.tokenizer.label(where["vocabulary"])
    return named


def resolve(run: Run, row: Activation, where: dict[str, int], pattern: str) -> Operand:
    """The values a pattern of the vocabulary stands for at this place."""
    found = OPERAND.fullmatch(pattern)
    assert found is not None, f"{pattern} is no operand"
    name, index = found.group("name", "index")
    kind, tensor = find(run, name)
    parts = [
        part_index(run, row, where, part, tensor.shape[axis])
        for axis, part in enumerate(PART.finditer(index))
    ]
    values = tensor[
        tuple(slice(None) if i is None else slice(*i) if isinstance(i, list) else i for i in parts)
    ]
    return Operand(name, kind, parts, values)


def find(run: Run, name: str) -> tuple[str, Tensor]:
    if name in run.trace:
        return "activation", run.trace[name]
    if name in run.constants:
        return "input", run.constants[name]
    if name.endswith(".mask"):
        return "mask", masks.additive(run.masks[name.removesuffix(".mask")])
    return "weight", run.model.transformer.get_parameter(name)


def part_index(
    run: Run, row: Activation, where: dict[str, int], part: re.Match, size: int
) -> int | list[int] | None:
    """One axis of an operand: a role, the whole axis `*`, the id or the patch at a role, or a head
    with a channel or `*` inside it.
    """
    head, inside, plain = part.groups()
    if head is not None:
        first = index_of_head(run, where, head) * (
            run.config.d_model if inside == "channel" else run.config.d_head
        )
        return [first, first + run.config.d_head] if inside == "*" else first + where[inside]
    if plain == "*":
        return None
    if ":" in plain:
        what, role = plain.split(":")
        return OF_TOKEN[what](run.tokens[row.axes[row.index.index(role)]][where[role]])
    return int(plain) if plain.isdigit() else where[plain]


OF_TOKEN = {
    "id": lambda token: token.id,
    "patch": lambda patch: patch.id - 1,
    "column": lambda column: column.place,
    "category": lambda column: column.category,
    "reference": lambda row: row.id - 1,
}
"""Where in a table a token's numbers stand; [CLS] is token 0 and no patch, the row asked about 0
and no reference.
"""


def index_of_head(run: Run, where: dict[str, int], role: str) -> int:
    """The heads of a group share keys and values."""
    return (
        where["head"] * run.config.kv_heads // run.config.n_heads
        if role == "kv_head"
        else where[role]
    )


def length_of(run: Run, row: Activation) -> int:
    """Of the text that the number belongs to."""
    return next((len(run.tokens[axis]) for axis in row.axes if axis in run.tokens), 1)


def plain(values: Tensor) -> float | list | None:
    """Numbers for JSON; -inf, what the mask adds, is null."""
    if values.dim() == 0:
        return None if values.isinf() else values.item()
    return [plain(value) for value in values]
