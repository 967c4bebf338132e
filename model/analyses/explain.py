"""Explain one number: recompute it from the numbers it depends on. Each of these has a name and an
index, so that it can be explained in turn. Forward: the later numbers computed from it.
"""

import math
from dataclasses import replace
from itertools import groupby
from typing import Literal

import torch
from torch import Tensor

from model.activations.activation import Activation
from model.activations.blackboard import Blackboard, Term, short_name, typeset
from model.activations.operands import Operand, cell_at
from model.answers.answer import Answer
from model.edits.changes import Stage
from model.interpretability.stream.derivation import derivation_at, numbers_of
from model.interpretability.stream.readers import Reader, readers
from model.runs.run import Run

LARGEST = 6  # readers of one activation listed individually
OF_ANSWERS = ("logits", "probabilities")
"""The activations whose largest entry is the model's first prediction."""


def explain(
    run: Run, *, name: str, at: str, direction: Literal["backward", "forward"] = "backward"
) -> Answer:
    """The number at the index `at` of the activation `name`, recomputed from its operands in
    float64. `at` has one index per axis, separated by commas.

    `value` is the recorded number, `recomputed` the result of the rule, and `difference` their
    absolute difference; all three are null for a masked score. With the direction "forward",
    `readers` lists the later numbers that have this one as an operand, by activation, with those
    with the largest weights listed individually.

    In an edited run, the operands are the edited values. If edits have set the number, `set_by` has
    an entry for each, with the number before and after it. The rule gives the number before the
    first edit, and `recomputed` and `difference` refer to that. Raises UnknownName for an
    activation that the model does not have, and InvalidInput for an index that does not exist.
    """
    row = run.activation(name)
    where = cell_at(row, run.trace[name].shape, at)
    derivation = derivation_at(run, numbers_of(run), row, where)
    rule, operands, steps = derivation.rule, derivation.operands, derivation.steps()
    set_by = settings(run, name, where)
    recorded = set_by[0].before if set_by else run.trace[name][tuple(where.values())]
    named = labels(run, row, where)
    member = list(where.values())[-1] if any(step.name == "own" for step in steps) else None
    board = Blackboard(name, operands, [*steps[:-1], replace(steps[-1], value=recorded)], member)
    fields = {
        "name": name,
        "at": list(where.values()),
        "roles": where,
        "labels": named,
        "value": finite(run.trace[name][tuple(where.values())].item()),
        **compared(recorded.item(), steps[-1].value.item()),
        "formula": row.formula,
        "written": typeset(row.formula),
        "short": short_name(name),
        "own": member,
        "sentence": row.sentence,
        "rule": rule.name,
        "operands": [operand_fields(run, operand, named) for operand in operands],
        "intermediates": [
            {"name": step.name, "formula": step.formula, "values": plain(step.value)}
            for step in steps
        ],
        "equations": [
            [term(part) for part in equation]
            for equation in with_edits(set_by, board.equations(rule.blackboard), short_name(name))
        ],
    }
    if set_by:
        fields["set_by"] = [change_fields(stage) for stage in set_by]
    if direction == "forward":
        found = readers(run, name, list(where.values()))
        fields |= {"readers": by_activation(run, found), "readers_count": len(found)}
    return run.answer({}, fields)


def compared(recorded: float, recomputed: float) -> dict[str, float | None]:
    """The result of the rule compared with the recorded number; both null for a masked score."""
    masked = recorded == -torch.inf
    return {
        "recomputed": None if masked else recomputed,
        "difference": None if masked else abs(recorded - recomputed),
    }


def operand_fields(run: Run, operand: Operand, named: dict[str, str]) -> dict[str, object]:
    """One operand as JSON; `named` has the labels of the tokens at the indices of the number."""
    return {
        "name": operand.name,
        "kind": operand.kind,
        "index": operand.index,
        "shape": list(operand.values.shape),
        "values": plain(operand.values),
        "short": short_name(operand.name),
        "axis": input_along(run, operand),
        "token": token_of(operand, named),
    }


def change_fields(stage: Stage) -> dict[str, object]:
    """The effect of one edit on the number, as JSON."""
    return {
        "edit": stage.edit,
        "op": stage.op,
        "was": finite(stage.before.item()),
        "value": finite(stage.after.item()),
    }


def settings(run: Run, name: str, where: dict[str, int]) -> list[Stage]:
    """The effect of each edit on the number at `where` in the activation `name`, in order, for the
    edits that changed it.
    """
    at = tuple(where.values())
    here = [
        replace(stage, before=stage.before[at], after=stage.after[at])
        for stage in run.stages.get(name, ())
    ]
    return [stage for stage in here if stage.before != stage.after]


def with_edits(
    set_by: list[Stage], equations: list[list[str | Term]], label: str
) -> list[list[str | Term]]:
    """The equations of a derivation, followed by one for each edit of its result."""
    if not set_by:
        return equations
    computed = [
        [part if isinstance(part, str) else replace(part, result=False) for part in equation]
        for equation in equations
    ]
    last = set_by[-1]
    edits: list[list[str | Term]] = [
        [
            f"{number_of(stage)} ({stage.op}):",
            Term(label, f"before {number_of(stage)}", stage.before),
            "→",
            Term(label, f"after {number_of(stage)}", stage.after, result=stage is last),
        ]
        for stage in set_by
    ]
    return [*computed, *edits]


def number_of(stage: Stage) -> str:
    """The name for a change of a number; edits are counted from 1."""
    return "the change of the whole run" if stage.edit is None else f"edit {stage.edit + 1}"


def finite(value: float) -> float | None:
    """The number as JSON; null for a masked score."""
    return None if value == -torch.inf else value


def by_activation(run: Run, found: list[Reader]) -> list[dict[str, object]]:
    """The readers of one number, grouped by activation, as JSON: their count, the LARGEST of them
    by absolute weight, and the first prediction if it is among words.
    """
    groups = groupby(found, lambda reader: reader.activation.name)
    return [reader_group(run, run.vocabulary[name], list(members)) for name, members in groups]


def reader_group(run: Run, row: Activation, members: list[Reader]) -> dict[str, object]:
    """The readers in the activation `row`, as JSON."""
    ordered = sorted(members, key=lambda reader: -abs(reader.weight))
    guess = max(members, key=lambda reader: reader.value) if row.name in OF_ANSWERS else None
    return {
        "name": row.name,
        "short": short_name(row.name),
        "formula": row.formula,
        "sentence": row.sentence,
        "count": len(members),
        "largest": [reading(run, row, reader) for reader in ordered[:LARGEST]],
        "first_guess": guess and reading(run, row, guess),
    }


def reading(run: Run, row: Activation, reader: Reader) -> dict[str, object]:
    """One reader as JSON."""
    return {
        "at": list(reader.at.values()),
        "roles": reader.at,
        "labels": labels(run, row, reader.at),
        "value": finite(reader.value),
        "weight": reader.weight,
        **({"edited": True} if settings(run, row.name, reader.at) else {}),
    }


def labels(run: Run, row: Activation, where: dict[str, int]) -> dict[str, str]:
    """The labels of the tokens at the indices `where`, by axis role."""
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
        named["vocabulary"] = run.model.answer_label(where["vocabulary"])
    return named


def input_along(run: Run, operand: Operand) -> str | None:
    """The input whose tokens index an operand; None for channels or a single number."""
    if operand.kind != "activation" or None not in operand.index:
        return None
    axis = run.activation(operand.name).axes[operand.index.index(None)]
    return axis if axis in run.inputs else None


def token_of(operand: Operand, labels: dict[str, str]) -> str | None:
    """The token that an operand's vector belongs to; for keys and values, the token of the key."""
    if operand.kind != "activation":
        return None
    if operand.name.endswith((".k", ".v")):
        return labels.get("key")
    return labels.get("query", labels.get("position"))


def term(part: str | Term) -> dict[str, object]:
    """Text or a number of an equation, as JSON."""
    if isinstance(part, str):
        return {"sign": part}
    return {
        "label": part.label,
        "name": part.name,
        "value": plain(part.value),
        "at": part.at,
        "result": part.result,
    }


def plain(values: Tensor) -> float | list | None:
    """`values` as nested lists of numbers for JSON; the -inf of a mask becomes null."""
    return without_infinite(values.tolist())


def without_infinite(numbers: float | list) -> float | list | None:
    if isinstance(numbers, list):
        return [without_infinite(number) for number in numbers]
    return None if math.isinf(numbers) else numbers
