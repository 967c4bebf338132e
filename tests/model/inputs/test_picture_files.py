"""PNG, JPEG and WebP files are read as they were written, whatever their filters, and what is no
whole file, or a large one, is refused in a sentence before its pixels are unpacked.
"""

import base64
import struct
import zlib
from collections.abc import Callable
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from model.errors import InvalidInput
from model.inputs.drawn_pictures import SHAPES, drawn_picture
from model.inputs.picture_files import MAX_SCANS, MAX_SIDE, SCAN, encoded, read_picture

DAMAGED = "The image file is truncated or damaged: save it again."
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def nearest(left: int, above: int, corner: int) -> int:
    """The first of the three that is nearest to their prediction (ISO/IEC 15948, 9.4)."""
    return min((left, above, corner), key=lambda value: abs(left + above - corner - value))


PREDICTED: list[Callable[[int, int, int], int]] = [
    lambda left, above, corner: 0,
    lambda left, above, corner: left,
    lambda left, above, corner: above,
    lambda left, above, corner: (left + above) // 2,
    nearest,
]


def file_of(parts: dict[bytes, bytes]) -> bytes:
    content = SIGNATURE
    for name, part in parts.items():
        content += struct.pack(">I", len(part)) + name + part
        content += struct.pack(">I", zlib.crc32(name + part))
    return content


def parts_of(
    width: int, height: int, rows: bytes, depth: int = 8, kind: int = 2, interlaced: int = 0
) -> dict:
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlaced)
    return {b"IHDR": header, b"IDAT": zlib.compress(rows), b"IEND": b""}


def text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def png(*size_and_rows, **how) -> str:
    return text(file_of(parts_of(*size_and_rows, **how)))


@pytest.mark.parametrize("filter", range(5))
@pytest.mark.parametrize(("kind", "channels"), [(0, 1), (2, 3), (4, 2), (6, 4)])
def test_what_a_filter_has_subtracted_is_added_again_and_what_is_clear_is_white(
    filter: int, kind: int, channels: int
):
    pixels = np.random.default_rng(filter).integers(0, 256, (5, 7, channels))
    padded = np.pad(pixels, ((1, 0), (1, 0), (0, 0)))
    sides = padded[1:, :-1].ravel(), padded[:-1, 1:].ravel(), padded[:-1, :-1].ravel()
    predicted = [PREDICTED[filter](*map(int, three)) for three in zip(*sides, strict=True)]
    left = (pixels - np.reshape(predicted, pixels.shape)) % 256
    rows = b"".join(bytes([filter, *row]) for row in left.reshape(5, -1).tolist())
    colours, alpha = np.split(pixels, [3 if channels > 2 else 1], axis=2)
    alpha = alpha if alpha.size else 255
    on_white = np.floor((colours * alpha + 255 * (255 - alpha)) / 255 + 0.5)
    read = read_picture(png(7, 5, rows, kind=kind))
    assert np.asarray(read).tolist() == np.broadcast_to(on_white, (5, 7, 3)).tolist()


def test_a_palette_is_looked_up():
    parts = parts_of(2, 1, b"\0\1\0", kind=3)
    whole = {b"IHDR": parts[b"IHDR"], b"PLTE": b"\1\2\3\4\5\6", **parts}
    assert read_picture(text(file_of(whole))).tobytes() == b"\4\5\6\1\2\3"
    with pytest.raises(InvalidInput, match=DAMAGED):
        read_picture(text(file_of(parts)))


def saved(pixels: np.ndarray | Image.Image, format: str, **how) -> bytes:
    """A picture, or its bytes [row, column, colour], as a file."""
    picture = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)
    file = BytesIO()
    picture.save(file, format, **how)
    return file.getvalue()


@pytest.mark.parametrize(
    ("format", "how", "off"),
    [
        ("WEBP", {"lossless": True}, 0),
        ("WEBP", {"quality": 95}, 16),
        ("JPEG", {"quality": 95, "subsampling": 0}, 8),
        ("JPEG", {"quality": 95, "subsampling": 0, "progressive": True}, 8),
    ],
)
def test_a_jpeg_and_a_webp_file_are_read_within_what_they_lose(format: str, how: dict, off: int):
    rows, columns = np.mgrid[:20, :30]
    pixels = np.stack([rows * 12, columns * 8, 255 - rows * 5 - columns * 3], 2).astype(np.uint8)
    content = saved(pixels, format, **how)
    read = read_picture(f"data:image/{format.lower()};base64,{text(content)}")
    assert read.size == (30, 20)
    assert np.abs(np.asarray(read).astype(int) - pixels).max() <= off
    with pytest.raises(InvalidInput, match=DAMAGED):
        read_picture(text(content[: len(content) // 2]))


def test_what_is_clear_in_a_webp_file_is_white():
    pixels = np.array([[[9, 8, 7, 0], [9, 8, 7, 255]]], np.uint8)
    read = read_picture(text(saved(pixels, "WEBP", lossless=True)))
    assert read.tobytes() == bytes([255, 255, 255, 9, 8, 7])


WHOLE = file_of(parts_of(2, 2, bytes(14)))
IDAT = WHOLE.index(b"IDAT")
FLAT = np.zeros((MAX_SIDE, MAX_SIDE + 1, 3), np.uint8)
SCANS = saved(FLAT[:8, :8], "JPEG", progressive=True)
LAST = SCANS[SCANS.rindex(SCAN) : -2]
REFUSED = {
    "a sign": ("Character 5 of the image is '!'", "iVBO!" + "A" * 60),
    "GIF": ("The image is not PNG, JPEG or WebP: convert it first.", text(b"GIF89a" + bytes(80))),
    "half a sign": (DAMAGED, text(WHOLE)[:85]),
    "no end": (DAMAGED, text(WHOLE[:-12])),
    "cut in its pixels": (DAMAGED, text(WHOLE[: IDAT + 9])),
    "checksum": (DAMAGED, text(WHOLE.replace(b"IDAT", b"IDAt"))),
    "checksum of pixels": (DAMAGED, text(WHOLE[:-16] + b"\0\1\2\3" + WHOLE[-12:])),
    "4 GB": (DAMAGED, text(WHOLE[: IDAT - 4] + b"\xff" * 4 + WHOLE[IDAT:])),
    "no size": (DAMAGED, text(file_of({b"IEND": b""}))),
    "no pixels": (DAMAGED, text(WHOLE[: IDAT - 4] + WHOLE[-12:])),
    "too wide": (f"has {MAX_SIDE + 1} × 1 pixels", png(MAX_SIDE + 1, 1, b"")),
    "very wide": (f"has {2**31} × 1 pixels", png(2**31, 1, b"")),
    "too wide as JPEG": (f"has {MAX_SIDE + 1} × {MAX_SIDE}", text(saved(FLAT, "JPEG"))),
    "too wide as WebP": (f"has {MAX_SIDE + 1} × {MAX_SIDE}", text(saved(FLAT, "WEBP"))),
    "no width": (DAMAGED, png(0, 1, b"")),
    "16 bits": ("with 8 bits", png(1, 1, bytes(7), depth=16)),
    "a bit": ("with 8 bits", png(1, 1, bytes(2), depth=1, kind=0)),
    "interlaced": ("not interlaced", png(1, 1, bytes(4), interlaced=1)),
    "four inks": (
        "The image’s pixel format is not supported: save it with",
        text(saved(Image.new("CMYK", (1, 1)), "JPEG")),
    ),
    "no deflate": (DAMAGED, text(file_of(parts_of(2, 2, b"") | {b"IDAT": b"no"}))),
    "no filter": (DAMAGED, png(1, 1, b"\x09\0\0\0")),
    "scans": (f"more than {MAX_SCANS} scans", text(SCANS[:-2] + LAST * MAX_SCANS + SCANS[-2:])),
}


@pytest.mark.parametrize(("sentence", "image"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_whole_picture_is_refused_in_a_sentence(sentence: str, image: str):
    with pytest.raises(InvalidInput) as error:
        read_picture(image)
    assert sentence in str(error.value)
    assert error.value.field == "image"


def test_of_pixels_that_say_they_are_many_only_those_of_the_picture_are_unpacked():
    read = read_picture(png(2, 2, bytes(50_000_000)))
    assert read.tobytes() == bytes(12)


def test_the_forms_of_base64_are_one_picture():
    plain = encoded(Image.frombytes("RGB", (2, 1), b"\xfb\xef\xbe\xff\xff\xff"))
    for form in (
        plain.rstrip("="),
        plain.replace("+", "-").replace("/", "_"),
        f" data:image/png;base64,{plain}\n",
    ):
        assert read_picture(form).tobytes() == b"\xfb\xef\xbe\xff\xff\xff"


@pytest.mark.parametrize("name", SHAPES)
def test_a_drawn_shape_is_in_its_colour_on_white(name: str):
    ink, shape = SHAPES[name]
    pixels = np.asarray(read_picture(drawn_picture(name, 224)))
    middles = (np.arange(32) + 0.5) / 16 - 1
    inside = np.array([[shape(x, y) for x in middles] for y in middles])
    assert (np.abs(pixels[inside].astype(int) - ink).max(-1) < 128).all()
    assert {tuple(pixel) for pixel in pixels.reshape(-1, 3).tolist()} >= {ink, (255, 255, 255)}
