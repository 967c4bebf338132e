"""Example pictures: simple shapes in one color on white, drawn by formula. They are for models
whose training data is unknown, so they aren't examples of that data.
"""

from collections.abc import Callable
from functools import lru_cache
from math import hypot

from PIL import Image

from model.inputs.picture_files import encoded

Shape = Callable[[float, float], bool]
"""Whether a point is in the shape; x and y go from -1 to 1, to the right and down."""

LARGEST = 32
"""The maximum side in pixels; larger inputs are scaled up from it."""
FINE = 4
"""The intensity of a pixel is the fraction of its FINE x FINE sample points inside the shape."""
WHITE = 255  # value of each color channel

SHAPES: dict[str, tuple[tuple[int, int, int], Shape]] = {
    "drawn-disc": ((204, 51, 51), lambda x, y: hypot(x, y) < 0.6),
    "drawn-square": ((34, 102, 187), lambda x, y: max(abs(x), abs(y)) < 0.55),
    "drawn-cross": ((34, 136, 51), lambda x, y: min(abs(x), abs(y)) < 0.2),
    "drawn-stripes": ((0, 0, 0), lambda x, y: int(4 * (x + 1)) % 2 == 0),
}
"""The color and shape of each picture, by name."""


@lru_cache(maxsize=64)
def drawn_picture(name: str, side: int) -> str:
    """The picture `name` for a model that reads `side` x `side` pixels, as a base64 PNG."""
    ink, shape = SHAPES[name]
    side = min(side, LARGEST)
    points = [2 * (i + 0.5) / (side * FINE) - 1 for i in range(side * FINE)]
    pixels = bytearray()
    for row in range(side):
        for column in range(side):
            inside = sum(
                shape(x, y)
                for y in points[row * FINE : (row + 1) * FINE]
                for x in points[column * FINE : (column + 1) * FINE]
            )
            pixels += bytes(round(WHITE + (full - WHITE) * inside / FINE**2) for full in ink)
    return encoded(Image.frombytes("RGB", (side, side), bytes(pixels)))
