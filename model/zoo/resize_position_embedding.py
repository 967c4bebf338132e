"""An image model at another resolution: the image is resampled and the learned patch positions are
interpolated; all other weights are unchanged (Dosovitskiy et al. 2021, section 3.2).
"""

import math
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import interpolate

from model.layers.position_interpolation import interpolate_grid
from model.layers.positional_encodings import Encoding
from model.transformer import Transformer
from model.zoo.models import Model

LEARNED = "embedding.learned"


def model_for_grid(model: Model, side: int) -> Model:
    """`model` for images of `side` x `side` patches: its transformer (`for_grid`) and its
    tokenizer.
    """
    transformer = for_grid(model.transformer, side)
    config = transformer.config
    return replace(
        model,
        config=config,
        transformer=transformer,
        tokenizer=replace(model.patch_tokenizer, image_side=config.image.side),
    )


def for_grid(transformer: Transformer, side: int) -> Transformer:
    """`transformer` for images of `side` x `side` patches, with the same patch size in pixels as in
    training.
    """
    image = transformer.config.image
    resized = replace(image, side=side * image.patch_side)
    config = replace(transformer.config, input_sizes=resized, max_length=side**2 + 1)
    weights = transformer.state_dict()
    if LEARNED in weights:
        weights[LEARNED] = resize_positions(weights[LEARNED], side)
    other = Transformer(config)
    other.load_state_dict(weights)
    return other.eval().requires_grad_(False)


def resize_positions(table: Encoding, side: int) -> Float[Tensor, "new channel"]:
    """A learned position table, with one row per patch of a square, interpolated to a square of
    `side` x `side` patches. The row of [CLS] before them is unchanged.
    """
    size = math.isqrt(len(table))
    return torch.cat(
        [table[: -(size**2)], interpolate_grid(table[-(size**2) :], (size, size), (side, side))]
    )


def resample(
    images: Float[Tensor, "image colour row column"], side: int
) -> Float[Tensor, "image colour side side"]:
    """The images resampled to `side` x `side` pixels with bilinear interpolation."""
    return interpolate(images, (side, side), mode="bilinear", align_corners=False)
