"""Cells: the numbers of an activation that an edit changes, selected by axis and index."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor

from model.activations.activation import Activation
from model.edits.edit import Edit

POSITIONS = ("position", "query")
"""The catalog's names for the position axis of an activation."""


@dataclass(frozen=True)
class Cells:
    """The cells of `value`, the activation `row` before the edit, that `edit` changes. `index` has
    the indices along each axis. `named` has those that the edit names: during generation, these can
    include positions that have not been read yet.
    """

    edit: Edit
    row: Activation
    value: Tensor
    index: tuple[tuple[int, ...], ...]
    named: tuple[tuple[int, ...], ...]

    @property
    def empty(self) -> bool:
        """Whether none of the cells exists yet."""
        return not all(self.index)

    @property
    def now(self) -> Tensor:
        """The numbers in the cells, with as many axes as the activation has."""
        return self.select(self.value, self.index)

    def select(self, value: Tensor, index: tuple[tuple[int, ...], ...]) -> Tensor:
        """The numbers of `value` at the same axes and the indices `index`."""
        for axis, along in enumerate(index):
            if not is_whole(along, value.shape[axis]):
                value = value.index_select(axis, torch.tensor(along, dtype=torch.long))
        return value.contiguous()

    def with_numbers(self, numbers: Tensor) -> Tensor:
        """The activation with `numbers` in the cells."""
        changed = self.value.clone(memory_format=torch.contiguous_format)
        if all(map(is_whole, self.index, changed.shape)):
            return changed.copy_(numbers)
        grids = torch.meshgrid(*map(torch.tensor, self.index), indexing="ij")
        changed[grids] = numbers
        return changed

    def axis(self, name: str) -> int:
        """The index of the axis `name`: query, key, position, head, channel … or the name of a
        result axis (source, target …) that occurs once. Raises InvalidInput.
        """
        return axis_named(self.edit, self.row, name)

    @property
    def positions(self) -> int | None:
        """The index of the position axis, if the activation has one."""
        return positions_axis(self.row)


def chosen_cells(
    edit: Edit, row: Activation, value: Tensor, grows: Mapping[str, int] = MappingProxyType({})
) -> Cells:
    """The cells of `value` that the edit names. `grows` has the axes that grow, each with its
    maximum size; indices that do not exist yet are omitted. Raises InvalidInput for an axis or
    index that does not exist, and for a duplicate index.
    """
    sizes = [grows.get(name, size) for name, size in zip(row.axes, value.shape, strict=True)]
    named = [tuple(range(size)) for size in value.shape]
    for name, indices in edit.where:
        axis = axis_named(edit, row, name)
        check_indices(edit, "where", name, indices, sizes[axis])
        named[axis] = indices
    if edit.positions:
        at = positions_axis(row)
        if at is None:
            raise edit.refusal("has-no-positions", "positions", row=row.name)
        if any(axis_named(edit, row, name) == at for name, _ in edit.where):
            raise edit.refusal("named-twice-over", "positions", axis=row.index[at])
        named[at] = tuple(here for _, here in edit.positions)
        check_indices(edit, "positions", row.index[at], named[at], sizes[at])
    index = [
        tuple(i for i in along if i < size) for along, size in zip(named, value.shape, strict=True)
    ]
    return Cells(edit, row, value, tuple(index), tuple(named))


def is_whole(along: tuple[int, ...], size: int) -> bool:
    """Whether the indices are all of an axis, in order."""
    return along == tuple(range(size))


def positions_axis(row: Activation) -> int | None:
    """The index of the position axis, if the activation has one."""
    return next((at for at, role in enumerate(row.index) if role in POSITIONS), None)


def axis_named(edit: Edit, row: Activation, name: str) -> int:
    """The index of the axis `name`, by role or by result axis."""
    if name in row.index:
        return row.index.index(name)
    if row.axes.count(name) == 1:
        return row.axes.index(name)
    raise edit.refusal("no-such-axis", "where", row=row.name, name=name[:40], axes=row.index)


def check_indices(edit: Edit, field: str, name: str, indices: tuple[int, ...], size: int) -> None:
    """Raises InvalidInput for an empty list, an index that does not exist, or a duplicate."""
    if not indices:
        raise edit.refusal("names-nothing", field, axis=name)
    for index in indices:
        if not 0 <= index < size:
            raise edit.refusal("index-beyond", field, limit=size - 1, given=index, name=name)
    if len(set(indices)) < len(indices):
        raise edit.refusal("index-twice", field, axis=name)
