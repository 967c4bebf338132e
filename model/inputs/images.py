"""Images as tokens: an image of grey values from 0 (paper) to 1 (ink) is cut into square patches,
with [CLS] in front of them.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from model.errors import InvalidInput
from model.inputs.class_labels import ClassLabels


@dataclass(frozen=True)
class Patch:
    """One patch as a token. `text` is its label, `row,column` on the grid, both counted from 1;
    `id` is its number, counted row by row from 1. [CLS] has the id 0 and no row or column.
    """

    text: str
    id: int
    special: bool
    row: int | None
    column: int | None


CLS = Patch("[CLS]", 0, True, None, None)

SIGNS = "0123456789abcdefg"
"""One sign for each of the grey values 0/16, 1/16, … 16/16, which are those of scikit-learn's
digits: an image can be written with one sign for each pixel.
"""


@dataclass(frozen=True)
class PatchTokenizer(ClassLabels):
    """The tokenizer of a model of images: the sides of the image and of a patch in pixels, and the
    classes.
    """

    encoding: ClassVar[str] = "patches"  # its name on a card

    image_side: int
    patch_side: int
    classes: tuple[str, ...]

    @classmethod
    def load(cls, path: Path) -> "PatchTokenizer":
        fields = json.loads(path.read_text(encoding="utf-8"))
        fields["classes"] = tuple(fields["classes"])
        return cls(**fields)

    def encode(self) -> list[Patch]:
        """The tokens of an image, which are the same for every image."""
        return [CLS, *patches(self.image_side // self.patch_side)]

    def is_image(self, text: str) -> bool:
        """Whether a text is an image, and not the name of an example."""
        return "," in text or len(text.strip()) == self.image_side**2

    def rewritten(self, image: str) -> str:
        """An image in the form that every run of it has."""
        return image_text(self.read(image))

    def numbers(self, image: str) -> Float[Tensor, "colour row column"]:
        """What the network is given of an image. Raises InvalidInput."""
        return torch.tensor([self.read(image)])

    def read(self, image: str) -> list[list[float]]:
        """The grey values [row][column] of an image that is written as numbers with commas between
        them, or as one sign for each pixel (SIGNS). Raises InvalidInput for anything else.
        """
        side, parts = self.image_side, numbers(image.strip())
        if len(parts) != side**2:
            raise InvalidInput(
                "image-of-another-size", field="image", limit=side**2, given=len(parts), side=side
            )
        values = [grey(part, n // side + 1, n % side + 1) for n, part in enumerate(parts)]
        return [values[start : start + side] for start in range(0, side**2, side)]


def patches(side: int) -> list[Patch]:
    """The tokens of `side` rows of `side` patches."""
    places = [(row, column) for row in range(1, side + 1) for column in range(1, side + 1)]
    return [
        Patch(f"{row},{column}", id, False, row, column)
        for id, (row, column) in enumerate(places, start=1)
    ]


def numbers(image: str) -> list[str]:
    """The parts of `image` between its commas. Without commas, the number of each sign; a character
    that is no sign stays as it is.
    """
    if "," in image:
        return image.split(",")
    return [str(SIGNS.index(sign) / (len(SIGNS) - 1)) if sign in SIGNS else sign for sign in image]


def grey(text: str, row: int, column: int) -> float:
    """The grey value `text`. Raises InvalidInput, which names its place, if it is no number from
    0 to 1.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise InvalidInput(
            "ink-is-16" if 1 < value <= 16 else "no-grey-value",
            field="image",
            limit=1,
            given=text[:20],
            written=text.strip()[:20],
            row=row,
            column=column,
        )
    return value


def image_text(rows: list[list[float]]) -> str:
    """The grey values of an image as text, which `PatchTokenizer.read` reads."""
    return ",".join(repr(value).removesuffix(".0") for row in rows for value in row)
