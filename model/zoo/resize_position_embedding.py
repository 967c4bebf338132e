"""A model of patches at another resolution: the image resampled, the positions of its patches
interpolated, all other weights kept.
"""

import math
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import interpolate

from model.layers.positional_encodings import Encoding, interpolate_grid
from model.transformer import Transformer
from model.zoo.models import Model

LEARNED = "embedding.learned"


def at_grid(model: Model, side: int) -> Model:
    """`for_grid`, with the encoding of its images."""
    transformer = for_grid(model.transformer, side)
    config = transformer.config
    return replace(
        model,
        config=config,
        transformer=transformer,
        codec=replace(model.patch_codec, image_side=config.image_side),
    )


def for_grid(transformer: Transformer, side: int) -> Transformer:
    """The model for images of `side` x `side` patches as large as those it learned on (Dosovitskiy
    et al. 2021, section 3.2).
    """
    config = replace(
        transformer.config, image_side=side * transformer.config.patch_side, max_length=side**2 + 1
    )
    weights = transformer.state_dict()
    if LEARNED in weights:
        weights[LEARNED] = regridded(weights[LEARNED], side)
    other = Transformer(config)
    other.load_state_dict(weights)
    return other.eval().requires_grad_(False)


def regridded(table: Encoding, side: int) -> Float[Tensor, "new channel"]:
    """A learned table of a square of patches for a square of `side` patches; [CLS] before them is
    no patch and keeps its row.
    """
    own = math.isqrt(len(table))
    return torch.cat(
        [table[: -(own**2)], interpolate_grid(table[-(own**2) :], (own, own), (side, side))]
    )


def resampled(
    images: Float[Tensor, "image colour row column"], side: int
) -> Float[Tensor, "image colour side side"]:
    """The same images with `side` x `side` pixels, bilinearly between those they have."""
    return interpolate(images, (side, side), mode="bilinear", align_corners=False)
