"""Initialisation: the numbers that every part of a model begins with, before it is trained.

Matrices are Xavier-uniform (Glorot and Bengio 2010, equation 16), vectors N(0, 1/d) in d channels,
so that an embedding times sqrt(d_model) has variance 1. Biases begin at 0 and gains at 1, as they
are made.
"""

import math
from collections.abc import Callable
from typing import TypeVar

import torch
from torch import Tensor, nn

from model.layers.attention_scores import Score
from model.layers.block import B2TBlock, Block
from model.layers.embedding import Embedding
from model.layers.favor_attention import FavorAttention
from model.layers.linear import Linear, Product
from model.layers.norms import LayerNorm, RMSNorm, ScaleNorm
from model.layers.patch_embedding import LedPatches
from model.layers.persistent_memory import Slots
from model.layers.relative_positions import Shaw, T5Bias
from model.layers.tabular_embedding import Categories, Columns, Numbers
from model.layers.tabular_head import Bypass
from model.transformer import Transformer

Part = TypeVar("Part", bound=nn.Module)
Draw = Callable[[Tensor, torch.Generator], Tensor]


def matrix(parameter: Tensor, generator: torch.Generator) -> Tensor:
    return nn.init.xavier_uniform_(parameter, generator=generator)


def vectors(parameter: Tensor, generator: torch.Generator) -> Tensor:
    deviation = 1 / math.sqrt(parameter.shape[-1])
    return nn.init.normal_(parameter, std=deviation, generator=generator)


def as_made(parameter: Tensor, generator: torch.Generator) -> Tensor:
    return parameter


DRAWS: dict[type[nn.Module], dict[str, Draw]] = {
    Product: {"weight": matrix},
    Linear: {"weight": matrix, "bias": as_made},
    LayerNorm: {"gain": as_made, "bias": as_made},
    RMSNorm: {"gain": as_made},
    ScaleNorm: {"gain": as_made},
    Embedding: {"token": vectors, "learned": vectors},
    LedPatches: {"cls": vectors},
    Columns: {"cls": vectors},
    Numbers: {"weight": vectors, "bias": vectors, "missing": vectors},
    Categories: {"table": vectors, "column": vectors},
    Score: {"w": vectors, "w_q": vectors, "w_k": vectors, "v": vectors},
    T5Bias: {"weight": matrix},
    Shaw: {"weight": matrix},
    Slots: {"keys": vectors, "values": vectors},
    FavorAttention: {"projections": as_made},
    Block: {f"shortcut{number}": as_made for number in (1, 2, 3, 4)},
    B2TBlock: {},
    Bypass: {"missing": as_made},
    Transformer: {"untied": vectors, "unembedding_bias": as_made},
}
"""How each parameter of a part is drawn, by the class of the part and the name in it."""


def initialise(part: Part, generator: torch.Generator) -> Part:
    """Draws all parameters of `part` in their order, and before them the projections of FAVOR+.
    A parameter that DRAWS does not name is a KeyError.
    """
    for module in part.modules():
        if isinstance(module, FavorAttention):
            module.draw(generator)
    for module in part.modules():
        for name, parameter in module.named_parameters(recurse=False):
            DRAWS[type(module)][name](parameter, generator)
    return part
