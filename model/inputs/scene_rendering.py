"""Scene rendering: each shape is drawn in one colour on white, and a pixel at its edge is mixed by
the share of the pixel that the shape covers.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from model.inputs.scenes import Scene, Shape

Picture = Float[Tensor, "colour row column"]
"""Red, green and blue light, from 0 to 1."""

FINE = 4  # sample points along each side of a pixel
PAPER = 1.0
LIGHT = {
    "red": (0.86, 0.20, 0.18),
    "green": (0.20, 0.62, 0.30),
    "blue": (0.16, 0.36, 0.84),
    "yellow": (0.95, 0.76, 0.16),
}

INSIDE = {
    "ellipse": lambda u, v: u**2 + v**2 <= 1,
    "rectangle": lambda u, v: torch.maximum(u.abs(), v.abs()) <= 1,
    "triangle": lambda u, v: (v.abs() <= 1) & (2 * u.abs() <= 1 + v),
}
"""Whether the point (u, v) lies in a shape whose box goes from -1 to 1, with u to the right and v
down. A triangle stands on its base.
"""


def render(scene: Scene, side: int) -> Picture:
    """A picture of `scene` with `side` x `side` pixels. A later shape lies over an earlier one."""
    picture = torch.full((3, side, side), PAPER)
    for shape in scene:
        rows, columns = touched(shape.y, shape.height, side), touched(shape.x, shape.width, side)
        covered, light = (
            cover(shape, rows, columns, side),
            torch.tensor(LIGHT[shape.colour])[:, None, None],
        )
        under = picture[:, rows, columns]
        picture[:, rows, columns] = under + (light - under) * covered
    return picture


def touched(centre: int | float, size: int | float, side: int) -> slice:
    """The pixels of one side that an interval with this centre and size touches."""
    return slice(
        max(math.floor((centre - size / 2) * side), 0),
        min(math.ceil((centre + size / 2) * side), side),
    )


def cover(shape: Shape, rows: slice, columns: slice, side: int) -> Float[Tensor, "row column"]:
    """The share of each pixel that `shape` covers, counted on a grid of 4 x 4 points a pixel."""
    u, v = (
        (points(columns, side) - shape.x) * 2 / shape.width,
        (points(rows, side) - shape.y) * 2 / shape.height,
    )
    inside = INSIDE[shape.kind](u[None, :], v[:, None])
    return inside.float().unflatten(1, (-1, FINE)).unflatten(0, (-1, FINE)).mean((1, 3))


def points(pixels: slice, side: int) -> Float[Tensor, " point"]:
    """The places of the grid points of `pixels` along a side, as shares of the side."""
    return (torch.arange(pixels.start * FINE, pixels.stop * FINE) + 0.5) / (side * FINE)
