"""FAVOR+: attention with a pattern estimated from random features (Choromanski et al. 2021)."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import nn

from model.activations.activation import Activation
from model.config import Config
from model.layers.attention import (
    AttentionSite,
    Keys,
    KVSource,
    MultiHeadAttention,
    Pattern,
    Queries,
    self_source,
    softmax_activations,
)
from model.layers.context import Mask
from model.layers.random_features import FEATURES, PROJECTIONS, kernel, share
from model.layers.relative_positions import NoRelativePositions
from model.trace import Trace


class FavorAttention(MultiHeadAttention):
    """The pattern estimated from random features of queries and keys.

    The attention map is computed explicitly here so that it can be shown. `random_features` gives
    the same output at a cost linear in the length.
    """

    def __init__(
        self,
        config: Config,
        kv_source: KVSource = self_source,
        relation: NoRelativePositions | None = None,
        slots: nn.Module | None = None,
    ):
        super().__init__(config, kv_source, relation, slots)
        self.feature_map = FEATURES[config.attention.kernel.features]
        self.draw_projections = PROJECTIONS[config.attention.kernel.projections]
        self.projections = nn.Parameter(
            torch.zeros(config.attention.kernel.n_features, config.d_head), requires_grad=False
        )

    def draw(self, generator: torch.Generator) -> None:
        """Samples the projections once; they are not learned."""
        self.projections.copy_(self.draw_projections(1, *self.projections.shape, generator)[0])

    def pattern(self, q: Queries, k: Keys, mask: Mask, trace: Trace) -> Pattern:
        """kernel / sum of kernel, where kernel = phi(q / d_head^(1/4)) phi(k / d_head^(1/4))^T if
        the mask allows it, and 0 otherwise.
        """
        fourth_root = math.sqrt(math.sqrt(self.d_head))
        q_features = trace("q_features", self.feature_map(q / fourth_root, self.projections))
        k_features = trace("k_features", self.feature_map(k / fourth_root, self.projections))
        kernel = trace("kernel", q_features @ k_features.mT * mask.unsqueeze(-3))
        whole = kernel.sum(-1, keepdim=True)
        return trace("pattern", kernel / whole.masked_fill(whole == 0, 1.0))


def favor_activations(site: AttentionSite) -> Iterator[Activation]:
    """Features, kernel, and pattern of FAVOR+ (Choromanski et al. 2021)."""
    scope, feature = site.scope, FEATURES[site.config.attention.kernel.features]
    for name, side, axis in (("q", "queries", site.query), ("k", "keys", site.key)):
        yield Activation(
            f"{scope}.{name}_features",
            ("head", "position", "feature"),
            ("head", axis, "feature"),
            feature.formula.format(name),
            f"Random features of the {side}.",
            feature.rule,
            (f"{scope}.{name}[head position *]", f"{scope}.projections[* *]"),
        )
    yield site.grid(
        "kernel",
        "phi(q) phi(k)^T where the mask allows",
        "What the features make of exp of the scaled score.",
        kernel,
        f"{scope}.q_features[head query *]",
        f"{scope}.k_features[head key *]",
        site.mask,
    )
    yield site.grid(
        "pattern",
        "kernel / sum of kernel",
        "How much each query takes from each key; a row sums to 1.",
        share,
        f"{scope}.kernel[head query *]",
    )


@dataclass(frozen=True)
class Kernel:
    """How the pattern is computed: the attention module, and its activations from queries and keys
    to the pattern.
    """

    module: type[MultiHeadAttention]
    activations: Callable[[AttentionSite], Iterator[Activation]]


KERNELS = {
    "softmax": Kernel(MultiHeadAttention, softmax_activations),
    "favor": Kernel(FavorAttention, favor_activations),
}


def make_attention(
    config: Config,
    kv_source: KVSource = self_source,
    relation: NoRelativePositions | None = None,
    slots: nn.Module | None = None,
) -> MultiHeadAttention:
    return KERNELS[config.attention.kernel.name].module(config, kv_source, relation, slots)
