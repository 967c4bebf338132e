"""Learned positions at another length, or on another grid of patches: linear interpolation."""

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from model.errors import InvalidInput
from model.layers.positional_encodings import Encoding


def interpolate(table: Encoding, length: int) -> Float[Tensor, "new channel"]:
    """The table linearly interpolated to `length` positions; unchanged if it already has that
    length.
    """
    if length < 1:
        raise InvalidInput("table-has-no-position", field="length", limit=1, given=length)
    return functional.interpolate(table.mT[None], length, mode="linear", align_corners=False)[0].mT


def interpolate_grid(
    table: Encoding, grid: tuple[int, int], new: tuple[int, int]
) -> Float[Tensor, "new channel"]:
    """The table of a grid (rows, columns) of patches in row-major order, interpolated bilinearly to
    the grid `new` (Dosovitskiy et al. 2021, section 3.2).

    Remove the row of a class token first; it isn't a patch. Raises InvalidInput if the table does
    not fill the grid.
    """
    rows, columns = grid
    if rows * columns != len(table):
        raise InvalidInput(
            "grid-of-other-size",
            field="grid",
            rows=rows,
            columns=columns,
            patches=rows * columns,
            positions=len(table),
        )
    if min(new) < 1:
        raise InvalidInput(
            "grid-is-empty", field="grid", limit=1, given=min(new), rows=new[0], columns=new[1]
        )
    image = table.mT.unflatten(-1, grid)[None]
    return functional.interpolate(image, new, mode="bilinear", align_corners=False)[0].flatten(1).mT
