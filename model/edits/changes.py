"""The effect of an edit: how many numbers changed, by how much, and which invariants no longer
hold.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from model.edits.edit import Edit


@dataclass(frozen=True)
class Change:
    """The number of values that an edit changed, and the largest absolute change; None if nothing
    changed, or only to or from a masked score, whose distance is infinite.
    """

    elements: int
    largest: float | None


@dataclass(frozen=True)
class BrokenInvariant:
    """A violated invariant: in how many entries of the activations `names`, and by how much at
    most.
    """

    ALWAYS_GIVEN: ClassVar = ("largest",)

    law: str
    names: list[str]
    cells: int
    largest: float | None


@dataclass(frozen=True)
class EditReport:
    """The effect of one edit: the activations that it names, how many numbers changed, the largest
    absolute change (None if there is no finite one), and the violated invariants.
    """

    ALWAYS_GIVEN: ClassVar = ("largest_change",)

    op: str
    at: str
    names: list[str]
    elements: int
    largest_change: float | None
    invariants: list[BrokenInvariant]


@dataclass(frozen=True)
class Stage:
    """An activation before and after the edit with the index `edit`, from 0. A rearrangement of all
    positions has no index.
    """

    edit: int | None
    op: str
    before: Tensor
    after: Tensor


def change_of(before: Tensor, after: Tensor) -> Change:
    """The change between two tensors of the same shape."""
    other = before != after
    known = other & before.isfinite() & after.isfinite()
    apart = (after[known].double() - before[known].double()).abs()
    largest = apart.max().item() if known.any() else None
    return Change(int(other.sum()), largest)


def report(
    edit: Edit, names: list[str], changes: list[Change], broken: Iterable[BrokenInvariant]
) -> EditReport:
    """The report of an edit, combined from its changes of each activation."""
    return EditReport(
        edit.op,
        edit.at,
        names,
        sum(change.elements for change in changes),
        largest_of(change.largest for change in changes),
        joined(broken),
    )


def joined(broken: Iterable[BrokenInvariant]) -> list[BrokenInvariant]:
    """The invariants, with one entry per law."""
    laws: dict[str, list[BrokenInvariant]] = {}
    for violation in broken:
        laws.setdefault(violation.law, []).append(violation)
    return [
        BrokenInvariant(
            law,
            [name for violation in some for name in violation.names],
            sum(violation.cells for violation in some),
            largest_of(violation.largest for violation in some),
        )
        for law, some in laws.items()
    ]


def largest_of(numbers: Iterable[float | None]) -> float | None:
    return max((number for number in numbers if number is not None), default=None)
