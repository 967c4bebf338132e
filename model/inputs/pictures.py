"""Pictures as tokens of external models: resized, normalized as the folder specifies, and split
into patches preceded by [CLS].
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
    """The tokenizer of an image model: how pictures are resized, and the value of a pixel, (byte
    factor - mean) / std, with a mean and std per color channel.
    """

    encoding: ClassVar[str] = "picture"  # its name in a card

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
        """The bytes of a picture resized to the model's square input. Raises InvalidInput."""
        picture, sides = read_picture(image), (self.image_side, self.image_side)
        if self.colours == 1:
            picture = picture.convert("L")  # 0.299 red + 0.587 green + 0.114 blue (ITU-R BT.601)
        scaled = picture.resize(sides, Image.Resampling[self.resample.split("-")[0].upper()])
        rows = torch.frombuffer(bytearray(scaled.tobytes()), dtype=torch.uint8)
        return rows.unflatten(0, (*sides, self.colours)).permute(2, 0, 1)

    def numbers(self, image: str) -> Float[Tensor, "colour row column"]:
        mean, std = (torch.tensor(each)[:, None, None] for each in (self.mean, self.std))
        return (self.pixels(image) * self.factor - mean) / std
