"""An answer: named axes, tensors with axes and formulas, and fields."""

from collections.abc import Collection, Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any

from torch import Tensor

from model.answers import Kind
from model.answers.measurements import Measurement
from model.errors import UnknownName


@dataclass(frozen=True)
class Axis:
    """An axis of tensors: what it indexes, and its size. `kind` is position, patch, head, channel,
    vocabulary, or step, among others. There are `size` labels and ids, or none.

    An axis of image patches has a `grid`, rows and columns without [CLS]. `value` is the value in
    each column of a table row, or the class of each row. `parts` are the sizes of an axis's parts,
    in order: the remembered text (memory), the text itself (text, source, target), and persistent
    slots (slot). If the axis stands for numbers, `values` are those numbers, `title` says what they
    measure, and `unit` is their unit, "" for a pure number.
    """

    kind: str
    size: int
    labels: list[str] | None = None
    ids: list[int] | None = None
    grid: list[int] | None = None
    parts: dict[str, int] | None = None
    value: list[str] | None = None
    values: list[int | float] | None = None
    title: str | None = None
    unit: str | None = None


def numbered(
    kind: str,
    values: Sequence[int | float],
    title: str,
    unit: str = "",
    ids: list[int] | None = None,
) -> Axis:
    """An axis of numbers, with the same numbers as labels."""
    labels = [str(n) if isinstance(n, int) else f"{n:g}" for n in values]
    return Axis(kind, len(values), labels, ids, values=list(values), title=title, unit=unit)


def counted(kind: str, size: int, title: str, unit: str = "") -> Axis:
    """An axis of the numbers 0 to `size` - 1, without labels."""
    return Axis(kind, size, values=list(range(size)), title=title, unit=unit)


@dataclass(frozen=True)
class Labelled:
    """A tensor with the names of its axes, outermost first, and its formula.

    `masked` allows -inf, a masked score, which is null in JSON. In any other tensor, -inf is a bug.
    """

    axes: tuple[str, ...]
    data: Tensor
    formula: str
    masked: bool = False


@dataclass(frozen=True)
class Cut:
    """A slice of a tensor: its numbers, and its axes, outermost first."""

    axes: dict[str, Axis]
    data: Tensor

    def at(self, **places: str | int | float) -> "Cut":
        """The slice at one place of each named axis: a label, or the number that the place stands
        for; other axes are indexed from 0. Raises UnknownName for a place that the axis does not
        have.
        """
        cut = self
        for name, place in places.items():
            left = dict(cut.axes)
            axis = left.pop(name)
            labelled = axis.labels if isinstance(place, str) else axis.values
            known: list[Any] = list(labelled or range(axis.size))
            if place not in known:
                raise UnknownName("unknown-place", str(place), map(str, known), axis=name)
            cut = Cut(left, cut.data.select(list(cut.axes).index(name), known.index(place)))
        return cut

    def along(self, name: str) -> list[str]:
        """The names of the places on an axis: its labels, or else the numbers from 0."""
        axis = self.axes[name]
        return axis.labels or [str(place) for place in range(axis.size)]

    def numbers(self, name: str) -> list[int | float]:
        """The numbers that the places on an axis stand for: its values, or else the numbers from
        0.
        """
        axis = self.axes[name]
        return axis.values or list(range(axis.size))


def named(tensors: dict[str, Labelled], names: str | None) -> dict[str, Labelled]:
    """The tensors in the comma-separated list `names`, or all if it is None. Raises UnknownName for
    a tensor that does not exist.
    """
    if names is None:
        return tensors
    wanted = [name.strip() for name in names.split(",")]
    for name in wanted:
        if name not in tensors:
            raise UnknownName("unknown-tensor", name, tensors)
    return {name: tensors[name] for name in wanted}


@dataclass(frozen=True)
class Section:
    """A part of an answer: tensors, their axes, fields, and facts. `|` merges two sections; entries
    of the second override those of the first.
    """

    axes: dict[str, Axis]
    tensors: dict[str, Labelled]
    fields: dict = field(default_factory=dict)
    facts: list[Measurement] = field(default_factory=list)

    def __or__(self, other: "Section") -> "Section":
        return Section(
            self.axes | other.axes,
            self.tensors | other.tensors,
            self.fields | other.fields,
            self.facts + other.facts,
        )


@dataclass(frozen=True)
class Answer:
    """The answer of an analysis. `fields` are specific to the analysis: JSON values, and records
    that become JSON objects. `model` and `input` are given only if the question names them. `axes`
    keeps only those used by tensors or `inputs`. `unedited` has the tensors of the same question
    without edits, if requested for an edited run; for an arranged input, in the order of the
    arranged tokens. `unedited_axes` are those of their axes that differ from `axes`.
    """

    kind: Kind
    axes: dict[str, Axis] = field(default_factory=dict)
    tensors: dict[str, Labelled] = field(default_factory=dict)
    fields: dict = field(default_factory=dict)
    model: str | None = None
    input: dict | None = None
    unedited: dict[str, Labelled] = field(default_factory=dict)
    unedited_axes: dict[str, Axis] = field(default_factory=dict)
    inputs: InitVar[Collection[str]] = ()

    def __post_init__(self, inputs: Collection[str]) -> None:
        used = {axis for tensor in self.tensors.values() for axis in tensor.axes} | set(inputs)
        used_axes = {name: axis for name, axis in self.axes.items() if name in used}
        object.__setattr__(self, "axes", used_axes)

    def cut(self, name: str, **places: str | int | float) -> Cut:
        """A tensor, or a slice of it: `answer.cut("right", way="added")`."""
        tensor = self.tensors[name]
        return Cut({axis: self.axes[axis] for axis in tensor.axes}, tensor.data).at(**places)
