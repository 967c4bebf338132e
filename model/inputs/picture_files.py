"""Pictures as base64 files in a URL: PNG, JPEG, and WebP, read with Pillow.

Pictures are untrusted, so their size is checked before the pixels are read. The web process imports
this module and must never load torch, so this module doesn't import it.
"""

import base64
import binascii
import re
import warnings
from functools import lru_cache
from io import BytesIO

from PIL import Image
from PIL.ImageFile import ImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

from model.errors import InvalidInput

SHORTEST = 60
"""A shorter text is the name of an example: no picture file is that short."""
MAX_SIDE = 512  # pixels
MAX_SCANS = 64
"""A progressive JPEG file has about ten scans, and each one updates all pixels."""

READERS: dict[bytes, type[ImageFile]] = {
    b"\x89PNG\r\n\x1a\n": PngImageFile,
    b"\xff\xd8\xff": JpegImageFile,
    b"RIFF": WebPImageFile,
}
"""The reader of a file, by its first bytes."""
MODES = {"L", "LA", "P", "RGB", "RGBA"}
"""Gray, color, and palette modes with one byte per channel, as named by Pillow; A is opacity."""
SCAN = b"\xff\xda"

NO_SIGN = re.compile(r"[^A-Za-z0-9+/]")
OF_ADDRESSES = str.maketrans("-_", "+/")
DATA_ADDRESS = re.compile(r"^data:image/(png|jpeg|webp);base64,")

warnings.filterwarnings("ignore", module=r"PIL\.")  # one file can cause thousands of log entries


def plain(source: str) -> str:
    """A base64 file without the prefix of a data URL."""
    return DATA_ADDRESS.sub("", source.strip()).translate(OF_ADDRESSES)


@lru_cache(maxsize=8)
def read_picture(source: str) -> Image.Image:
    """The first frame of a base64 file in RGB, with transparent pixels white; the URL-safe
    characters - and _ are accepted. Raises InvalidInput for anything else, and for a file that is
    truncated or too large.
    """
    text = plain(source).rstrip("=")
    if wrong := NO_SIGN.search(text):
        raise InvalidInput("not-base64", field="image", sign=wrong[0], place=wrong.start() + 1)
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error as error:
        raise InvalidInput("picture-damaged", field="image") from error
    reader = next((READERS[first] for first in READERS if content.startswith(first)), None)
    if reader is None:
        raise InvalidInput("picture-of-another-kind", field="image")
    try:
        image = reader(BytesIO(content))
        check_readable(image, content)
        image.verify()  # checks checksums, which reading pixels does not
        return on_white(reader(BytesIO(content)))
    except InvalidInput:
        raise
    except Exception as error:  # invalid files cause many kinds of errors
        raise InvalidInput("picture-damaged", field="image") from error


def check_readable(image: ImageFile, content: bytes) -> None:
    """Raises InvalidInput for a picture whose pixels should not be read."""
    width, height = image.size
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        raise InvalidInput(
            "picture-too-large", field="image", width=width, height=height, most=MAX_SIDE
        )
    stored = image.tile[0].args if image.format == "PNG" and image.tile else image.mode
    if stored not in MODES or image.info.get("interlace"):
        raise InvalidInput("pixels-of-another-kind", field="image")
    if image.format == "JPEG" and content.count(SCAN) > MAX_SCANS:
        raise InvalidInput("too-many-scans", field="image", most=MAX_SCANS)


def on_white(image: ImageFile) -> Image.Image:
    """The picture in RGB, on a white background."""
    colours = len(image.palette.palette) // 3 if image.palette else 0
    if image.mode == "P" and max(image.tobytes()) >= colours:
        raise InvalidInput("picture-damaged", field="image")
    picture = Image.new("RGB", image.size, "white")
    dense = image.getchannel("A") if "A" in image.getbands() else None
    picture.paste(image.convert("RGB"), mask=dense)
    return picture


def encoded(picture: Image.Image) -> str:
    """A picture as a base64 PNG."""
    file = BytesIO()
    picture.save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()
