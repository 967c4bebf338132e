"""Pictures as files in base64, which an address can carry: PNG, JPEG and WebP, read by Pillow.

Anybody may send one, and so its size is read before its pixels are. The web process reads it too.
It never loads torch, and so this module imports none.
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
"""A text of fewer signs is the name of an example: no file of a picture is as short."""
MAX_SIDE = 512  # pixels to a side
MAX_SCANS = 64
"""A progressive JPEG file has about ten scans, and each goes over all pixels."""

READERS: dict[bytes, type[ImageFile]] = {
    b"\x89PNG\r\n\x1a\n": PngImageFile,
    b"\xff\xd8\xff": JpegImageFile,
    b"RIFF": WebPImageFile,
}
"""What reads a file, by its first bytes."""
MODES = {"L", "LA", "P", "RGB", "RGBA"}
"""Greys, colours and palettes of a byte each, as Pillow names them; A is how dense a pixel is."""
SCAN = b"\xff\xda"

NO_SIGN = re.compile(r"[^A-Za-z0-9+/]")
OF_ADDRESSES = str.maketrans("-_", "+/")
DATA_ADDRESS = re.compile(r"^data:image/(png|jpeg|webp);base64,")

warnings.filterwarnings("ignore", module=r"PIL\.")  # one file can give thousands to the log


def plain(source: str) -> str:
    """A file in base64 without what may stand around it: the beginning of a data address."""
    return DATA_ADDRESS.sub("", source.strip()).translate(OF_ADDRESSES)


@lru_cache(maxsize=8)
def read_picture(source: str) -> Image.Image:
    """The picture of a file in base64, also in that of addresses, with - and _, in red, green and
    blue: its first frame, as its rows stand in the file. Where it is clear, it is white. Raises
    InvalidInput for what is no such file, and for one that is cut off or too large.
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
        image.verify()  # checksums, which are not looked at where pixels are read
        return on_white(reader(BytesIO(content)))
    except InvalidInput:
        raise
    except Exception as error:  # of as many kinds as there are ways to write a file wrong
        raise InvalidInput("picture-damaged", field="image") from error


def check_readable(image: ImageFile, content: bytes) -> None:
    """Raises InvalidInput for a picture of which no pixel should be read."""
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
    """The picture in red, green and blue. What is clear shows white."""
    colours = len(image.palette.palette) // 3 if image.palette else 0
    if image.mode == "P" and max(image.tobytes()) >= colours:
        raise InvalidInput("picture-damaged", field="image")
    picture = Image.new("RGB", image.size, "white")
    dense = image.getchannel("A") if "A" in image.getbands() else None
    picture.paste(image.convert("RGB"), mask=dense)
    return picture


def encoded(picture: Image.Image) -> str:
    """A picture as a PNG file in base64."""
    file = BytesIO()
    picture.save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()
