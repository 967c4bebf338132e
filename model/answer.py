"""An answer: named axes, tensors that say which axes they lie on and by which formula they were made, and plain fields."""

from dataclasses import dataclass, field
from typing import Literal

from torch import Tensor

from model.errors import UnknownName

Kind = Literal["trained", "random initialisation", "analytic"]


@dataclass(frozen=True)
class Axis:
    """`kind` is position, patch, head, channel, vocabulary, step …; labels and ids, where there are any, are as long as `size`.

    `grid`, rows and columns, is of patches: those of an image without [CLS]. `value` is what stands in each column of a row, or of a row
    its class. `parts` are the sizes of what an axis is put together from, in order: what is remembered of the text before (memory), the
    text itself (text, source, target), persistent slots (slot).
    """

    kind: str
    size: int
    labels: list[str] | None = None
    ids: list[int] | None = None
    grid: list[int] | None = None
    parts: dict[str, int] | None = None
    value: list[str] | None = None


@dataclass(frozen=True)
class Labelled:
    """A tensor with the names of its axes, outermost first, and the formula that made it.

    `masked` allows -inf, a score the mask removed, which travels as null; anywhere else it would be our own bug.
    """

    axes: tuple[str, ...]
    data: Tensor
    formula: str
    masked: bool = False


def named(tensors: dict[str, Labelled], names: str | None) -> dict[str, Labelled]:
    """The tensors that `names` lists with commas between them, or all; raises UnknownName for one that is not there."""
    if names is None:
        return tensors
    wanted = [name.strip() for name in names.split(",")]
    for name in wanted:
        if name not in tensors:
            raise UnknownName("tensor in this answer", name, tensors)
    return {name: tensors[name] for name in wanted}


@dataclass(frozen=True)
class Answer:
    """What every analysis returns. `fields` are the word's own, plain JSON values; `model` and `input` only where a run was asked about."""

    kind: Kind
    axes: dict[str, Axis] = field(default_factory=dict)
    tensors: dict[str, Labelled] = field(default_factory=dict)
    fields: dict = field(default_factory=dict)
    model: str | None = None
    input: dict | None = None
