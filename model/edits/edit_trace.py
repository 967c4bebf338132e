"""The trace of an edited pass: it changes each value that an edit names, and hands it on to the
recorder. The rest of the network computes with the changed value.
"""

import math
from collections.abc import Callable, Mapping
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
from model.inputs.given import Input
from model.trace import Recorder, Trace

MASKED = {"scores": "masked_scores", "masked_scores": "masked_scores", "kernel": "kernel"}
"""Where a mask acts: on the scores before the softmax, or on the kernel of a Performer."""

SUMMED = {"head_out": "out"}
"""What is recorded beside the way of the values, and the activation that is its sum over heads: a
head that writes something else changes the sum by the difference.
"""


class Editor:
    """The edits of one pass, and what they have done. `others` has the activations of the edits'
    other inputs, and `grows` the largest size of each axis that becomes longer while a text is
    written. Raises UnknownName if an edit names no activation of the model.
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
        self.arrived: dict[str, Tensor] = {}
        self.left: dict[str, Tensor] = {}
        self.stages: dict[str, list[Stage]] = {}
        self.changes: dict[Edit, list[Change]] = {edit: [] for edit in edits}

    def through(self, recorder: Recorder) -> "EditTrace":
        """The trace that a forward pass is given, in front of `recorder`."""
        return EditTrace(self, recorder, {})

    def at(self, name: str) -> list[Edit]:
        return [edit for edit, names in self.edits.items() if name in names]

    def edited(self, name: str, value: Tensor) -> Tensor:
        """The activation `name` after its edits, in their order; the same tensor if they change
        nothing. Before each the computation may be cancelled.
        """
        now = value
        for edit in self.at(name):
            progress.checkpoint()
            cells = chosen_cells(edit, self.catalogue[name], now, self.grows)
            if cells.empty:
                continue
            others = [self.others[input][name] for input in edit.inputs]
            numbers = OPERATIONS[edit.op](cells, others)
            check_finite(edit, name, numbers)
            self.changes[edit].append(change_of(cells.now, numbers))
            before, now = now, cells.written(numbers)
            if not torch.equal(before, now):
                self.stages.setdefault(name, []).append(Stage(edit.number, edit.op, before, now))
        self.arrived[name], self.left[name] = value, now
        if torch.equal(now, value):
            self.stages.pop(name, None)
            return value
        return now


class EditTrace(Trace):
    """Changes every value that has edits and hands it on to `recorder`. Of a batch of rows only the
    part that is recorded is changed, because the edits are those of one run. `pending` holds what
    an edited aside adds to its sum.
    """

    def __init__(self, editor: Editor, recorder: Recorder, pending: dict[str, Tensor]):
        self.editor, self.recorder, self.pending = editor, recorder, pending

    def __truediv__(self, scope: str | int) -> "EditTrace":
        return EditTrace(self.editor, self.recorder / scope, self.pending)

    def __call__(self, name: str, value: Tensor) -> Tensor:
        full = self.recorder.scope + name
        if full in self.pending:
            value = value + self.pending.pop(full)
        value = self.changed(name, value)
        check_computed(full, value)
        return self.recorder(name, value)

    def lazy(self, name: str, compute: Callable[[], Tensor]) -> None:
        if not self.editor.at(self.recorder.scope + name):
            self.recorder.lazy(name, compute)
            return
        value = compute()
        changed = self.changed(name, value)
        if name in SUMMED and changed is not value:
            self.pending[self.recorder.scope + SUMMED[name]] = (changed - value).sum(-3)
        self.recorder.lazy(name, lambda: changed)

    def changed(self, name: str, value: Tensor) -> Tensor:
        """The whole value, with the part that is recorded as its edits leave it."""
        full = self.recorder.scope + name
        if not self.editor.at(full):
            return value
        part = self.recorder.select(full, value)
        left = self.editor.edited(full, part)
        if left is part:
            return value
        whole = value.clone()
        self.recorder.select(full, whole).copy_(left)
        return whole


def names_of(config: Config, edit: Edit) -> list[str]:
    """The activations that an edit changes. Raises UnknownName if there are none, and InvalidInput
    for a mask where there is no score.
    """
    names = list(matching(config, edit.at))
    if edit.op != "mask":
        return names
    sites = [Site.parse(name) for name in names]
    masked = [f"{site.scope}.{MASKED[site.value]}" for site in sites if site.value in MASKED]
    if len(masked) < len(sites):
        other = next(str(site) for site in sites if site.value not in MASKED)
        raise edit.refusal(
            "at", f"{other} is no score; mask an activation whose name ends in scores."
        )
    return list(dict.fromkeys(masked))


def named_elsewhere(config: Config, edits: Edits) -> dict[Input, set[str]]:
    """The activations that the edits take from each other input: of its run nothing else is
    needed.
    """
    needed: dict[Input, set[str]] = {}
    for edit in edits:
        for other in edit.inputs:
            needed.setdefault(other, set()).update(names_of(config, edit))
    return needed


def check_finite(edit: Edit, name: str, numbers: Tensor) -> None:
    """Raises InvalidInput if the edit made a number that is not finite and is no masked score."""
    if not is_sound(name, numbers):
        raise edit.refusal("value", f"{name} would be infinite; choose a smaller value.")


def check_computed(name: str, value: Tensor) -> None:
    """Raises InvalidInput if what is computed from edited numbers is not finite."""
    if not is_sound(name, value):
        raise InvalidInput(
            f"With these edits {name} is not finite, as after a division by 0: choose other"
            " values.",
            field="edits",
        )


def is_sound(name: str, value: Tensor) -> bool:
    """Whether every number is finite; a masked score may be -inf."""
    if not value.numel():
        return True
    low, high = (end.item() for end in value.aminmax())  # both are nan where any number is
    return high < math.inf and (low > -math.inf or name.endswith("masked_scores"))
