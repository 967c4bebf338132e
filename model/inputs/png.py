"""PNG: a picture as a file in base64, which an address can carry, read without a library.

A PNG file is a signature and chunks. IHDR says the size and the kind of a pixel; IDAT holds all
rows, compressed; each row begins with the number of a filter, which says what was subtracted from
its bytes (ISO/IEC 15948:2004, clause 9). Pixels of a byte for each colour are read, in rows from
top to bottom.

The web process reads it too. It never loads torch, and so this module imports none.
"""

import base64
import binascii
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from model.errors import InvalidInput

SHORTEST = 60
"""A text of fewer signs is the name of an example: no PNG file is as short."""
MAX_SIDE = 512  # pixels to a side

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, COLOUR, PALETTE, GREY_ALPHA, COLOUR_ALPHA = 0, 2, 3, 4, 6
BYTES = {GREY: 1, COLOUR: 3, PALETTE: 1, GREY_ALPHA: 2, COLOUR_ALPHA: 4}
"""Bytes of a pixel, by its kind."""
OTHERS = {
    b"\xff\xd8\xff": "a JPEG file",
    b"GIF8": "a GIF file",
    b"RIFF": "a WebP file",
    b"BM": "a BMP file",
    b"II*\0": "a TIFF file",
    b"MM\0*": "a TIFF file",
}
"""Files of pictures that are none of PNG, by their first bytes."""

NO_SIGN = re.compile(r"[^A-Za-z0-9+/]")
OF_ADDRESSES = str.maketrans("-_", "+/")


@dataclass(frozen=True)
class Picture:
    """`pixels` are `height` rows of `width` pixels, of three bytes each: red, green and blue."""

    width: int
    height: int
    pixels: bytes


def plain(written: str) -> str:
    """A file in base64 without what may stand around it: the beginning of a data address."""
    return written.strip().removeprefix("data:image/png;base64,").translate(OF_ADDRESSES)


@lru_cache(maxsize=64)
def read_picture(written: str) -> Picture:
    """The picture of a PNG file in base64, also in that of addresses, with - and _. Where it is
    clear, it is white. Raises InvalidInput for what is no such file, and for one that is cut off or
    too large.
    """
    text = plain(written).rstrip("=")
    if wrong := NO_SIGN.search(text):
        raise refused(
            f"The picture has {wrong[0]!r} as sign {wrong.start() + 1}, and base64 has letters,"
            " digits, + and / alone."
        )
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error as error:
        raise refused(cut_off(f"{len(text)} signs of base64 are no bytes")) from error
    return decoded(content)


def decoded(content: bytes) -> Picture:
    """The picture of a PNG file. Raises InvalidInput."""
    if not content.startswith(SIGNATURE):
        other = next((name for first, name in OTHERS.items() if content.startswith(first)), None)
        raise refused(f"The picture is {other or 'no PNG file'}: save it as PNG and send that.")
    parts: dict[bytes, bytes] = {}
    for name, part in chunks(content[len(SIGNATURE) :]):
        parts[name] = parts.get(name, b"") + part
    if len(parts.get(b"IHDR", b"")) != struct.calcsize(">IIBBBBB"):
        raise refused(cut_off("its size is missing"))
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        raise refused(
            f"The picture has {width} × {height} pixels; one of at most {MAX_SIDE} × {MAX_SIDE} is"
            " read: make it smaller."
        )
    if depth != 8 or interlaced or kind not in BYTES:
        raise refused(
            "The PNG file has pixels of another kind than a byte for each colour, or is interlaced:"
            " save it with 8 bits and without interlacing."
        )
    rows = unfiltered(unpacked(parts.get(b"IDAT", b""), height, width * BYTES[kind]), BYTES[kind])
    return Picture(width, height, in_colour(rows, kind, parts))


def chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The name and the content of each chunk up to IEND: its length, its name, what it holds, and a
    checksum. Raises InvalidInput where the file ends before.
    """
    at = 0
    while at + 8 <= len(content):
        length, name = struct.unpack_from(">I4s", content, at)
        part, end = content[at + 8 : at + 8 + length], at + 12 + length
        if end > len(content):
            break
        if zlib.crc32(name + part) != int.from_bytes(content[end - 4 : end]):
            raise refused(cut_off("a checksum does not fit", "damaged"))
        if name == b"IEND":
            return
        yield name, part
        at = end
    raise refused(cut_off("its end is missing"))


def unpacked(packed: bytes, height: int, row: int) -> list[bytes]:
    """The rows, each behind the number of its filter; no byte more than these is unpacked."""
    whole = height * (row + 1)
    try:
        content = zlib.decompressobj().decompress(packed, whole + 1)
    except zlib.error as error:
        raise refused(cut_off("its pixels cannot be unpacked", "damaged")) from error
    if len(content) != whole:
        raise refused(cut_off(f"its rows have {len(content)} bytes, not {whole}", "damaged"))
    return pieces(content, row + 1)


def paeth(left: int, above: int, corner: int) -> int:
    """The neighbour that is nearest to left + above - corner."""
    to_left, to_above = abs(above - corner), abs(left - corner)
    to_corner = abs(left + above - 2 * corner)
    if to_left <= to_above and to_left <= to_corner:
        return left
    return above if to_above <= to_corner else corner


FILTERS: dict[int, Callable[[int, int, int], int]] = {
    0: lambda left, above, corner: 0,
    1: lambda left, above, corner: left,
    2: lambda left, above, corner: above,
    3: lambda left, above, corner: (left + above) // 2,
    4: paeth,
}
"""What was subtracted from a byte, by its neighbours of the same colour."""


def unfiltered(rows: list[bytes], step: int) -> bytes:
    """The bytes of all rows, to which what was subtracted is added again; `step` are the bytes of a
    pixel.
    """
    found = bytearray()
    above = bytes(len(rows[0]) - 1)
    for filter, *row in rows:
        if filter not in FILTERS:
            raise refused(cut_off(f"there is no filter {filter}", "damaged"))
        if filter:
            subtracted = FILTERS[filter]
            for at in range(len(row)):
                left, corner = (row[at - step], above[at - step]) if at >= step else (0, 0)
                row[at] = (row[at] + subtracted(left, above[at], corner)) & 255
        found += (above := bytes(row))
    return bytes(found)


def in_colour(pixels: bytes, kind: int, parts: dict[bytes, bytes]) -> bytes:
    """Three bytes for each pixel. What is clear shows white."""
    if kind == COLOUR:
        return pixels
    if kind == PALETTE:
        colours = pieces(parts.get(b"PLTE", b""), 3)
        if max(pixels) >= len(colours):
            raise refused(cut_off("its palette is missing", "damaged"))
        return bytes(one for pixel in pixels for one in colours[pixel])
    several = pieces(pixels, BYTES[kind])
    if kind in (GREY, GREY_ALPHA):
        several = [pixel[:1] * 3 + pixel[1:] for pixel in several]
    if kind == GREY:
        return b"".join(several)
    return bytes(
        (one * alpha + 255 * (255 - alpha) + 127) // 255
        for *colours, alpha in several
        for one in colours
    )


def encoded(picture: Picture) -> str:
    """A picture as a PNG file in base64."""
    size = struct.pack(">IIBBBBB", picture.width, picture.height, 8, COLOUR, 0, 0, 0)
    rows = b"".join(b"\0" + one for one in pieces(picture.pixels, 3 * picture.width))
    content = SIGNATURE
    for name, part in ((b"IHDR", size), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")):
        content += struct.pack(">I", len(part)) + name + part
        content += struct.pack(">I", zlib.crc32(name + part))
    return base64.b64encode(content).decode()


def pieces(content: bytes, size: int) -> list[bytes]:
    return [content[at : at + size] for at in range(0, len(content), size)]


def cut_off(why: str, what: str = "cut off") -> str:
    return f"The PNG file is {what}: {why}. Save it again and send all of it."


def refused(sentence: str) -> InvalidInput:
    return InvalidInput(sentence, field="image")
