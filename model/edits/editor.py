"""The hooks of an edited pass: they change each value named by an edit, and the rest of the network
computes with the changed value.
"""

import math
from collections.abc import Container, Mapping
from functools import partial
from types import MappingProxyType

import torch
from torch import Tensor

from model import progress
from model.activations.catalogue import activations, matching
from model.activations.site import Site
from model.config import Config
from model.edits.cells import chosen_cells
from model.edits.changes import Change, Stage, change_of
from model.edits.edit import Edit, Edits
from model.edits.operations import OPERATIONS
from model.errors import InvalidInput
from model.inputs.input import Input
from model.trace import Hook, Record, Trace

MASKED = {"scores": "masked_scores", "masked_scores": "masked_scores", "kernel": "kernel"}
"""Where a mask applies: to the scores before the softmax, or to the kernel of a Performer."""

SUMMED = {"head_out": "out"}
"""Recorded activations that are not on the computational path, with the activation that sums them
over heads: an edit of a head's output changes the sum by the difference.
"""


class Editor:
    """The edits of one pass, and their effects. `others` has the activations of the edits' other
    inputs, and `grows` the maximum size of each axis that grows during generation. Raises
    UnknownName if an edit names no activation of the model.
    """

    def __init__(
        self,
        config: Config,
        edits: Edits,
        others: Mapping[Input, Mapping[str, Tensor]],
        grows: Mapping[str, int] = MappingProxyType({}),
    ):
        self.catalogue, self.others, self.grows = activations(config), others, grows
        self.edits = {edit: names_of(config, edit) for edit in edits}
        self.names = {name for names in self.edits.values() for name in names}
        self.arrived: dict[str, Tensor] = {}
        self.left: dict[str, Tensor] = {}
        self.stages: dict[str, list[Stage]] = {}
        self.changes: dict[Edit, list[Change]] = {edit: [] for edit in edits}

    def through(self, record: Record, *first: Hook) -> Trace:
        """The trace of a forward pass: the hooks `first`, then the edits. In a batch, they change
        only the part that is recorded, because they belong to one run.
        """
        edits = editing(partial(self.edited_part, record.select), self.names)
        return Trace(*first, edits, check_computed, record=record, include=self.names)

    def edited_part(self, select: Hook, name: str, value: Tensor) -> Tensor:
        """The whole activation `name`, with the part selected by `select` edited; the same tensor
        if nothing changes.
        """
        part = select(name, value)
        left = self.edited(name, part)
        if left is part:
            return value
        whole = value.clone()
        select(name, whole).copy_(left)
        return whole

    def edited(self, name: str, value: Tensor) -> Tensor:
        """The activation `name` after its edits, in order; the same tensor if nothing changes. The
        computation can be canceled before each.
        """
        now = value
        for edit in [edit for edit, names in self.edits.items() if name in names]:
            progress.checkpoint()
            cells = chosen_cells(edit, self.catalogue[name], now, self.grows)
            if cells.empty:
                continue
            others = [self.others[input][name] for input in edit.inputs]
            numbers = OPERATIONS[edit.op](cells, others)
            check_finite(edit, name, numbers)
            self.changes[edit].append(change_of(cells.now, numbers))
            before, now = now, cells.with_numbers(numbers)
            if not torch.equal(before, now):
                self.stages.setdefault(name, []).append(Stage(edit.number, edit.op, before, now))
        self.arrived[name], self.left[name] = value, now
        if torch.equal(now, value):
            self.stages.pop(name, None)
            return value
        return now


def editing(edited: Hook, names: Container[str]) -> Hook:
    """A hook that applies `edited` to the activations `names`. The change of a head's output is
    added to the sum over heads.
    """
    pending: dict[str, Tensor] = {}

    def change(name: str, value: Tensor) -> Tensor:
        if name in pending:
            value = value + pending.pop(name)
        if name not in names:
            return value
        changed = edited(name, value)
        scope, _, last = name.rpartition(".")
        if last in SUMMED and changed is not value:
            pending[f"{scope}.{SUMMED[last]}"] = (changed - value).sum(-3)
        return changed

    return change


def names_of(config: Config, edit: Edit) -> list[str]:
    """The activations that an edit changes. Raises UnknownName if there are none, and InvalidInput
    for a mask on an activation without scores.
    """
    names = list(matching(config, edit.at))
    if edit.op != "mask":
        return names
    sites = [Site.parse(name) for name in names]
    masked = [f"{site.scope}.{MASKED[site.value]}" for site in sites if site.value in MASKED]
    if len(masked) < len(sites):
        other = next(str(site) for site in sites if site.value not in MASKED)
        raise edit.refusal("no-score-to-mask", "at", activation=other)
    return list(dict.fromkeys(masked))


def named_elsewhere(config: Config, edits: Edits) -> dict[Input, set[str]]:
    """The activations that the edits need from each other input's run."""
    needed: dict[Input, set[str]] = {}
    for edit in edits:
        for other in edit.inputs:
            needed.setdefault(other, set()).update(names_of(config, edit))
    return needed


def check_finite(edit: Edit, name: str, numbers: Tensor) -> None:
    """Raises InvalidInput if the edit produced a number that is not finite and not a masked
    score.
    """
    if not is_sound(name, numbers):
        raise edit.refusal("would-be-infinite", "value", name=name)


def check_computed(name: str, value: Tensor) -> Tensor:
    """A hook that changes nothing. Raises InvalidInput if a value computed from edited numbers is
    not finite.
    """
    if not is_sound(name, value):
        raise InvalidInput("not-finite-with-edits", field="edits", name=name)
    return value


def is_sound(name: str, value: Tensor) -> bool:
    """Whether every number is finite; a masked score may be -inf."""
    if not value.numel():
        return True
    low, high = (end.item() for end in value.aminmax())  # both are NaN if any number is
    return high < math.inf and (low > -math.inf or name.endswith("masked_scores"))
