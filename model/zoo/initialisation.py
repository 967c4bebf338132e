"""Initialization: the initial values of every part of a model, before training.

Matrices are Xavier-uniform (Glorot and Bengio 2010, equation 16), vectors N(0, 1/d) in d channels,
so that an embedding times sqrt(d_model) has variance 1. The recurrent matrices of recurrent
networks are orthogonal, so that they preserve the norm of the state (Saxe et al. 2014). Biases
start at 0 and gains at 1, as constructed.
"""

import math
from collections.abc import Callable
from typing import TypeVar

import torch
from torch import Tensor, nn

from model.layers.attention_scores import SCORES, Score
from model.layers.embedding import Embedding
from model.layers.favor_attention import FavorAttention
from model.layers.linear import Product
from model.layers.patch_embedding import PatchEmbeddingWithCLS
from model.layers.persistent_memory import Slots
from model.layers.relative_positions import NoRelativePositions
from model.layers.tabular_embedding import Categories, FeatureTokenizer, Numbers
from model.recurrent.bahdanau_attention import BahdanauAttention
from model.recurrent.cells import Recurrence
from model.recurrent.encoder_decoder import EncoderDecoder
from model.transformer import Transformer

Part = TypeVar("Part", bound=nn.Module)
Draw = Callable[[Tensor, torch.Generator], Tensor]


def matrix(parameter: Tensor, generator: torch.Generator) -> Tensor:
    return nn.init.xavier_uniform_(parameter, generator=generator)


def vectors(parameter: Tensor, generator: torch.Generator) -> Tensor:
    deviation = 1 / math.sqrt(parameter.shape[-1])
    return nn.init.normal_(parameter, std=deviation, generator=generator)


def unit_vectors(parameter: Tensor, generator: torch.Generator) -> Tensor:
    """Vectors from N(0, 1): embeddings that are not multiplied by sqrt(d) later."""
    return nn.init.normal_(parameter, generator=generator)


def orthogonal(parameter: Tensor, generator: torch.Generator) -> Tensor:
    """A square orthogonal matrix for each gate of a recurrent cell; the gates are concatenated."""
    for gate in parameter.data.split(len(parameter), dim=-1):
        nn.init.orthogonal_(gate, generator=generator)
    return parameter


DRAWS: dict[type[nn.Module], dict[str, Draw]] = {
    Product: {"weight": matrix},
    Embedding: {"token": vectors, "learned": vectors, "token_type": vectors},
    PatchEmbeddingWithCLS: {"cls": vectors},
    FeatureTokenizer: {"cls": vectors},
    Numbers: {"weight": vectors, "bias": vectors, "missing": vectors},
    Categories: {"table": vectors, "column": vectors},
    Score: {name: vectors for score in SCORES.values() for name in score.parameters(1, 1)},
    NoRelativePositions: {"weight": matrix},
    Slots: {"keys": vectors, "values": vectors},
    Transformer: {"untied": vectors},
    EncoderDecoder: {"embedding": unit_vectors},
    Recurrence: {"weight": orthogonal},
    BahdanauAttention: {"w_q": matrix, "w_k": matrix, "v": vectors},
}
"""How the parameters of a part are sampled, by its class or a base class, and by their names."""

AS_MADE = {FavorAttention: {"projections"}}
"""Matrices that a part samples itself."""


def initialise(part: Part, generator: torch.Generator) -> Part:
    """Samples all parameters of `part` in order, and before them the projections of FAVOR+.

    Gains and biases keep their constructed values. A matrix without an entry in DRAWS raises
    KeyError, because a part whose matrices are zero learns nothing.
    """
    for module in part.modules():
        if isinstance(module, FavorAttention):
            module.draw(generator)
    for module in part.modules():
        draws = rows_of(module)
        for name, parameter in module.named_parameters(recurse=False):
            if name in draws or (parameter.ndim > 1 and name not in AS_MADE.get(type(module), ())):
                draws[name](parameter, generator)
    return part


def rows_of(module: nn.Module) -> dict[str, Draw]:
    """The entries of DRAWS for a part and its base classes."""
    return {
        name: draw
        for base in reversed(type(module).__mro__)
        for name, draw in DRAWS.get(base, {}).items()
    }
