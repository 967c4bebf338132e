"""`run_together` and `edit_together`: the runs of several inputs of one model, with and without
edits, in fewer passes and with the same results.

Missing targets are generated in one batch, whatever their lengths. Recorded passes are batched if
all network inputs have the same shapes and masks. Matrix products are computed separately for each
(side_by_side.py), so the numbers equal those of `run_model` to the last bit. Each row of a batch
goes through the trace of its own run, which records it and applies the changes of an edited one.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from functools import cache
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor

from model.activations.activation import Activation
from model.activations.catalogue import activations
from model.arrangement.arrangement import Arrangement
from model.calibration.confidence import with_confidence
from model.edits.edit import Edits
from model.errors import InvalidInput, UnknownName
from model.inputs.input import Input
from model.layers.embedding import ModelInput
from model.runs.run import Masks, Prepared, Run, through_stacks
from model.runs.run_model import Runs, TextReading, check_fields, prepare_edited, reading
from model.runs.side_by_side import plain, side_by_side
from model.trace import Record, Trace
from model.transformer import Target, Transformer
from model.zoo.models import Model

AT_ONCE = 32
"""The maximum number of runs in a pass: more take more memory without being faster."""


Key = TypeVar("Key")


class Edited(NamedTuple):
    """Identifies the edited runs of one model."""

    input: Input
    edits: Edits
    arranged: Arrangement


@torch.inference_mode()
def run_together(model: Model, inputs: Sequence[Input]) -> dict[Input, Run]:
    """The runs of `inputs`, each with the numbers of `run_model`. An input that the model cannot
    read is skipped: asked for on its own, it raises its own error.
    """
    found = passed(passes_of(model, list(dict.fromkeys(inputs))))
    return {input: with_confidence(run, input) for input, run in found.items()}


@torch.inference_mode()
def edit_together(model: Model, wanted: Sequence[Edited], runs: Runs) -> dict[Edited, Run]:
    """The edited runs of `wanted`, each with the numbers of `run_model`; `runs` makes those without
    edits. One that raises an error is skipped, without affecting the others.
    """

    def prepare(edited: Edited) -> Prepared:
        check_fields(model, edited.input)
        return prepare_edited(model, *edited, runs)

    passes = {edited: unless_refused(prepare, edited) for edited in dict.fromkeys(wanted)}
    found = passed({edited: ready for edited, ready in passes.items() if ready is not None})
    return {edited: with_confidence(run, edited.input) for edited, run in found.items()}


def passes_of(model: Model, inputs: Sequence[Input]) -> dict[Input, Prepared]:
    """The passes of the inputs that the model can read."""
    how = reading(model)

    def read(input: Input) -> Any:
        check_fields(model, input)
        return how.read(model, input) if isinstance(how, TextReading) else how.prepare(model, input)

    ready = {input: p for input in inputs if (p := unless_refused(read, input)) is not None}
    if not isinstance(how, TextReading):
        return ready
    return dict(zip(ready, how.prepare_all(model, list(ready.values())), strict=True))


def unless_refused(make: Callable[..., Any], *args: Any) -> Any:
    """The result of `make` for each argument; None if it raises an error."""
    try:
        return make(*args)
    except (InvalidInput, UnknownName):
        return None


def passed(passes: Mapping[Key, Prepared]) -> dict[Key, Run]:
    """The runs of the passes that raise no error. An encoder and a decoder are two passes, so that
    sources of equal length are encoded together, whatever the lengths of their targets.
    """
    parts = {key: Part(p, p.source, p.target) for key, p in passes.items() if not p.separate}
    in_two = [part for part in parts.values() if part.reads_memory]
    for alike in groups(in_two, ("source",), "encoder.attention"):
        for part, memory in zip(alike, encoded(alike), strict=True):
            part.memory = memory
    for alike in groups(in_two, ("target", "memory"), "decoder."):
        decode(alike)
    in_one = [part for part in parts.values() if not part.reads_memory]
    for alike in groups(in_one, ("source", "target")):
        pass_whole(alike)
    found = {
        key: unless_refused(parts[key].run if key in parts else p) for key, p in passes.items()
    }
    return {key: run for key, run in found.items() if run is not None}


@dataclass
class Part:
    """A pass in progress: the inputs of the network, the output of its encoder, and the `trace`
    that its values go through, into its `record`. A part that is `refused` on the way no longer
    changes its values.
    """

    prepared: Prepared
    source: ModelInput | None
    target: Target | None
    memory: Tensor | None = None
    record: Record = field(default_factory=Record)
    refused: bool = False

    def __post_init__(self) -> None:
        self.trace = self.prepared.through(self.record)

    def passes(self, name: str, value: Tensor) -> Tensor:
        """The activation `name` with which this run continues."""
        try:
            return value if self.refused else self.trace(name, value)
        except InvalidInput:
            self.refused = True
            return value

    def run(self) -> Run | None:
        """The run, after the whole pass; None if it was refused."""
        return None if self.refused else self.prepared.recorded(self.record)

    @property
    def reads_memory(self) -> bool:
        """Whether the pass consists of an encoder pass and a decoder pass."""
        return self.prepared.forward is through_stacks and self.prepared.run.config.cross

    def shapes(self, names: Sequence[str], masks: str) -> Any:
        """Equal for parts whose passes can be batched: the shapes of the network inputs, and the
        masks.
        """
        sizes = tuple(tensor.shape for name in names for tensor in tensors(getattr(self, name)))
        items = (item for item in self.prepared.masks.items() if item[0].startswith(masks))
        return (
            self.prepared.forward,
            sizes,
            tuple((name, mask.shape, mask.numpy().tobytes()) for name, mask in items),
        )


def groups(parts: Sequence[Part], names: Sequence[str], masks: str = "") -> Iterator[list[Part]]:
    """Parts whose passes can be batched, at most AT_ONCE."""
    found: dict[Any, list[Part]] = defaultdict(list)
    for part in parts:
        found[part.shapes(names, masks)].append(part)
    for alike in found.values():
        for start in range(0, len(alike), AT_ONCE):
            yield alike[start : start + AT_ONCE]


def tensors(inputs: Any) -> Iterator[Tensor]:
    """The tensors of an input of the network."""
    if isinstance(inputs, Tensor):
        yield inputs
    elif inputs is not None:
        yield from vars(inputs).values()


def encoded(alike: Sequence[Part]) -> Tensor:
    """The encoder output of each source."""
    transformer, masks, trace = network(alike)
    sources = stacked([part.source for part in alike])
    return plain(transformer.encode(sources, masks["encoder.attention"], trace))


def decode(alike: Sequence[Part]) -> None:
    """The decoder and the logits of each target."""
    transformer, masks, trace = network(alike)
    x = transformer.decode(
        stacked([part.target for part in alike]),
        masks["decoder.attention"],
        stacked([part.memory for part in alike]),
        masks["decoder.cross_attention"],
        trace,
    )
    transformer.answer(x, trace)


def pass_whole(alike: Sequence[Part]) -> None:
    """The whole pass of each."""
    source, target = (
        stacked([getattr(part, name) for part in alike]) for name in ("source", "target")
    )
    transformer, masks, trace = network(alike)
    alike[0].prepared.forward(transformer, source, target, masks, trace)


def network(alike: Sequence[Part]) -> tuple[Transformer, Masks, Trace]:
    """The parts' network, their masks, and the trace of each."""
    first = alike[0].prepared
    trace = Rows(alike, activations(first.run.config))
    return first.run.model.transformer, first.masks, trace


def stacked(inputs: Sequence[Any]) -> Any:
    """The inputs of several passes as one batch; table rows are batches already."""
    first, ones = inputs[0], [1] * len(inputs)
    if is_dataclass(first):
        columns = zip(*(vars(item).values() for item in inputs), strict=True)
        return type(first)(*(side_by_side(torch.cat(column), ones) for column in columns))
    return None if first is None else side_by_side(torch.stack(list(inputs)), ones)


class Rows(Trace):
    """The trace of a batch: each row goes through the trace of its own part, in separate memory.
    Values without an axis for the rows, such as positions, are shared.
    """

    def __init__(self, parts: Sequence[Part], catalogue: Mapping[str, Activation], scope: str = ""):
        super().__init__(scope=scope)
        self.parts, self.catalogue = parts, catalogue

    def __truediv__(self, scope: str | int) -> "Rows":
        return Rows(self.parts, self.catalogue, f"{self.scope}{scope}.")

    def __call__(self, name: str, value: Tensor) -> Tensor:
        name = self.scope + name
        arrived = self.rows(name, value)
        left = [part.passes(name, row) for part, row in zip(self.parts, arrived, strict=True)]
        if all(new is old for new, old in zip(left, arrived, strict=True)):
            return value
        # The memory layout is the same as in a single edited run.
        changed = torch.empty_like(plain(value).expand(len(left), *left[0].shape))
        for row, new in zip(changed, left, strict=True):
            row.copy_(new)
        return side_by_side(changed, [1] * len(left))

    def lazy(self, name: str, compute: Callable[[], Tensor]) -> None:
        name = self.scope + name
        rows = cache(lambda: self.rows(name, compute()))
        for number, part in enumerate(self.parts):
            if name in part.trace.include:
                part.passes(name, rows()[number])
            else:
                part.trace.lazy(name, lambda number=number: rows()[number])

    def rows(self, name: str, value: Tensor) -> list[Tensor]:
        """The activation `name` of each row."""
        if value.ndim == len(self.catalogue[name].axes):
            return [plain(value)] * len(self.parts)
        return [row.clone() for row in plain(value)]
