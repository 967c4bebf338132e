"""A sweep: many edited runs of one input in a few passes. Each row of a batch has edits of its own.

    zero one head:    row 0 without head 0, row 1 without head 1, …

The trace gives the embedding an axis for the rows in front, and every part of the network reads a
batch as it reads one run.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import torch
from torch import Tensor

from model import progress
from model.activations.activation import Activation, stack_output
from model.activations.catalogue import activations
from model.edits.cells import chosen_cells
from model.edits.edit import Edit, Edits
from model.edits.edit_trace import SUMMED, check_computed, check_finite, names_of
from model.edits.operations import OPERATIONS
from model.inputs.given import Input
from model.runs.readings import check_fields, reading
from model.runs.run_model import other_runs, run_model, with_own_inputs
from model.trace import Recorder, Trace
from model.zoo.models import Model

AT_ONCE = 48
"""How many rows a pass has at most: more take more memory and are not faster."""


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
    """Yields `sweep` in pieces of at most AT_ONCE rows; each is a step of the progress."""
    check_fields(model, input)
    own = [with_own_inputs(edits, input) for edits in rows]
    others = other_runs(model, [edit for edits in own for edit in edits])
    for start in progress.steps(range(0, len(own), AT_ONCE)):
        some = own[start : start + AT_ONCE]
        if model.config.between_rows or model.config.segments:
            # The batch of the first are rows of a table; the memory of the second has no batch.
            runs = [run_model(model, input, edits=edits).trace for edits in some]
            found = {name: torch.stack([trace[name] for trace in runs]) for name in names}
        else:
            kept = Kept(model, some, others, names, at)
            reading(model).run(model, input, kept.through)
            found = kept.found
        if at is not None and found["logits"].shape[1] > 1:
            found["logits"] = found["logits"][:, at : at + 1]
        yield found


class Kept:
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

    def through(self, recorder: Recorder) -> "SweepTrace":
        """The trace that a forward pass is given. Nothing else is recorded."""
        return SweepTrace(self, recorder.scope, {})

    def batch(self, row: Activation, value: Tensor) -> Tensor:
        """`value` with an axis for the rows of the batch in front."""
        whole = value if value.ndim > len(row.axes) else value[None]
        return whole.expand(self.n_rows, *whole.shape[1:])

    def edited(self, name: str, value: Tensor) -> Tensor:
        """The activation `name` of every row, each after its own edits, in their order."""
        row = self.catalogue[name]
        whole = self.batch(row, value).clone()
        for at, edit in self.edits[name]:
            cells = chosen_cells(edit, row, whole[at])
            numbers = OPERATIONS[edit.op](cells, [self.others[one][name] for one in edit.inputs])
            check_finite(edit, name, numbers)
            whole[at] = cells.written(numbers)
        return whole


class SweepTrace(Trace):
    """Changes every value that has edits in its rows and keeps those that are asked for. `pending`
    holds what an edited aside adds to its sum.
    """

    def __init__(self, kept: Kept, scope: str, pending: dict[str, Tensor]):
        self.kept, self.scope, self.pending = kept, scope, pending

    def __truediv__(self, scope: str | int) -> "SweepTrace":
        return SweepTrace(self.kept, f"{self.scope}{scope}.", self.pending)

    def __call__(self, name: str, value: Tensor) -> Tensor:
        full = self.scope + name
        if full in self.pending:
            value = value + self.pending.pop(full)
        if name == "token":
            value = self.kept.batch(self.kept.catalogue[full], value)
        if full in self.kept.edits:
            value = self.kept.edited(full, value)
        self.keep(full, lambda: value)
        alone = full == self.kept.read_out and self.kept.at is not None
        return value[..., [self.kept.at], :] if alone else value

    def lazy(self, name: str, compute: Callable[[], Tensor]) -> None:
        full = self.scope + name
        if full not in self.kept.edits:
            self.keep(full, compute)
            return
        value = compute()
        changed = self.kept.edited(full, value)
        if name in SUMMED:
            self.pending[self.scope + SUMMED[name]] = (changed - value).sum(-3)
        self.keep(full, lambda: changed)

    def keep(self, full: str, compute: Callable[[], Tensor]) -> None:
        """Keeps the activation `full`, if it is asked for, of every row."""
        if full in self.kept.names:
            value = self.kept.batch(self.kept.catalogue[full], compute())
            check_computed(full, value)
            self.kept.found[full] = value
