"""`run_together` and `edit_together`: the runs of several inputs of one model, without edits and
with them, as alone but in fewer passes.

Targets that the inputs leave out are written in one batch, whatever their lengths. The recorded
passes are made together where all that the network is given has the same shapes and masks. The
products of each are those that it makes alone (side_by_side.py), so the numbers are those of
`run_model` to the last bit. Each row of a batch goes through the trace of its own run, which
records it and makes the changes of an edited one.
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
from model.runs.prepared import Masks, Prepared, through_stacks
from model.runs.readings import TextReading, check_fields, reading
from model.runs.run import Run
from model.runs.run_model import Runs, prepare_edited
from model.runs.side_by_side import plain, side_by_side
from model.trace import Record, Trace
from model.transformer import Target, Transformer
from model.zoo.models import Model

AT_ONCE = 32
"""How many runs a pass has at most: more take more memory and are not faster."""


Key = TypeVar("Key")


class Edited(NamedTuple):
    """What tells the edited runs of one model apart."""

    input: Input
    edits: Edits
    arranged: Arrangement


@torch.inference_mode()
def run_together(model: Model, inputs: Sequence[Input]) -> dict[Input, Run]:
    """The runs of `inputs`, each with the numbers of `run_model`. An input that the model cannot
    read is left out: asked for alone, it is refused with its own reason.
    """
    found = passed(passes_of(model, list(dict.fromkeys(inputs))))
    return {input: with_confidence(run, input) for input, run in found.items()}


@torch.inference_mode()
def edit_together(model: Model, wanted: Sequence[Edited], runs: Runs) -> dict[Edited, Run]:
    """The edited runs of `wanted`, each with the numbers of `run_model`; `runs` makes those without
    edits. One that is refused is left out, and changes nothing of the others.
    """

    def prepare(edited: Edited) -> Prepared:
        check_fields(model, edited.input)
        return prepare_edited(model, *edited, runs)

    passes = {edited: unless_refused(prepare, edited) for edited in dict.fromkeys(wanted)}
    found = passed({edited: ready for edited, ready in passes.items() if ready is not None})
    return {edited: with_confidence(run, edited.input) for edited, run in found.items()}


def passes_of(model: Model, inputs: Sequence[Input]) -> dict[Input, Prepared]:
    """The passes of those inputs that the model can read."""
    how = reading(model)

    def read(input: Input) -> Any:
        check_fields(model, input)
        return how.read(model, input) if isinstance(how, TextReading) else how.prepare(model, input)

    ready = {input: p for input in inputs if (p := unless_refused(read, input)) is not None}
    if not isinstance(how, TextReading):
        return ready
    return dict(zip(ready, how.prepare_all(model, list(ready.values())), strict=True))


def unless_refused(make: Callable[..., Any], *args: Any) -> Any:
    """What is made of what is given; None of what is refused."""
    try:
        return make(*args)
    except (InvalidInput, UnknownName):
        return None


def passed(passes: Mapping[Key, Prepared]) -> dict[Key, Run]:
    """The runs of the passes that are not refused. An encoder and a decoder are two passes, so that
    sources of one length are encoded together whatever the lengths of their targets.
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
    """A pass that is under way: what the network is given, what its encoder has written, and the
    `trace` that its values go through, into its `record`. One that is `refused` on the way changes
    its values no more.
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
        """The activation `name` as this run goes on with it."""
        try:
            return value if self.refused else self.trace(name, value)
        except InvalidInput:
            self.refused = True
            return value

    def run(self) -> Run | None:
        """The run, when all has been passed; None of a refused one."""
        return None if self.refused else self.prepared.recorded(self.record)

    @property
    def reads_memory(self) -> bool:
        """Whether the pass is that of an encoder and then that of a decoder."""
        return self.prepared.forward is through_stacks and self.prepared.run.config.cross

    def shapes(self, names: Sequence[str], masks: str) -> Any:
        """Equal for parts whose pass can be made together: the shapes of what the network is
        given, and its masks.
        """
        sizes = tuple(tensor.shape for name in names for tensor in tensors(getattr(self, name)))
        items = (item for item in self.prepared.masks.items() if item[0].startswith(masks))
        return (
            self.prepared.forward,
            sizes,
            tuple((name, mask.shape, mask.numpy().tobytes()) for name, mask in items),
        )


def groups(parts: Sequence[Part], names: Sequence[str], masks: str = "") -> Iterator[list[Part]]:
    """Parts whose pass can be made together, at most AT_ONCE."""
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
    """What the encoder writes of each source."""
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
    """The pass of each."""
    source, target = (
        stacked([getattr(part, name) for part in alike]) for name in ("source", "target")
    )
    transformer, masks, trace = network(alike)
    alike[0].prepared.forward(transformer, source, target, masks, trace)


def network(alike: Sequence[Part]) -> tuple[Transformer, Masks, Trace]:
    """The network of the parts, their masks, and the trace of each."""
    first = alike[0].prepared
    trace = Rows(alike, activations(first.run.config))
    return first.run.model.transformer, first.masks, trace


def stacked(inputs: Sequence[Any]) -> Any:
    """What several passes are given, as one batch; rows of tables are batches already."""
    first, ones = inputs[0], [1] * len(inputs)
    if is_dataclass(first):
        columns = zip(*(vars(item).values() for item in inputs), strict=True)
        return type(first)(*(side_by_side(torch.cat(column), ones) for column in columns))
    return None if first is None else side_by_side(torch.stack(list(inputs)), ones)


class Rows(Trace):
    """The trace of a batch: each row goes through the trace of its own part, in memory of its own.
    What has no axis for the rows, such as positions, is the same for all.
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
        # In memory the axes keep their order, as under the edits of one run.
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
