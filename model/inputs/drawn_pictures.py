"""Pictures to try: simple shapes in one colour on white, each drawn by a formula. They are for
models of which nothing is known, and say nothing of what such a model was trained on.
"""

from collections.abc import Callable
from functools import lru_cache
from math import hypot

from PIL import Image

from model.inputs.picture_files import encoded

Shape = Callable[[float, float], bool]
"""Whether a point is in the shape; x and y go from -1 to 1, to the right and down."""

LARGEST = 32
"""The most pixels to a side: a picture of fewer pixels than a model reads is scaled."""
FINE = 4
"""A pixel is as strong as the share of FINE x FINE points in it that are in the shape."""
WHITE = 255  # of each colour

SHAPES: dict[str, tuple[tuple[int, int, int], Shape]] = {
    "drawn-disc": ((204, 51, 51), lambda x, y: hypot(x, y) < 0.6),
    "drawn-square": ((34, 102, 187), lambda x, y: max(abs(x), abs(y)) < 0.55),
    "drawn-cross": ((34, 136, 51), lambda x, y: min(abs(x), abs(y)) < 0.2),
    "drawn-stripes": ((0, 0, 0), lambda x, y: int(4 * (x + 1)) % 2 == 0),
}
"""By its name the colour of a shape and the shape."""


@lru_cache(maxsize=64)
def drawn_picture(name: str, side: int) -> str:
    """The picture `name` for a model of `side` pixels to a side, as a PNG file in base64."""
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
