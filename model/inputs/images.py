"""Images as tokens: grey values from 0 (paper) to 1 (ink), row by row, cut into square patches,
with [CLS] in front.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from model.errors import InvalidInput
from model.inputs.class_labels import Classes


@dataclass(frozen=True)
class Patch:
    """`text` is the label, row and column on the grid, both counted from 1; `id` its number row by
    row, also from 1. [CLS] is 0.
    """

    text: str
    id: int
    special: bool
    row: int | None
    column: int | None


CLS = Patch("[CLS]", 0, True, None, None)

SIGNS = "0123456789abcdefg"
"""Sixteenths of ink from 0 to 1, as scikit-learn's digits have them: an image in as many signs as
it has pixels.
"""


@dataclass(frozen=True)
class PatchTokenizer(Classes):
    """How a model cuts an image, in pixels, and what it can say of one."""

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
        """The tokens of an image: the same of every image."""
        return [CLS, *patches(self.image_side // self.patch_side)]

    def read(self, image: str) -> list[list[float]]:
        """The rows of an image whose numbers stand with commas between them, or which has a sign
        for each pixel (SIGNS).

        Raises InvalidInput for what is no such image.
        """
        side, parts = self.image_side, numbers(image.strip())
        if len(parts) != side**2:
            sentence = (
                f"The image has {len(parts)} grey values; this model reads {side} x {side} ="
                f" {side**2}."
            )
            raise InvalidInput(sentence, field="image", limit=side**2, given=len(parts))
        values = [
            grey(part, f"row {n // side + 1}, column {n % side + 1}")
            for n, part in enumerate(parts)
        ]
        return [values[start : start + side] for start in range(0, side**2, side)]


def patches(side: int) -> list[Patch]:
    """`side` rows of `side` patches."""
    places = [(row, column) for row in range(1, side + 1) for column in range(1, side + 1)]
    return [
        Patch(f"{row},{column}", id, False, row, column)
        for id, (row, column) in enumerate(places, start=1)
    ]


def numbers(image: str) -> list[str]:
    """What stands between commas; without any the sixteenths that signs stand for, and as it is
    what is no sign.
    """
    if "," in image:
        return image.split(",")
    return [str(SIGNS.index(sign) / (len(SIGNS) - 1)) if sign in SIGNS else sign for sign in image]


def grey(written: str, where: str) -> float:
    """A grey value; raises InvalidInput, saying `where`, for what is none."""
    try:
        value = float(written)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        sentence = (
            f"The image has {written.strip()[:20]!r} in {where}; a grey value is a number from 0"
            " (paper) to 1 (ink)."
        )
        hint = " Where ink is 16, as in scikit-learn, divide by 16." if 1 < value <= 16 else ""
        raise InvalidInput(sentence + hint, field="image", limit=1, given=written[:20])
    return value


def written(rows: list[list[float]]) -> str:
    """The same image as text: what `read` reads."""
    return ",".join(repr(value).removesuffix(".0") for row in rows for value in row)
