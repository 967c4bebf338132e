"""Pictures as tokens of other people's models: pixels are scaled to the side that the model reads,
become numbers as its folder says, and are cut into patches with [CLS] in front.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, UInt8
from PIL import Image
from torch import Tensor

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

    def is_image(self, text: str) -> bool:
        return len(text.strip()) >= SHORTEST

    def rewritten(self, image: str) -> str:
        read_picture(image)
        return plain(image)

    def pixels(self, image: str) -> UInt8[Tensor, "colour row column"]:
        """The bytes of a picture, scaled to the square that the model reads. Raises
        InvalidInput.
        """
        picture, sides = read_picture(image), (self.image_side, self.image_side)
        if self.colours == 1:
            picture = picture.convert("L")  # 0.299 red + 0.587 green + 0.114 blue (ITU-R BT.601)
        scaled = picture.resize(sides, Image.Resampling[self.resample.split("-")[0].upper()])
        rows = torch.frombuffer(bytearray(scaled.tobytes()), dtype=torch.uint8)
        return rows.unflatten(0, (*sides, self.colours)).permute(2, 0, 1)

    def numbers(self, image: str) -> Float[Tensor, "colour row column"]:
        mean, std = (torch.tensor(each)[:, None, None] for each in (self.mean, self.std))
        return (self.pixels(image) * self.factor - mean) / std
