"""Attention whose pattern is estimated from random features, FAVOR+ (Choromanski et al. 2021)."""

import math

import torch
from torch import nn

from model.config import Config
from model.layers.attention import (
    Keys,
    LooksAt,
    MultiHeadAttention,
    Pattern,
    Queries,
    own_stream,
)
from model.layers.context import Mask
from model.layers.random_features import DRAWS, FEATURES
from model.layers.relative_positions import NoRelativePositions
from model.trace import Trace


class FavorAttention(MultiHeadAttention):
    """The pattern estimated from random features of queries and keys.

    Here the map is written out, so that it can be seen: `random_features` has the same numbers at a
    cost linear in the length.
    """

    def __init__(
        self,
        config: Config,
        looks_at: LooksAt = own_stream,
        relation: NoRelativePositions | None = None,
        slots: nn.Module | None = None,
    ):
        super().__init__(config, looks_at, relation, slots)
        self.feature_map = FEATURES[config.features]
        self.draw_projections = DRAWS[config.draws]
        self.projections = nn.Parameter(
            torch.zeros(config.n_features, config.d_head), requires_grad=False
        )

    def draw(self, generator: torch.Generator) -> None:
        """Draws the projections once and for all; they are not learned."""
        self.projections.copy_(self.draw_projections(1, *self.projections.shape, generator)[0])

    def pattern(self, q: Queries, k: Keys, mask: Mask, trace: Trace) -> Pattern:
        """kernel / sum of kernel, where kernel = phi(q / d_head^(1/4)) phi(k / d_head^(1/4))^T if
        the mask allows, and 0 if not.
        """
        fourth_root = math.sqrt(math.sqrt(self.d_head))
        q_features = trace("q_features", self.feature_map(q / fourth_root, self.projections))
        k_features = trace("k_features", self.feature_map(k / fourth_root, self.projections))
        kernel = trace("kernel", q_features @ k_features.mT * mask.unsqueeze(-3))
        whole = kernel.sum(-1, keepdim=True)
        return trace("pattern", kernel / whole.masked_fill(whole == 0, 1.0))


ATTENTIONS = {"softmax": MultiHeadAttention, "favor": FavorAttention}


def make_attention(
    config: Config,
    looks_at: LooksAt = own_stream,
    relation: NoRelativePositions | None = None,
    slots: nn.Module | None = None,
) -> MultiHeadAttention:
    return ATTENTIONS[config.weighing](config, looks_at, relation, slots)
