"""Images as tokens: an image with gray values from 0 (paper) to 1 (ink) is split into square
patches, preceded by [CLS].
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
    `id` is its number in row-major order, from 1. [CLS] has the id 0 and no row or column.
    """

    text: str
    id: int
    special: bool
    row: int | None
    column: int | None


CLS = Patch("[CLS]", 0, True, None, None)

SIGNS = "0123456789abcdefg"
"""One character for each gray value 0/16, 1/16, … 16/16 of scikit-learn's digits: an image can be
written with one character per pixel.
"""


@dataclass(frozen=True)
class PatchTokenizer(ClassLabels):
    """The tokenizer of an image model: the sides of the image and of a patch in pixels, and the
    classes.
    """

    encoding: ClassVar[str] = "patches"  # its name in a card

    image_side: int
    patch_side: int
    classes: tuple[str, ...]

    @classmethod
    def load(cls, path: Path) -> "PatchTokenizer":
        fields = json.loads(path.read_text(encoding="utf-8"))
        fields["classes"] = tuple(fields["classes"])
        return cls(**fields)

    def encode(self) -> list[Patch]:
        """The tokens of an image; all images have the same ones."""
        return [CLS, *patches(self.image_side // self.patch_side)]

    def is_image(self, text: str) -> bool:
        """Whether a text is an image rather than the name of an example."""
        return "," in text or len(text.strip()) == self.image_side**2

    def rewritten(self, image: str) -> str:
        """An image in canonical form."""
        return image_text(self.read(image))

    def numbers(self, image: str) -> Float[Tensor, "colour row column"]:
        """The numbers that the network reads. Raises InvalidInput."""
        return torch.tensor([self.read(image)])

    def read(self, image: str) -> list[list[float]]:
        """The gray values [row][column] of an image written as comma-separated numbers, or as one
        character per pixel (SIGNS). Raises InvalidInput otherwise.
        """
        side, parts = self.image_side, numbers(image.strip())
        if len(parts) != side**2:
            raise InvalidInput(
                "image-of-another-size", field="image", limit=side**2, given=len(parts), side=side
            )
        values = [grey(part, n // side + 1, n % side + 1) for n, part in enumerate(parts)]
        return [values[start : start + side] for start in range(0, side**2, side)]


def patches(side: int) -> list[Patch]:
    """The tokens of a grid of `side` x `side` patches."""
    places = [(row, column) for row in range(1, side + 1) for column in range(1, side + 1)]
    return [
        Patch(f"{row},{column}", id, False, row, column)
        for id, (row, column) in enumerate(places, start=1)
    ]


def numbers(image: str) -> list[str]:
    """The comma-separated parts of `image`. Without commas, the number for each character; unknown
    characters are left unchanged.
    """
    if "," in image:
        return image.split(",")
    return [str(SIGNS.index(sign) / (len(SIGNS) - 1)) if sign in SIGNS else sign for sign in image]


def grey(text: str, row: int, column: int) -> float:
    """The gray value `text`. Raises InvalidInput with its position if it is not a number from 0 to
    1.
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
    """The gray values of an image as text, which `PatchTokenizer.read` reads."""
    return ",".join(repr(value).removesuffix(".0") for row in rows for value in row)
