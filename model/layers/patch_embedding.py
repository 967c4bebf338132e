"""An image as tokens: each patch is mapped linearly to a vector (Dosovitskiy et al. 2021, equation
1).
"""

from dataclasses import replace

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn

from model.activations.activation import (
    Activation,
    SpecialCells,
    linear_operands,
    plus_bias,
    stream_activation,
)
from model.activations.derivation import copy
from model.config import Config
from model.layers.linear import make_linear

Images = Float[Tensor, "*batch colour row column"]


class PatchEmbedding(nn.Module):
    """token = unfold(image) W + b, which equals a convolution with kernel size and stride of one
    patch.
    """

    def __init__(self, config: Config):
        super().__init__()
        self.side = config.image.patch_side
        self.patch = make_linear(config, config.image.colours * self.side**2, config.d_model)

    def forward(self, images: Images) -> Float[Tensor, "*batch position channel"]:
        return self.patch(unfold(images, self.side))


class PatchEmbeddingWithCLS(PatchEmbedding):
    """token = [CLS], then the patches. The class of the image is predicted at [CLS]."""

    def __init__(self, config: Config):
        super().__init__(config)
        self.cls = nn.Parameter(torch.zeros(config.d_model))

    def forward(self, images: Images) -> Float[Tensor, "*batch position channel"]:
        patches = super().forward(images)
        return torch.cat([self.cls.expand(*patches.shape[:-2], 1, -1), patches], dim=-2)


PATCHES = {"encoder-only": PatchEmbeddingWithCLS, "encoder-decoder": PatchEmbedding}


def make_patches(config: Config) -> PatchEmbedding:
    return PATCHES[config.family](config)


def unfold(images: Images, side: int) -> Float[Tensor, "*batch patch pixel"]:
    """Patches in row-major order; within a patch, channel by channel, again in row-major order."""
    axes = "... colour (down row) (across column) -> ... (down across) (colour row column)"
    return rearrange(images, axes, row=side, column=side)


def patch_activation(config: Config, name: str, axis: str) -> Activation:
    """The linear map of each patch; in a classifier, [CLS] at position 0 has a learned vector."""
    rule, operands = linear_operands(
        config, "patches[patch:position *]", "embedding.token.patch", "channel"
    )
    formula = f"patch W{plus_bias(config, 'b')}"
    patches = stream_activation(name, axis, formula, "The patch's vector.", rule, *operands)
    if config.family == "encoder-decoder":
        return patches
    return replace(
        patches,
        formula=f"[CLS], then {formula}",
        sentence="The patch's vector, or that of [CLS].",
        special=(SpecialCells("position", range(1), copy, ("embedding.token.cls[channel]",)),),
    )
