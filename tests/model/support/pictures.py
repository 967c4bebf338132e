"""A small random model of pictures, as one that was added is, and pictures for it."""

import numpy as np
from PIL import Image

from model.inputs.input import Input
from model.inputs.picture_files import encoded
from model.inputs.pictures import PictureTokenizer
from model.runs.image import prepare_image
from model.runs.run import Run
from model.zoo.models import Model
from tests.model.support.small import small


def picture_model(side: int = 8, patch: int = 2, n_classes: int = 3) -> Model:
    sizes = {"image_side": side, "patch_side": patch, "colours": 3}
    transformer = small(
        "encoder-only",
        inputs="patches",
        vocabulary_size=n_classes,
        max_length=(side // patch) ** 2 + 1,
        positions="learned",
        placement="pre",
        tied_unembedding=False,
        **sizes,
    ).float()
    names = tuple(f"class number {i} of a long list" for i in range(n_classes))
    tokenizer = PictureTokenizer(side, patch, names, 3, "bilinear", 1 / 255, (0.5,) * 3, (0.5,) * 3)
    card = {"examples": [], "head": "classes"}
    return Model("mine", transformer.config, transformer, tokenizer, card, kind="yours")


def picture(pixels: np.ndarray) -> str:
    """Bytes [row, column, colour] as a PNG file in base64; one grey stands for three colours."""
    return encoded(Image.fromarray(np.broadcast_to(pixels, (*pixels.shape[:2], 3)).copy()))


def run_of_picture(model: Model, pixels: np.ndarray) -> Run:
    return prepare_image(model, Input(image=picture(pixels)))()
