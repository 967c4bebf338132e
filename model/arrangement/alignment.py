"""Alignment of an arranged run, whose tokens are reordered or padded, with the run without edits,
token by token.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from model.answers.answer import Answer, Labelled

Places = Mapping[str, Sequence[int | None]]
"""For each index of an axis, the index of the same token without edits; None if there is none."""


def places_of(edited: Answer) -> Places:
    """For each axis of an edited run with moved tokens, the original index of each. An axis cut to
    one position is cut to the same token on both sides.
    """
    return {
        name: index
        for name, index in edited.fields.get("aligned", {}).items()
        if name not in edited.axes or edited.axes[name].size == len(index)
    }


def in_place(edited: Answer, unedited: Answer, places: Places) -> Answer:
    """`unedited`, the answer without edits, with the axes of `places` in the order of `edited`:
    each token at its place there, and nothing for padding.
    """
    tensors = {
        name: Labelled(
            tensor.axes,
            realigned(tensor.data, tensor.axes, places),
            tensor.formula,
            tensor.masked or has_absent(tensor.axes, places),
        )
        for name, tensor in unedited.tensors.items()
    }
    edited_axes = {name: axis for name, axis in edited.axes.items() if name in places}
    axes = {name: edited_axes.get(name, axis) for name, axis in unedited.axes.items()}
    return replace(unedited, axes=axes, tensors=tensors, inputs=axes)


def with_unedited(edited: Answer, unedited: Answer) -> Answer:
    """`edited` with the tensors of `unedited`, the answer without edits, in which each token is at
    its place in `edited`.
    """
    moved = in_place(edited, unedited, places_of(edited))
    others = {name: axis for name, axis in moved.axes.items() if axis != edited.axes.get(name)}
    return replace(edited, unedited=moved.tensors, unedited_axes=others, inputs=edited.axes)


def realigned(data: Tensor, axes: Sequence[str], places: Places) -> Tensor:
    """The tensor `data` with every axis of `places` in its new order. Missing values are -inf in a
    real tensor; in an integer tensor, they are -1, or 0 if it has no negative numbers.
    """
    for at, axis in enumerate(axes):
        if axis in places:
            absent = torch.tensor([place is None for place in places[axis]])
            data = data.index_select(at, torch.tensor([place or 0 for place in places[axis]]))
            nothing = -torch.inf if data.is_floating_point() else -int(data.dtype.is_signed)
            data = data.masked_fill(absent.view([-1, *[1] * (data.ndim - at - 1)]), nothing)
    return data


def has_absent(axes: Sequence[str], places: Places) -> bool:
    """Whether a tensor on `axes` has tokens that the run without edits lacks."""
    return any(None in places.get(axis, ()) for axis in axes)
