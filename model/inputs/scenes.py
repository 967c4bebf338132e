"""Scenes: colored shapes on white, described in words, as in `ellipse red 0.3 0.4 0.2 0.3; triangle
blue 0.7 0.6 0.3 0.3`.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from model.errors import InvalidInput
from model.inputs.class_labels import ClassLabels
from model.inputs.images import Patch, patches

KINDS = ("ellipse", "rectangle", "triangle")
COLOURS = ("red", "green", "blue", "yellow")
MAX_SHAPES = 8  # per scene
SMALLEST = 0.05  # fraction of the picture's side


@dataclass(frozen=True)
class Shape:
    """One shape, with the center, width, and height of its box as fractions of the picture's side.
    The center is measured from the upper left corner.
    """

    kind: str
    colour: str
    x: int | float
    y: int | float
    width: int | float
    height: int | float

    @property
    def name(self) -> str:
        return f"{self.colour} {self.kind}"

    @property
    def box(self) -> tuple[int | float, ...]:
        return self.x, self.y, self.width, self.height


Scene = tuple[Shape, ...]
"""The shapes of a picture; later shapes are drawn over earlier ones."""

CLASSES = tuple(f"{colour} {kind}" for colour in COLOURS for kind in KINDS)
NOTHING = "nothing"


def read_scene(text: str) -> Scene:
    """The scene described by `text`, shapes separated by semicolons. Raises InvalidInput with the
    number of the invalid shape and the reason.
    """
    parts = [part for part in text.split(";") if part.strip()]
    if not 1 <= len(parts) <= MAX_SHAPES:
        raise InvalidInput("number-of-shapes", field="image", limit=MAX_SHAPES, given=len(parts))
    return tuple(read_shape(part.split(), number) for number, part in enumerate(parts, start=1))


def read_shape(words: list[str], number: int) -> Shape:
    """The shape described by `words`. Raises InvalidInput with the number of the shape."""

    def refusal(message: str, text: str, **values: object) -> InvalidInput:
        return InvalidInput(message, field="image", given=text[:20], shape=number, **values)

    if len(words) != 6:
        raise refusal("shape-of-other-words", " ".join(words), n=len(words))
    for word, known in zip(words, (KINDS, COLOURS), strict=False):
        if word not in known:
            raise refusal("shape-unknown", word, known=known)
    x, y, width, height = (unit_number(word) for word in words[2:])
    if x is None or y is None or width is None or height is None:
        raise refusal("shape-without-numbers", " ".join(words[2:]))
    if min(width, height) < SMALLEST:
        raise refusal("shape-too-small", f"{width} {height}", least=SMALLEST)
    if not (
        width / 2 <= x + ROUNDING
        and x + width / 2 <= 1 + ROUNDING
        and height / 2 <= y + ROUNDING
        and y + height / 2 <= 1 + ROUNDING
    ):
        raise refusal("shape-beyond-the-picture", " ".join(words[2:]))
    return Shape(words[0], words[1], x, y, width, height)


ROUNDING = 1e-9  # 0.15 + 0.85 may slightly exceed 1


def unit_number(word: str) -> float | None:
    """The number `word`, or None unless it is a number from 0 to 1."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= 1 else None


def scene_text(scene: Scene) -> str:
    """The description of `scene`, which `read_scene` reads."""
    return "; ".join(
        f"{shape.kind} {shape.colour} {shape.x:g} {shape.y:g} {shape.width:g} {shape.height:g}"
        for shape in scene
    )


@dataclass(frozen=True)
class SceneTokenizer(ClassLabels):
    """The tokenizer of an object detector: the sides of the picture and of a patch in pixels, and
    the number of object queries. The last class is `nothing`.
    """

    encoding: ClassVar[str] = "scene"  # its name in a card

    image_side: int
    patch_side: int
    n_queries: int

    @classmethod
    def load(cls, path: Path) -> "SceneTokenizer":
        return cls(**json.loads(path.read_text(encoding="utf-8")))

    @property
    def classes(self) -> tuple[str, ...]:
        return (*CLASSES, NOTHING)

    def encode(self) -> list[Patch]:
        """The tokens of a picture; all pictures have the same ones."""
        return patches(self.image_side // self.patch_side)
