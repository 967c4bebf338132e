"""Operations on the cells of an activation. Each is a function from the cells, and the same
activation in other runs, to the new numbers of the cells.

    zero    0                       turns the part off (zero ablation)
    mean    mean over positions     the same output everywhere (mean ablation)
    scale   value x
    set     value
    add     x + value               with a vector: steering (Turner et al. 2023)
    patch   x of another input      activation patching (Meng et al. 2022, section 2); without an
                                    input, x of the unedited run, which freezes the values
    mask    -inf, before the softmax
    swap    exchanges the numbers of two indices of an axis
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from model.activations.site import Site
from model.edits.cells import Cells, check_indices
from model.edits.edit import Value

Others = Sequence[Tensor]
"""The activation in the runs of the edit's other inputs."""


def zero(cells: Cells, others: Others) -> Tensor:
    return torch.zeros_like(cells.now)


def mean(cells: Cells, others: Others) -> Tensor:
    """The mean over all positions of this run, or over those of the runs of other inputs, if the
    edit names some in `from`. The latter is the usual mean ablation, over many held-out inputs
    (Wang et al. 2023, section 2.2); the former needs no other input. `axis` names another axis to
    average over.
    """
    edit = cells.edit
    axis = cells.positions if edit.axis is None else cells.axis(edit.axis)
    if axis is None:
        raise edit.refusal("no-positions-to-mean", "axis", row=cells.row.name)
    for other in others:
        if drop(other.shape, axis) != drop(cells.value.shape, axis):
            raise edit.refusal(
                "other-shape-there",
                "from",
                row=cells.row.name,
                there=shape(other),
                here=shape(cells.value),
                axis=cells.row.index[axis],
            )
    whole = torch.cat(list(others), axis) if others else cells.value
    index = list(cells.index)
    index[axis] = (0,)
    return cells.select(whole.mean(axis, keepdim=True), tuple(index)).expand_as(cells.now)


def scale(cells: Cells, others: Others) -> Tensor:
    """A masked score stays masked, whatever the factor."""
    return torch.where(cells.now.isneginf(), cells.now, cells.now * numbers(cells))


def set_to(cells: Cells, others: Others) -> Tensor:
    return numbers(cells)


def add(cells: Cells, others: Others) -> Tensor:
    return cells.now + numbers(cells)


def patch(cells: Cells, others: Others) -> Tensor:
    """These cells in the run of the other input, or those at its `positions`."""
    (other,), edit, index = others, cells.edit, list(cells.index)
    at = cells.positions
    if edit.positions and at is not None:
        index[at] = tuple(there for there, here in edit.positions if here in cells.index[at])
        name = f"{cells.row.index[at]} of the other input"
        if max(index[at]) >= other.shape[at] or min(index[at]) < 0:
            check_indices(edit, "positions", name, index[at], other.shape[at])
    free = [axis for axis in range(other.ndim) if not (edit.positions and axis == at)]
    if any(other.shape[axis] != cells.value.shape[axis] for axis in free):
        raise edit.refusal(
            "other-length-there",
            "positions" if at is not None and (not edit.positions) else "from",
            row=cells.row.name,
            there=shape(other),
            here=shape(cells.value),
        )
    return cells.select(other, tuple(index))


def mask(cells: Cells, others: Others) -> Tensor:
    """-inf for a masked score; 0 in the kernel of a Performer, which has no scores."""
    hidden = 0.0 if Site.parse(cells.row.name).value == "kernel" else -torch.inf
    return torch.full_like(cells.now, hidden)


def swap(cells: Cells, others: Others) -> Tensor:
    """Exchanges the numbers of two indices of one axis: the two that `where` names on `axis`, or on
    the only axis with two.
    """
    edit = cells.edit
    twos = [cells.axis(name) for name, indices in edit.where if len(indices) == 2]
    if edit.axis is not None:
        twos = [axis for axis in twos if axis == cells.axis(edit.axis)]
    if len(twos) != 1:
        raise edit.refusal("swap-needs-two", "where")
    there = len(cells.index[twos[0]]) == 2  # the second may be a position that is not generated yet
    return cells.now.flip(twos[0]) if there else cells.now


OPERATIONS: dict[str, Callable[[Cells, Others], Tensor]] = {
    "zero": zero,
    "mean": mean,
    "scale": scale,
    "set": set_to,
    "add": add,
    "patch": patch,
    "mask": mask,
    "swap": swap,
}


def numbers(cells: Cells) -> Tensor:
    """The edit's `value` in the shape of the cells. A list has the shape of the cells without the
    axes of size 1; if leading axes are missing, it is broadcast: a vector [channel] is added at
    every position.
    """
    edit, sizes = cells.edit, [len(along) for along in cells.named]
    value = tensor_of(cells, edit.value)
    wanted, small = [size for size in sizes if size > 1], value.squeeze()
    if list(small.shape) != wanted[len(wanted) - small.ndim :]:
        raise edit.refusal("value-of-another-shape", "value", shape=shape(value), sizes=text(sizes))
    whole = small.expand(wanted).reshape(sizes)
    for axis, (named, there) in enumerate(zip(cells.named, cells.index, strict=True)):
        if len(there) < len(named):
            here = [at for at, i in enumerate(named) if i in there]
            whole = whole[(slice(None),) * axis + (here,)]
    return whole


def tensor_of(cells: Cells, value: Value | None) -> Tensor:
    try:
        return torch.tensor(value, dtype=cells.value.dtype)
    except (TypeError, ValueError, OverflowError):
        raise cells.edit.refusal("value-no-table", "value") from None


def drop(sizes: Sequence[int], axis: int) -> list[int]:
    return [size for at, size in enumerate(sizes) if at != axis]


def shape(value: Tensor) -> str:
    """The shape as text: 4 x 5 x 16."""
    return text(value.shape)


def text(sizes: Sequence[int]) -> str:
    return " x ".join(map(str, sizes)) or "one number"
