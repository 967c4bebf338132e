"""Rendering of scenes: each shape has one color on white, and pixels at its edge are blended by the
fraction that the shape covers.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from model.inputs.scenes import Scene, Shape

Picture = Float[Tensor, "colour row column"]
"""Red, green, and blue intensities, from 0 to 1."""

FINE = 4  # sample points per pixel side
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
"""Whether the point (u, v) is in a shape whose box goes from -1 to 1, with u to the right and v
down. A triangle has its base at the bottom.
"""


def render(scene: Scene, side: int) -> Picture:
    """A picture of `scene` with `side` x `side` pixels. Later shapes are drawn over earlier
    ones.
    """
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
    """The pixels along one side that overlap an interval with this center and size."""
    return slice(
        max(math.floor((centre - size / 2) * side), 0),
        min(math.ceil((centre + size / 2) * side), side),
    )


def cover(shape: Shape, rows: slice, columns: slice, side: int) -> Float[Tensor, "row column"]:
    """The fraction of each pixel covered by `shape`, from 4 x 4 sample points per pixel."""
    u, v = (
        (points(columns, side) - shape.x) * 2 / shape.width,
        (points(rows, side) - shape.y) * 2 / shape.height,
    )
    inside = INSIDE[shape.kind](u[None, :], v[:, None])
    return inside.float().unflatten(1, (-1, FINE)).unflatten(0, (-1, FINE)).mean((1, 3))


def points(pixels: slice, side: int) -> Float[Tensor, " point"]:
    """The positions of the sample points of `pixels` along a side, as fractions of the side."""
    return (torch.arange(pixels.start * FINE, pixels.stop * FINE) + 0.5) / (side * FINE)
