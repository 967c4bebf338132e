"""A sweep: many edited runs of one input in a few passes. Each row of a batch has its own edits.

    zero one head:    row 0 without head 0, row 1 without head 1, …

The trace adds a leading axis for the rows to the embedding, and every part of the network processes
a batch like a single run. Up to its first edit, a row equals the run without edits, which comes
first: a row joins the batch as a copy of it at the layer of its first edit. Turning off a head in
layer l takes a pass through only the layers from l on.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from model import progress
from model.activations.activation import stack_output
from model.activations.catalogue import activations
from model.activations.site import Site
from model.config import Config
from model.edits.cells import chosen_cells
from model.edits.edit import Edit, Edits
from model.edits.editor import check_computed, check_finite, editing, names_of
from model.edits.operations import OPERATIONS
from model.inputs.input import Input
from model.runs.editing import Editing
from model.runs.run import Prepared
from model.runs.run_model import check_fields, other_runs, reading, with_own_inputs
from model.trace import Record, Trace
from model.zoo.models import SINGLE, Model

AT_ONCE = 48
"""The maximum number of rows in a pass: more take more memory without being faster."""
LOGITS_AT_ONCE = 100_000_000
"""The maximum bytes of the logits of one pass."""
NUMBERS_AT_ONCE = 400_000_000
"""The maximum bytes of the largest activation of one layer: the patterns of a long text."""


@torch.inference_mode()
def sweep(
    model: Model,
    input: Input,
    rows: Sequence[Edits],
    names: Sequence[str] = ("logits",),
    at: Sequence[int] | None = None,
) -> dict[str, Tensor]:
    """The activations `names` of the runs of `input` with each of `rows`, [row, *activation]. They
    equal those of `run_model(model, input, edits=row)`. With `at`, the logits are computed only at
    these positions, [row, at, vocabulary]: with a large vocabulary, they cost more than everything
    else. Raises the same errors as `run_model`.
    """
    parts = list(sweep_steps(model, input, rows, names, at))
    return {name: torch.cat([part[name] for part in parts]) for name in names}


@torch.inference_mode()
def sweep_steps(
    model: Model,
    input: Input,
    rows: Sequence[Edits],
    names: Sequence[str] = ("logits",),
    at: Sequence[int] | None = None,
) -> Iterator[dict[str, Tensor]]:
    """Yields `sweep` in pieces of at most AT_ONCE rows, fewer if a large vocabulary or a long text
    would take too much memory; each is a progress step.
    """
    check_fields(model, input)
    resolved = [with_own_inputs(edits, input) for edits in rows]
    others = other_runs(model, [edit for edits in resolved for edit in edits])
    separate = model.config.between_rows or model.config.segments
    prepared = None if separate else reading(model).prepare(model, input)
    most = AT_ONCE if prepared is None else rows_at_once(prepared, at)
    for start in progress.steps(range(0, len(resolved), most)):
        some = resolved[start : start + most]
        if prepared is None:
            # The batch of the first are table rows; the memory of the second has no batch.
            edited = [Editing(model, edits, others).edited_pass for edits in some]
            runs = [change(reading(model).prepare(model, input))().trace for change in edited]
            found = {name: torch.stack([trace[name] for trace in runs]) for name in names}
            whole = True
        else:
            capture = BatchCapture(model, some, others, names, at)
            replace(prepared, through=capture.through)()
            found, whole = capture.found, capture.at is None
        if at is not None and whole:
            found["logits"] = found["logits"][:, list(at)]
        yield found


def rows_at_once(prepared: Prepared, at: Sequence[int] | None) -> int:
    """How many rows of this input fit in a pass, with logits at the positions `at` or at every
    one.
    """
    config = prepared.run.config
    positions = max(axis.size for axis in prepared.run.inputs.values())
    read = positions if at is None else len(at)
    widest = positions * max(config.n_heads * positions, config.d_ff, config.d_model)
    fit = (
        LOGITS_AT_ONCE // (SINGLE * read * config.n_logits),
        NUMBERS_AT_ONCE // (SINGLE * widest),
    )
    return max(1, min(AT_ONCE, *fit))


class BatchCapture:
    """The edits of a batch's rows by the activation that they change, and the resulting activations
    `names` in `found` [row, *activation]. `joins` has the rows by the activation at which they join
    the batch, and `places` the index of each: 0, that of the run without edits, until it has
    joined. If `at` is given, only these positions of the stack `read_out` are unembedded.
    """

    def __init__(
        self,
        model: Model,
        rows: Sequence[Edits],
        others: Mapping[Input, Mapping[str, Tensor]],
        names: Sequence[str],
        at: Sequence[int] | None,
    ):
        self.catalogue, self.others = activations(model.config), others
        self.edits: dict[str, list[tuple[int, Edit]]] = {}
        for row, edits in enumerate(rows):
            for edit in edits:
                for name in names_of(model.config, edit):
                    self.edits.setdefault(name, []).append((row, edit))
        self.places, self.joined = [0] * len(rows), 1
        self.joins = joins(model.config, self.edits)
        self.names, self.found = frozenset(names), dict[str, Tensor]()
        # A TabTransformer predicts from all tokens at once, and edits of logits name positions.
        self.bypass = model.config.bypass
        whole = at is None or self.bypass or "logits" in self.edits
        self.at = None if whole else list(at or ())
        self.read_out = stack_output(model.config, model.config.stacks[-1])

    def through(self, record: Record) -> Trace:
        """The trace of a forward pass. Nothing is recorded besides the requested activations."""
        edits = editing(self.edited, self.edits)
        include = self.edits.keys() | self.names
        return Trace(self.batch, edits, self.keep, self.read, include=include)

    def batch(self, name: str, value: Tensor) -> Tensor:
        """A hook that adds a leading axis for the rows, and appends the rows that join here, as
        copies of the run without edits.
        """
        new = self.joins.get(name, ())
        whole = self.in_rows(name, value) if new or name.endswith(".token") else value
        if not new:
            return whole
        for row in new:
            self.places[row], self.joined = self.joined, self.joined + 1
        return torch.cat([whole, whole[:1].expand(len(new), *whole.shape[1:])])

    def in_rows(self, name: str, value: Tensor) -> Tensor:
        """The activation `name` with a leading axis for the rows that have joined."""
        whole = value if value.ndim > len(self.catalogue[name].axes) else value[None]
        return whole.expand(self.joined, *whole.shape[1:])

    def edited(self, name: str, value: Tensor) -> Tensor:
        """The activation `name` of every row, each after its own edits, in order."""
        row, whole = self.catalogue[name], self.in_rows(name, value).clone()
        for number, edit in self.edits[name]:
            at = self.places[number]
            cells = chosen_cells(edit, row, whole[at])
            numbers = OPERATIONS[edit.op](cells, [self.others[key][name] for key in edit.inputs])
            check_finite(edit, name, numbers)
            whole[at] = cells.with_numbers(numbers)
        return whole

    def keep(self, name: str, value: Tensor) -> Tensor:
        """A hook that stores the activation `name` of every row, if requested."""
        if name in self.names:
            self.found[name] = check_computed(name, self.of_rows(name, value))
        return value

    def of_rows(self, name: str, value: Tensor) -> Tensor:
        """The activation `name` of every row, in order."""
        whole = self.in_rows(name, value)
        in_order = self.places == list(range(self.joined))
        return whole if in_order else whole[self.places]

    def read(self, name: str, value: Tensor) -> Tensor:
        """A hook that reduces the last stream to the rows, in order, and to the positions `at`, if
        given.
        """
        if name != self.read_out or self.bypass:
            return value
        value = self.of_rows(name, value)
        self.places, self.joined = list(range(len(self.places))), len(self.places)
        return value if self.at is None else value[..., self.at, :]


def joins(config: Config, edits: Mapping[str, Iterable[tuple[int, Edit]]]) -> dict[str, list[int]]:
    """The rows of `edits`, which are given by the activation that they change, keyed by the
    activation at which they join the batch: the input of the layer of a row's first edit. If a row
    changes an encoder, all rows join before the decoder reads it.
    """
    points, first = joining_points(config), dict[int, int]()
    for name, some in edits.items():
        point = points.index(joining_point(config, Site.parse(name)))
        for row, _ in some:
            first[row] = min(point, first.get(row, point))
    memory = points.index(stack_output(config, config.stacks[0]))
    last = memory if any(point < memory for point in first.values()) else len(points)
    found: dict[str, list[int]] = {}
    for row, point in first.items():
        found.setdefault(points[min(point, last)], []).append(row)
    return found


def joining_points(config: Config) -> list[str]:
    """The activations at which a row can join a batch, in the order of computation."""
    return [
        name
        for stack in config.stacks
        for name in (
            f"{stack}.embedding.token",
            *(f"{stack}.{layer}.residual.in" for layer in range(config.layers(stack))),
            stack_output(config, stack),
        )
    ]


def joining_point(config: Config, site: Site) -> str:
    """Where a row joins that changes an activation at `site`: anything outside the layers and
    embeddings is changed in a row that is there from the beginning.
    """
    if site.layer is not None and not config.bypass:
        return f"{site.stack}.{site.layer}.residual.in"
    stack = site.stack if site.part.startswith("embedding") else config.stacks[0]
    return f"{stack}.embedding.token"
