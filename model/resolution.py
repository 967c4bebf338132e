"""A model of patches at another resolution: the image resampled, the positions of its patches interpolated, all other weights kept."""

import math
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import interpolate

from model.positions import Encoding, interpolate_grid
from model.transformer import Transformer
from model.zoo import Model

LEARNED = "embedding.learned"


def at_grid(model: Model, side: int) -> Model:
    """`model` for images of `side` x `side` patches as large as those it learned on (Dosovitskiy et al. 2021, section 3.2)."""
    config = replace(model.config, image_side=side * model.config.patch_side, max_length=side**2 + 1)
    weights = model.transformer.state_dict()
    if LEARNED in weights:
        weights[LEARNED] = regridded(weights[LEARNED], side)
    transformer = Transformer(config)
    transformer.load_state_dict(weights)
    codec = replace(model.codec, image_side=config.image_side)
    return replace(model, config=config, transformer=transformer.eval().requires_grad_(False), codec=codec)


def regridded(table: Encoding, side: int) -> Float[Tensor, "new channel"]:
    """A learned table of a square of patches for a square of `side` patches; [CLS] before them is no patch and keeps its row."""
    own = math.isqrt(len(table))
    return torch.cat([table[: -(own**2)], interpolate_grid(table[-(own**2) :], (own, own), (side, side))])


def resampled(rows: list[list[float]], side: int) -> list[list[float]]:
    """The same image with `side` x `side` grey values, bilinearly between those it has."""
    return interpolate(torch.tensor(rows)[None, None], (side, side), mode="bilinear", align_corners=False)[0, 0].tolist()
