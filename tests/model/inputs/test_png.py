"""PNG files are read as Pillow wrote them, whatever their filters, and what is no whole file is
refused in a sentence before its pixels are unpacked.
"""

import base64
import struct
import zlib
from collections.abc import Callable

import numpy as np
import pytest

from model.errors import InvalidInput
from model.inputs.drawn_pictures import SHAPES, drawn_picture
from model.inputs.png import MAX_SIDE, SIGNATURE, Picture, encoded, read_picture

HEIGHT, WIDTH = 4, 5
WRITTEN = {
    "L": (
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAECAAAAABjWKqcAAAAIElEQVR4nGNkEBQUFGTiVHflVGeStvwrbcmi+1FQ"
        "4SMAJDsE2DMqMsYAAAAASUVORK5CYII="
    ),
    "LA": (
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAECAQAAADsOj3LAAAAL0lEQVR4nGNk0BCEAiZOTnV1V1dOTnV1JmlpS8u/"
        "f6WlLS1ZdHU/fhQUVFD4+BEAihoJzmfKDXcAAAAASUVORK5CYII="
    ),
    "RGB": (
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAECAIAAADJUWIXAAAAN0lEQVR4nGNk0AgQRAJMnJyc6urqrq6uEAaTtLS0"
        "paXl379/IQwWXV3djx8/CgoKKigofPz4EQA60g7sPHOr0AAAAABJRU5ErkJggg=="
    ),
    "RGBA": (
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAECAYAAABGM/VAAAAAQ0lEQVR4nGNk0AioEEQDTJycnJzq6urqrq6urjA2"
        "k7S0tLSlpaXl379//8LYLLq6urofP378KCgoKKigoKDw8ePHjwA/ZBQySgqQzgAAAABJRU5ErkJggg=="
    ),
}
"""By its mode a picture that Pillow 13 wrote; `byte` says its bytes."""


def byte(row: np.ndarray, column: np.ndarray, which: np.ndarray) -> np.ndarray:
    return (row * row * 9 + column * 17 + which * 40 + row * column % 3 * 30) % 256


@pytest.mark.parametrize("mode", WRITTEN)
def test_a_file_of_pillow_is_read_to_the_byte_and_what_is_clear_is_white(mode: str):
    given = np.fromfunction(byte, (HEIGHT, WIDTH, len(mode)))
    colours, alpha = given, np.full((HEIGHT, WIDTH, 1), 255.0)
    if mode.endswith("A"):
        colours, alpha = given[..., :-1], given[..., -1:]
    colours = np.broadcast_to(colours, (HEIGHT, WIDTH, 3))
    on_white = np.floor((colours * alpha + 255 * (255 - alpha)) / 255 + 0.5)
    read = read_picture(WRITTEN[mode])
    assert (read.width, read.height) == (WIDTH, HEIGHT)
    assert list(read.pixels) == on_white.ravel().tolist()


def nearest(left: int, above: int, corner: int) -> int:
    """The first of the three that is nearest to their prediction (ISO/IEC 15948, 9.4)."""
    return min((left, above, corner), key=lambda one: abs(left + above - corner - one))


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


def parts_of(width: int, height: int, rows: bytes, *, depth: int = 8, kind: int = 2) -> dict:
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    return {b"IHDR": header, b"IDAT": zlib.compress(rows), b"IEND": b""}


def text(content: bytes) -> str:
    return base64.b64encode(content).decode()


@pytest.mark.parametrize("filter", range(5))
def test_what_a_filter_has_subtracted_is_added_again(filter: int):
    given = np.random.default_rng(filter).integers(0, 256, (5, 7, 3))
    padded = np.pad(given, ((1, 0), (1, 0), (0, 0)))
    sides = padded[1:, :-1].ravel(), padded[:-1, 1:].ravel(), padded[:-1, :-1].ravel()
    predicted = [PREDICTED[filter](*map(int, three)) for three in zip(*sides, strict=True)]
    left = (given - np.reshape(predicted, given.shape)) % 256
    rows = b"".join(bytes([filter, *row]) for row in left.reshape(5, -1).tolist())
    assert read_picture(text(file_of(parts_of(7, 5, rows)))).pixels == bytes(given.ravel().tolist())


def test_a_palette_is_looked_up():
    parts = parts_of(2, 1, b"\0\1\0", kind=3)
    whole = {b"IHDR": parts[b"IHDR"], b"PLTE": b"\1\2\3\4\5\6", **parts}
    assert read_picture(text(file_of(whole))).pixels == b"\4\5\6\1\2\3"
    with pytest.raises(InvalidInput, match="its palette is missing"):
        read_picture(text(file_of(parts)))


WHOLE = file_of(parts_of(2, 2, bytes(14)))
REFUSED = {
    "has '!' as sign 5": "iVBO!" + "A" * 60,
    "is a JPEG file: save it as PNG": text(b"\xff\xd8\xff\xe0" + bytes(80)),
    "is no PNG file": text(bytes(80)),
    "is cut off: 85 signs": text(WHOLE)[:85],
    "is cut off: its end is missing": text(WHOLE[:-12]),
    "a checksum does not fit": text(WHOLE.replace(b"IDAT", b"IDAt")),
    "its size is missing": text(file_of({b"IEND": b""})),
    f"has {MAX_SIDE + 1} × 1 pixels": text(file_of(parts_of(MAX_SIDE + 1, 1, b""))),
    "has 0 × 1 pixels": text(file_of(parts_of(0, 1, b""))),
    "with 8 bits and without interlacing": text(file_of(parts_of(1, 1, bytes(7), depth=16))),
    "its rows have 13 bytes, not 14": text(file_of(parts_of(2, 2, bytes(13)))),
    "its rows have 15 bytes, not 14": text(file_of(parts_of(2, 2, bytes(9_999_999)))),
    "its pixels cannot be unpacked": text(file_of(parts_of(2, 2, b"") | {b"IDAT": b"no"})),
    "there is no filter 9": text(file_of(parts_of(1, 1, b"\x09\0\0\0"))),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_is_no_whole_png_is_refused_in_a_sentence(sentence: str):
    with pytest.raises(InvalidInput) as error:
        read_picture(REFUSED[sentence])
    assert sentence in str(error.value)
    assert error.value.field == "image"


def test_the_forms_of_base64_are_one_picture():
    plain = encoded(Picture(2, 1, b"\xfb\xef\xbe\xff\xff\xff"))
    for form in (
        plain.rstrip("="),
        plain.replace("+", "-").replace("/", "_"),
        f" data:image/png;base64,{plain}\n",
    ):
        assert read_picture(form).pixels == b"\xfb\xef\xbe\xff\xff\xff"


@pytest.mark.parametrize("name", SHAPES)
def test_a_drawn_shape_is_in_its_colour_on_white(name: str):
    ink, shape = SHAPES[name]
    read = read_picture(drawn_picture(name, 224))
    pixels = np.frombuffer(read.pixels, np.uint8).reshape(read.height, read.width, 3)
    middles = (np.arange(32) + 0.5) / 16 - 1
    inside = np.array([[shape(x, y) for x in middles] for y in middles])
    assert (np.abs(pixels[inside].astype(int) - ink).max(-1) < 128).all()
    assert {tuple(one) for one in pixels.reshape(-1, 3).tolist()} >= {ink, (255, 255, 255)}
