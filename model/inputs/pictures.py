"""Pictures as tokens of other people's models: pixels are scaled to the side that the model reads,
become numbers as its folder says, and are cut into patches with [CLS] in front.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, UInt8
from torch import Tensor
from torch.nn.functional import interpolate

from model.inputs.images import PatchTokenizer
from model.inputs.picture_files import SHORTEST, plain, read_picture


@dataclass(frozen=True)
class PictureTokenizer(PatchTokenizer):
    """The tokenizer of a model of pictures: how they are scaled, and the number of a pixel, which
    is (byte factor - mean) / std, with a mean and a std for each colour.
    """

    encoding: ClassVar[str] = "picture"  # its name on a card

    colours: int
    resample: str
    factor: float
    mean: tuple[float, ...]
    std: tuple[float, ...]

    def is_image(self, written: str) -> bool:
        return len(written.strip()) >= SHORTEST

    def rewritten(self, image: str) -> str:
        read_picture(image)
        return plain(image)

    def pixels(self, image: str) -> UInt8[Tensor, "colour row column"]:
        """The bytes of a picture, scaled to the square that the model reads. Raises
        InvalidInput.
        """
        read = read_picture(image)
        rows = torch.frombuffer(bytearray(read.pixels), dtype=torch.uint8)
        picture = rows.unflatten(0, (read.height, read.width, 3)).permute(2, 0, 1)
        if self.colours == 1:
            picture = luminance(picture)
        sides = (self.image_side, self.image_side)
        if picture.shape[1:] == sides:
            return picture
        smooth = self.resample in ("bilinear", "bicubic")
        scaled = interpolate(
            picture[None].contiguous(), sides, mode=self.resample, antialias=smooth
        )
        return scaled[0]

    def numbers(self, image: str) -> Float[Tensor, "colour row column"]:
        mean, std = (torch.tensor(each)[:, None, None] for each in (self.mean, self.std))
        return (self.pixels(image) * self.factor - mean) / std


def luminance(picture: UInt8[Tensor, "3 row column"]) -> UInt8[Tensor, "1 row column"]:
    """The grey of each pixel, to the byte as Pillow makes it: 0.299 red + 0.587 green + 0.114 blue
    (ITU-R BT.601), in parts of 65,536.
    """
    parts = torch.tensor([19_595, 38_470, 7_471])[:, None, None]
    return ((picture * parts).sum(0, keepdim=True) + 32_768 >> 16).to(torch.uint8)
