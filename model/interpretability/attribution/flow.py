"""Attention as an attribution: its mean, rollout, and flow (Abnar and Zuidema 2020), from the
answer's position down to the input tokens.

The heads of a sub-layer are averaged, W = mean over heads of the pattern. A sub-layer mixes the
streams of all tokens: in their model, half of a stream is kept by the residual connection, and half
comes through attention (section 3),

    mixing = 0.5 W + 0.5 I.

Rollout multiplies the mixings of all sub-layers. Flow treats them as capacities of edges, and is
the maximum flow from the answer to one token. In a decoder with cross-attention, both attention
layers are sub-layers of their own, and the encoder's streams are additional nodes; this extends a
definition for one stack. Feed-forward networks, values, and norms are ignored.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow
from torch import Tensor

from model import progress
from model.interpretability.attribution.answer import AttributedAnswer

Mixing = Float[Tensor, "node node"]
OfTokens = Float[Tensor, " token"]
RESIDUAL_SHARE = 0.5
"""The fraction of a stream that is kept by the residual connection."""
UNITS = 2**28
"""Capacities are integers in units of 1 / UNITS, as scipy's algorithm requires."""


@dataclass(frozen=True)
class LayerAttention:
    """The attention of the tokens `queries` to the tokens `keys` in one sub-layer, averaged over
    heads. Both are ranges of the answer's input tokens.
    """

    queries: slice
    keys: slice
    weights: Float[Tensor, "query key"]

    def mixing(self, tokens: int) -> Mixing:
        """0.5 W + 0.5 I for the tokens that attend; the identity for the others."""
        whole = torch.eye(tokens, dtype=torch.float64)
        whole[self.queries] *= RESIDUAL_SHARE
        whole[self.queries, self.keys] += (1 - RESIDUAL_SHARE) * self.weights
        return whole


def layer_attentions(target: AttributedAnswer, uniform: bool = False) -> Iterator[LayerAttention]:
    """The attention sub-layers that the answer depends on, in the order of computation. If
    `uniform`, every query attends equally to all visible keys: the effect of the mask alone.
    """
    stacks = [token.stack for token in target.tokens]
    config = target.run.config
    place = {
        name: slice(stacks.index(name), stacks.index(name) + stacks.count(name))
        for name in config.stacks
    }
    for stack in config.stacks:
        for layer in range(config.layers(stack)):
            for part in config.sublayers(stack):
                if part in KEY_STACKS:
                    queries, keys = place[stack], place[KEY_STACKS[part] or stack]
                    scope = f"{stack}.{layer}.{part}"
                    allowed = target.run.masks[f"{stack}.{part}"].double()[None]
                    pattern = target.run.trace[f"{scope}.pattern"].double()
                    rows, columns = (span.stop - span.start for span in (queries, keys))
                    weights = (allowed if uniform else pattern).mean(0)[:rows, :columns]
                    yield LayerAttention(queries, keys, weights / weights.sum(-1, keepdim=True))


KEY_STACKS = {"attention": "", "cross_attention": "encoder"}
"""The stack that a sub-layer attends to; "" is its own."""


def mean_attention(target: AttributedAnswer) -> OfTokens:
    """The weights of the answer's position, averaged over the heads and the attention sub-layers of
    the predicting stack. They sum to 1.
    """
    tokens, last = len(target.tokens), node_of(target)
    total, count = torch.zeros(tokens, dtype=torch.float64), 0
    for attention in layer_attentions(target):
        if attention.queries.start <= last < attention.queries.stop:
            total[attention.keys] += attention.weights[last - attention.queries.start]
            count += 1
    return total / count


def node_of(target: AttributedAnswer) -> int:
    """The index of the answer's own position among its input tokens."""
    return next(
        place
        for place, token in enumerate(target.tokens)
        if (token.stack, token.position) == (target.stack, target.position)
    )


def mixings(target: AttributedAnswer, uniform: bool = False) -> list[Mixing]:
    """The mixing of every attention sub-layer, in the order of computation; rows sum to 1."""
    return [attention.mixing(len(target.tokens)) for attention in layer_attentions(target, uniform)]


def rollout(mixings: list[Mixing], start: int) -> OfTokens:
    """Row `start` of mixing_n … mixing_1: the fraction of the last stream of token `start` that
    came from each token, if streams were only mixed (equation 1). It sums to 1.
    """
    row = torch.eye(len(mixings[0]), dtype=torch.float64)[start]
    for mixing in reversed(mixings):
        row = row @ mixing
    return row


def flow(mixings: list[Mixing], start: int) -> OfTokens:
    """For each token, the maximum flow from the last stream of token `start` to that token's first
    stream, through edges with the capacities `mixings` (section 3). Flows to several tokens share
    edges, so they do not sum to 1.
    """
    nodes, network = len(mixings[0]), network_of(mixings)
    source = len(mixings) * nodes + start
    sinks = progress.steps(range(nodes))
    found = [maximum_flow(network, source, sink).flow_value for sink in sinks]
    return torch.tensor(found, dtype=torch.float64) / UNITS


def network_of(mixings: list[Mixing]) -> csr_array:
    """The edges as a sparse matrix. Node `stage * n + token` is the stream of a token after `stage`
    sub-layers, and has edges to the streams it was mixed from.
    """
    nodes, size = len(mixings[0]), (len(mixings) + 1) * len(mixings[0])
    rows, columns, capacities = [], [], []
    for stage, mixing in enumerate(mixings):
        query, key = (mixing > 0).nonzero(as_tuple=True)
        rows.append((stage + 1) * nodes + query.numpy())
        columns.append(stage * nodes + key.numpy())
        capacities.append((mixing[query, key] * UNITS).round().int().numpy())
    pipes = np.concatenate(capacities), (np.concatenate(rows), np.concatenate(columns))
    return csr_array(pipes, shape=(size, size), dtype=np.int32)
