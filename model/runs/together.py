"""`run_together`: the runs of several inputs of one model, as alone but in fewer passes.

Targets that the inputs leave out are written in one batch, whatever their lengths. The recorded
passes are made together where all that the network is given has the same shapes and masks: then
every row of a product is summed in the order in which it is summed alone, and the numbers are those
of `run_model`, on the processors tried to the last bit.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass, replace
from functools import cache
from typing import Any

import torch
from torch import Tensor

from model.activations.activation import Activation
from model.activations.catalogue import activations
from model.calibration.confidence import with_confidence
from model.errors import InvalidInput, UnknownName
from model.inputs.input import Input
from model.runs.prepared import Prepared
from model.runs.readings import TextReading, check_fields, reading
from model.runs.run import Run
from model.trace import Record, Trace
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
    groups: dict[Any, list[Input]] = defaultdict(list)
    for input, one in passes.items():
        groups[shapes(one)].append(input)
    found: dict[Input, Run] = {}
    for alike in groups.values():
        for start in range(0, len(alike), AT_ONCE):
            some = alike[start : start + AT_ONCE]
            found |= zip(some, passed([passes[input] for input in some]), strict=True)
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


def shapes(one: Prepared) -> Any:
    """Equal for passes that can be made together."""
    few = min(map(len, one.run.tokens.values())) < MIN_ROWS
    if one.alone or few:
        return object()
    sizes = tuple(tensor.shape for tensor in tensors(one))
    masks = tuple((name, mask.shape, mask.numpy().tobytes()) for name, mask in one.masks.items())
    return one.forward, sizes, masks


def tensors(one: Prepared) -> Iterator[Tensor]:
    """What the network is given."""
    for given in (one.source, one.target):
        if isinstance(given, Tensor):
            yield given
        elif given is not None:
            yield from vars(given).values()


def passed(alike: Sequence[Prepared]) -> list[Run]:
    """The runs of passes that have the same shapes, in their order."""
    first = alike[0]
    if len(alike) == 1:
        return [first()]
    records = [Record() for _ in alike]
    batch = Batch(records, activations(first.run.config))
    first.forward(
        first.run.model.transformer,
        stacked([one.source for one in alike]),
        stacked([one.target for one in alike]),
        first.masks,
        Trace(laid_out, record=batch),
    )
    return [
        one.finish(replace(one.run, trace=record))
        for one, record in zip(alike, records, strict=True)
    ]


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
