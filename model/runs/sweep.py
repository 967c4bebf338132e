"""A sweep: many edited runs of one input in a few passes. Each row of a batch has edits of its own.

    zero one head:    row 0 without head 0, row 1 without head 1, …

The trace gives the embedding an axis for the rows in front, and every part of the network reads a
batch as it reads one run.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from model import progress
from model.activations.activation import stack_output
from model.activations.catalogue import activations
from model.edits.cells import chosen_cells
from model.edits.edit import Edit, Edits
from model.edits.editor import check_computed, check_finite, editing, names_of
from model.edits.operations import OPERATIONS
from model.inputs.input import Input
from model.runs.editing import Editing
from model.runs.prepared import Prepared
from model.runs.readings import check_fields, reading
from model.runs.run_model import other_runs, with_own_inputs
from model.trace import Record, Trace
from model.zoo.models import SINGLE, Model

AT_ONCE = 48
"""How many rows a pass has at most: more take more memory and are not faster."""
LOGITS_AT_ONCE = 100_000_000
"""How many bytes the logits of one pass may take, where they are computed at every position."""


@torch.inference_mode()
def sweep(
    model: Model,
    input: Input,
    rows: Sequence[Edits],
    names: Sequence[str] = ("logits",),
    at: int | None = None,
) -> dict[str, Tensor]:
    """The activations `names` of the runs of `input` with each of `rows`, [row, *activation]. They
    are those of `run_model(model, input, edits=row)`. With `at` the logits are computed at this
    position alone, [row, 1, vocabulary]: over a large vocabulary they cost more than all else.
    Raises as `run_model` does.
    """
    parts = list(sweep_steps(model, input, rows, names, at))
    return {name: torch.cat([part[name] for part in parts]) for name in names}


@torch.inference_mode()
def sweep_steps(
    model: Model,
    input: Input,
    rows: Sequence[Edits],
    names: Sequence[str] = ("logits",),
    at: int | None = None,
) -> Iterator[dict[str, Tensor]]:
    """Yields `sweep` in pieces of at most AT_ONCE rows, and fewer where a large vocabulary would
    take too much memory; each is a step of the progress.
    """
    check_fields(model, input)
    own = [with_own_inputs(edits, input) for edits in rows]
    others = other_runs(model, [edit for edits in own for edit in edits])
    alone = model.config.between_rows or model.config.segments
    prepared = None if alone else reading(model).prepare(model, input)
    most = AT_ONCE if prepared is None or at is not None else rows_at_once(prepared)
    for start in progress.steps(range(0, len(own), most)):
        some = own[start : start + most]
        if prepared is None:
            # The batch of the first are rows of a table; the memory of the second has no batch.
            edited = [Editing(model, edits, others).edited_pass for edits in some]
            runs = [change(reading(model).prepare(model, input))().trace for change in edited]
            found = {name: torch.stack([trace[name] for trace in runs]) for name in names}
        else:
            capture = BatchCapture(model, some, others, names, at)
            replace(prepared, through=capture.through)()
            found = capture.found
        if at is not None and found["logits"].shape[1] > 1:
            found["logits"] = found["logits"][:, at : at + 1]
        yield found


def rows_at_once(prepared: Prepared) -> int:
    """How many rows of this input a pass has, with logits at every position."""
    run = prepared.run
    positions = max(axis.size for axis in run.inputs.values())
    return max(1, min(AT_ONCE, LOGITS_AT_ONCE // (SINGLE * positions * run.config.n_logits)))


class BatchCapture:
    """The edits of the rows of one batch by the activation that they change, and of the
    activations `names` what they have become, `found` [row, *activation]. Of the stack that is
    read out, `read_out`, only the position `at` is, if it is given.
    """

    def __init__(
        self,
        model: Model,
        rows: Sequence[Edits],
        others: Mapping[Input, Mapping[str, Tensor]],
        names: Sequence[str],
        at: int | None,
    ):
        self.catalogue, self.others, self.n_rows = activations(model.config), others, len(rows)
        self.edits: dict[str, list[tuple[int, Edit]]] = {}
        for row, edits in enumerate(rows):
            for edit in edits:
                for name in names_of(model.config, edit):
                    self.edits.setdefault(name, []).append((row, edit))
        self.names, self.found = frozenset(names), dict[str, Tensor]()
        # A TabTransformer reads all tokens out at once, and edits of logits name their positions.
        whole = at is None or model.config.bypass or "logits" in self.edits
        self.at = None if whole else at
        self.read_out = stack_output(model.config, model.config.stacks[-1])

    def through(self, record: Record) -> Trace:
        """The trace that a forward pass is given. Nothing is recorded besides what is kept."""
        edits = editing(self.edited, self.edits)
        asked = self.edits.keys() | self.names
        return Trace(self.batch, edits, self.keep, self.cut, asked=asked)

    def batch(self, name: str, value: Tensor) -> Tensor:
        """A hook that gives the tokens an axis for the rows in front."""
        return self.in_rows(name, value) if name.endswith(".token") else value

    def in_rows(self, name: str, value: Tensor) -> Tensor:
        """The activation `name` with an axis for the rows of the batch in front."""
        whole = value if value.ndim > len(self.catalogue[name].axes) else value[None]
        return whole.expand(self.n_rows, *whole.shape[1:])

    def edited(self, name: str, value: Tensor) -> Tensor:
        """The activation `name` of every row, each after its own edits, in their order."""
        row, whole = self.catalogue[name], self.in_rows(name, value).clone()
        for at, edit in self.edits[name]:
            cells = chosen_cells(edit, row, whole[at])
            numbers = OPERATIONS[edit.op](cells, [self.others[one][name] for one in edit.inputs])
            check_finite(edit, name, numbers)
            whole[at] = cells.with_numbers(numbers)
        return whole

    def keep(self, name: str, value: Tensor) -> Tensor:
        """A hook that keeps the activation `name` of every row, if it is one of those asked for."""
        if name in self.names:
            self.found[name] = check_computed(name, self.in_rows(name, value))
        return value

    def cut(self, name: str, value: Tensor) -> Tensor:
        """A hook that leaves of what is read out only the position `at`, if it is given."""
        alone = name == self.read_out and self.at is not None
        return value[..., [self.at], :] if alone else value
