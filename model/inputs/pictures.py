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
from model.inputs.picture_text import SHORTEST, read_picture


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
        return read_picture(image, self.colours).text

    def pixels(self, image: str) -> UInt8[Tensor, "colour row column"]:
        """The bytes of a picture at the side that the model reads. Raises InvalidInput."""
        read = read_picture(image, self.colours)
        rows = torch.frombuffer(bytearray(read.pixels), dtype=torch.uint8)
        picture = rows.unflatten(0, (read.side, read.side, self.colours)).permute(2, 0, 1)
        if read.side == self.image_side:
            return picture
        sides = (self.image_side, self.image_side)
        smooth = self.resample in ("bilinear", "bicubic")
        return interpolate(picture[None].contiguous(), sides, mode=self.resample, antialias=smooth)[
            0
        ]

    def numbers(self, image: str) -> Float[Tensor, "colour row column"]:
        mean, std = (torch.tensor(each)[:, None, None] for each in (self.mean, self.std))
        return (self.pixels(image) * self.factor - mean) / std
