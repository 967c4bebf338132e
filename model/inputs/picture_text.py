"""A picture as text: the pixels of a square, row by row, a byte for each colour of a pixel (red,
green and blue, or one grey), in base64. Four signs are one pixel of three colours.

The web process reads it too. It never loads torch, and so this module imports none.
"""

import base64
import binascii
import math
import re
from dataclasses import dataclass

from model.errors import InvalidInput

SHORTEST = 24
"""A text of fewer signs is the name of an example: the smallest picture has 4 × 4 grey pixels."""

FORMATS = {
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"GIF8": "GIF",
    b"RIFF": "WebP",
    b"BM": "BMP",
    b"II*\0": "TIFF",
    b"MM\0*": "TIFF",
}
"""Formats of files, by their first bytes."""

NO_SIGN = re.compile(r"[^A-Za-z0-9+/]")
OF_ADDRESSES = str.maketrans("-_", "+/")


@dataclass(frozen=True)
class Picture:
    """`pixels` are the bytes of `side` rows of `side` pixels, of `colours` bytes each."""

    side: int
    colours: int
    pixels: bytes

    @property
    def text(self) -> str:
        return base64.b64encode(self.pixels).decode()


def read_picture(written: str, colours: int | None = None) -> Picture:
    """The picture that is written in base64, also in that of addresses, with - and _. Without
    `colours` it may have one or three. Raises InvalidInput for a text that is no base64, for a
    file of a picture instead of its pixels, and for bytes that fill no square.
    """
    text = written.strip().rstrip("=").translate(OF_ADDRESSES)
    if wrong := NO_SIGN.search(text):
        raise refused(
            f"The picture has {wrong[0]!r} as sign {wrong.start() + 1}, and base64 has letters,"
            " digits, + and / alone. "
        )
    try:
        pixels = base64.b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error as error:
        raise refused(
            f"The picture is cut off: {len(text)} signs of base64 are no bytes."
        ) from error
    for many in (1, 3) if colours is None else (colours,):
        side = math.isqrt(len(pixels) // many)
        if pixels and many * side**2 == len(pixels):
            return Picture(side, many, pixels)
    raise refused(no_square(pixels, colours or 3))


def no_square(pixels: bytes, colours: int) -> str:
    """Why bytes are not the pixels of a square."""
    for first, name in FORMATS.items():
        if pixels.startswith(first):
            return (
                f"The picture is a {name} file, and its pixels are needed: {colours} bytes for each"
                " pixel of a square, row by row, in base64. The page makes them of a file."
            )
    side = math.isqrt(max(0, len(pixels) - 1) // colours) + 1
    return (
        f"The picture has {len(pixels)} bytes and is no square of pixels of {colours} bytes:"
        f" {side} × {side} pixels have {colours * side**2}. Is it cut off?"
    )


def refused(sentence: str) -> InvalidInput:
    return InvalidInput(sentence.strip(), field="image")
