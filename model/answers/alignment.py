"""Alignment: the numbers of a run without edits, put beside those of the same tokens of an arranged
run, which stand in another order or have pads among them.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

Places = Mapping[str, Sequence[int | None]]
"""For each index of an axis the index of the same token without edits; None where there is none."""


def realigned(data: Tensor, axes: Sequence[str], places: Places) -> Tensor:
    """The tensor `data` with every axis of `places` in its new order. Where a token has no number,
    there is minus infinity in a tensor of real numbers, and in one of whole numbers -1, or 0 if it
    has no negative numbers.
    """
    for at, axis in enumerate(axes):
        if axis in places:
            absent = torch.tensor([place is None for place in places[axis]])
            data = data.index_select(at, torch.tensor([place or 0 for place in places[axis]]))
            nothing = -torch.inf if data.is_floating_point() else -int(data.dtype.is_signed)
            data = data.masked_fill(absent.view([-1, *[1] * (data.ndim - at - 1)]), nothing)
    return data


def has_absent(axes: Sequence[str], places: Places) -> bool:
    """Whether a tensor on `axes` has tokens that the run without edits does not have."""
    return any(None in places.get(axis, ()) for axis in axes)
