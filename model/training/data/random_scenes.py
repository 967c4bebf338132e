"""Random scenes from a seed: the training and test data of the model `shapes`."""

import random
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model.detection.hungarian_matching import Truth, pad_truth
from model.inputs.scene_rendering import render
from model.inputs.scenes import COLOURS, KINDS, Scene, SceneTokenizer, Shape

Pictures = Float[Tensor, "picture colour row column"]

MAX_SHAPES = 4  # per picture
SIZES = (0.18, 0.45)
HIDDEN = 0.25  # largest fraction of the smaller of two boxes that may be hidden by the other
TRIES = 30
TOKENIZER = SceneTokenizer(image_side=32, patch_side=4, n_queries=8)


def scene(draw: random.Random) -> Scene:
    """A scene of one to four shapes, whose boxes are inside the picture and overlap little. A shape
    that doesn't fit is omitted.
    """
    shapes: list[Shape] = []
    for _ in range(draw.randint(1, MAX_SHAPES)):
        for _ in range(TRIES):
            shape = shape_drawn(draw)
            if all(hidden(shape, other) <= HIDDEN for other in shapes):
                shapes.append(shape)
                break
    return tuple(shapes)


def shape_drawn(draw: random.Random) -> Shape:
    """A random shape. Sizes and positions have two digits, so that the scene in words is exact."""
    width, height = (round(draw.uniform(*SIZES), 2) for _ in range(2))
    x, y = (round(draw.uniform(size / 2, 1 - size / 2), 2) for size in (width, height))
    x, y = (min(max(at, size / 2), 1 - size / 2) for at, size in ((x, width), (y, height)))
    return Shape(draw.choice(KINDS), draw.choice(COLOURS), x, y, width, height)


def hidden(a: Shape, b: Shape) -> float:
    """The area of the intersection of two boxes, as a fraction of the smaller box."""
    across = min(a.x + a.width / 2, b.x + b.width / 2) - max(a.x - a.width / 2, b.x - b.width / 2)
    down = min(a.y + a.height / 2, b.y + b.height / 2) - max(a.y - a.height / 2, b.y - b.height / 2)
    return max(across, 0.0) * max(down, 0.0) / min(a.width * a.height, b.width * b.height)


@dataclass(frozen=True)
class Part:
    pictures: Pictures
    truth: Truth
    scenes: list[Scene]


def part(seed: str, n: int) -> Part:
    """`n` random scenes with their pictures and objects, all from `seed`."""
    draw = random.Random(seed)
    scenes = [scene(draw) for _ in range(n)]
    return Part(
        torch.stack([render(scene, TOKENIZER.image_side) for scene in scenes]),
        pad_truth(scenes),
        scenes,
    )
