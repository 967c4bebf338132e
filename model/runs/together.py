"""`run_together`: the runs of several inputs of one model, as alone but in fewer passes.

Targets that the inputs leave out are written in one batch, whatever their lengths. The recorded
passes are made together where all that the network is given has the same shapes and masks: then
every row of a product is summed in the order in which it is summed alone, and the numbers are those
of `run_model`, on the processors tried to the last bit.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from functools import cache
from typing import Any

import torch
from torch import Tensor

from model.activations.activation import Activation
from model.activations.catalogue import activations
from model.calibration.confidence import with_confidence
from model.errors import InvalidInput, UnknownName
from model.inputs.input import Input
from model.layers.embedding import ModelInput
from model.runs.prepared import Masks, Prepared, through_stacks
from model.runs.readings import TextReading, check_fields, reading
from model.runs.run import Run
from model.trace import Record, Trace
from model.transformer import Target, Transformer
from model.zoo.models import Model

AT_ONCE = 32
"""How many runs a pass has at most: more take more memory and are not faster."""
MIN_ROWS = 4
"""A product with fewer rows is summed by another kernel, in another order: such an input is passed
alone.
"""


@torch.inference_mode()
def run_together(model: Model, inputs: Sequence[Input]) -> dict[Input, Run]:
    """The runs of `inputs`, each with the numbers of `run_model`. An input that the model cannot
    read is left out: asked for alone, it is refused with its own reason.
    """
    passes = passes_of(model, list(dict.fromkeys(inputs)))
    found = {input: one() for input, one in passes.items() if is_alone(one)}
    others = [input for input in passes if input not in found]
    found |= zip(others, passed([passes[input] for input in others]), strict=True)
    return {input: with_confidence(found[input], input) for input in passes}


def passes_of(model: Model, inputs: Sequence[Input]) -> dict[Input, Prepared]:
    """The passes of those inputs that the model can read."""
    how = reading(model)

    def read(input: Input) -> Any:
        check_fields(model, input)
        return how.read(model, input) if isinstance(how, TextReading) else how.prepare(model, input)

    ready = {input: one for input in inputs if (one := unless_refused(read, input)) is not None}
    if not isinstance(how, TextReading):
        return ready
    return dict(zip(ready, how.prepare_all(model, list(ready.values())), strict=True))


def unless_refused(read: Callable[[Input], Any], input: Input) -> Any:
    """What `read` makes of the input; None of one that it refuses."""
    try:
        return read(input)
    except (InvalidInput, UnknownName):
        return None


def is_alone(one: Prepared) -> bool:
    """Whether a pass is made with no other."""
    return one.alone or min(map(len, one.run.tokens.values())) < MIN_ROWS


def passed(passes: Sequence[Prepared]) -> list[Run]:
    """The runs of the passes, in their order. An encoder and a decoder are two passes, so that
    sources of one length are encoded together whatever the lengths of their targets.
    """
    parts = [Part(one, Record(), one.source, one.target) for one in passes]
    in_two = [part for part in parts if part.reads_memory]
    for alike in groups(in_two, ("source",), "encoder.attention"):
        for part, memory in zip(alike, encoded(alike), strict=True):
            part.memory = memory
    for alike in groups(in_two, ("target", "memory"), "decoder."):
        decode(alike)
    for alike in groups([part for part in parts if not part.reads_memory], ("source", "target")):
        pass_whole(alike)
    return [part.prepared.finish(replace(part.prepared.run, trace=part.record)) for part in parts]


@dataclass
class Part:
    """A pass that is under way: what the network is given, what is recorded, and what its encoder
    has written.
    """

    prepared: Prepared
    record: Record
    source: ModelInput | None
    target: Target | None
    memory: Tensor | None = None

    @property
    def reads_memory(self) -> bool:
        """Whether the pass is that of an encoder and then that of a decoder."""
        return self.prepared.forward is through_stacks and self.prepared.run.config.cross

    def shapes(self, given: Sequence[str], masks: str) -> Any:
        """Equal for parts whose pass can be made together: the shapes of what the network is
        given, and its masks.
        """
        sizes = tuple(tensor.shape for name in given for tensor in tensors(getattr(self, name)))
        own = (item for item in self.prepared.masks.items() if item[0].startswith(masks))
        return (
            self.prepared.forward,
            sizes,
            tuple((name, mask.shape, mask.numpy().tobytes()) for name, mask in own),
        )


def groups(parts: Sequence[Part], given: Sequence[str], masks: str = "") -> Iterator[list[Part]]:
    """Parts whose pass can be made together, at most AT_ONCE."""
    found: dict[Any, list[Part]] = defaultdict(list)
    for part in parts:
        found[part.shapes(given, masks)].append(part)
    for alike in found.values():
        for start in range(0, len(alike), AT_ONCE):
            yield alike[start : start + AT_ONCE]


def tensors(given: Any) -> Iterator[Tensor]:
    """The tensors of an input of the network."""
    if isinstance(given, Tensor):
        yield given
    elif given is not None:
        yield from vars(given).values()


def encoded(alike: Sequence[Part]) -> Tensor:
    """What the encoder writes of each source."""
    transformer, masks, trace = network(alike)
    return transformer.encode(
        stacked([part.source for part in alike]), masks["encoder.attention"], trace
    )


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
    transformer.unembed(x, trace)


def pass_whole(alike: Sequence[Part]) -> None:
    """The pass of each."""
    source, target = (
        stacked([getattr(part, name) for part in alike]) for name in ("source", "target")
    )
    transformer, masks, trace = network(alike)
    alike[0].prepared.forward(transformer, source, target, masks, trace)


def network(alike: Sequence[Part]) -> tuple[Transformer, Masks, Trace]:
    """The network of the parts, their masks, and the trace that records each."""
    first = alike[0].prepared
    batch = Batch([part.record for part in alike], activations(first.run.config))
    return first.run.model.transformer, first.masks, Trace(laid_out, record=batch)


def stacked(given: Sequence[Any]) -> Any:
    """What several passes are given, as one batch; rows of tables are batches already."""
    first = given[0]
    if is_dataclass(first):
        columns = zip(*(vars(one).values() for one in given), strict=True)
        return type(first)(*map(torch.cat, columns))
    return None if first is None else torch.stack(list(given))


class Batch(Record):
    """Records a batch: each row in a record of its own, in memory of its own. What has no axis for
    the rows, such as positions, is the same for all.
    """

    def __init__(self, rows: Sequence[Record], catalogue: Mapping[str, Activation]):
        super().__init__()
        self.rows, self.catalogue = rows, catalogue

    def write(self, name: str, value: Tensor | Callable[[], Tensor]) -> None:
        if isinstance(value, Tensor):
            for record, part in zip(self.rows, self.parts(name, value), strict=True):
                record.write(name, part)
            return
        parts = cache(lambda: self.parts(name, value()))
        for number, record in enumerate(self.rows):
            record.write(name, lambda number=number: parts()[number])

    def parts(self, name: str, value: Tensor) -> list[Tensor]:
        """The activation `name` of each row."""
        if value.ndim == len(self.catalogue[name].axes):
            return [value] * len(self.rows)
        return [part.clone() for part in value]


def laid_out(name: str, value: Tensor) -> Tensor:
    """A hook that lays heads out one after another. Torch does so before it multiplies a batch of
    them, and would lay keys out transposed, whose products are summed in another order.
    """
    return value.contiguous() if name.endswith(HEADS) else value


HEADS = (".q", ".k", ".v")
