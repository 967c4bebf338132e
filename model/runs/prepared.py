"""`Prepared`: an input as the network is given it, before the pass. Calling it makes the pass and
returns the run. Those with the same shapes can be passed together (together.py), and those whose
values are changed on the way are made by an `Editing` (editing.py).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from torch import Tensor

from model.layers.embedding import ModelInput
from model.runs.run import Run
from model.trace import Hook, Record, Trace, TraceFactory, identity, unchanged
from model.transformer import Target, Transformer

Masks = Mapping[str, Tensor]
Forward = Callable[[Transformer, ModelInput | None, Target | None, Masks, Trace], object]
"""The pass itself: (transformer, source, target, masks, trace)."""


def through_stacks(
    transformer: Transformer,
    source: ModelInput | None,
    target: Target | None,
    masks: Masks,
    trace: Trace,
) -> None:
    """The pass of a model that has stacks and logits alone."""
    transformer(source, target, masks, trace)


@dataclass(frozen=True)
class Prepared:
    """`run` has everything but activations. `source`, `target` and `masks` are what `forward` is
    given besides the network, and `select` is the part of an activation that is recorded. The
    values go `through` a trace, which may change them, and `finish` adds to the run what only the
    pass has computed. One that is `separate` is passed with no other: its pass needs more than
    its own source and target.
    """

    run: Run
    source: ModelInput | None
    target: Target | None
    masks: Masks
    forward: Forward = through_stacks
    select: Hook = identity
    finish: Callable[[Run], Run] = lambda run: run
    separate: bool = False
    through: TraceFactory = unchanged

    def __call__(self) -> Run:
        """The run of the pass."""
        record = Record(self.select)
        transformer = self.run.model.transformer
        self.forward(transformer, self.source, self.target, self.masks, self.through(record))
        return self.recorded(record)

    def recorded(self, record: Record) -> Run:
        """The run, when the pass has filled its record."""
        return self.finish(replace(self.run, trace=record))
