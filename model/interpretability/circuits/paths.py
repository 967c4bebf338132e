"""Paths through one or two attention layers without norms: they sum to the logits, and each can be
removed (Elhage et al. 2021, sections "Path expansion").

    direct      embedding -> logits
    0.3         embedding -> head 3 of layer 0 -> logits
    1.2         embedding -> head 2 of layer 1 -> logits
    0.3-1.2     embedding -> head 0.3 -> values of head 1.2 -> logits: a virtual head
    0.3-1.2.k   embedding -> head 0.3 -> keys of head 1.2: part of its scores, not of the logits
    0.3-1.2.q   the same through its queries

With fixed patterns, the logits are the sum of the first four kinds. The last two kinds determine
the patterns of layer 1. Removing a path omits its contribution at its end, and recomputes
everything that depends on it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from fnmatch import fnmatchcase

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.interpretability.circuits.qk_ov import expand, matrices, ov
from model.layers import masks
from model.layers.attention import MultiHeadAttention
from model.trace import OFF
from model.transformer import Transformer

DIRECT = "direct"
Ids = Int[Tensor, "text position"]
Logits = Float[Tensor, "text position vocabulary"]
Pattern = Float[Tensor, "text head position position"]
Parts = Float[Tensor, "way text position d_model"]


def is_expandable(transformer: Transformer) -> bool:
    """Whether the model consists only of one or two self-attention layers, so that its logits are a
    sum of paths.
    """
    config = transformer.config
    return (
        config.family == "decoder-only"
        and config.n_decoder_layers in (1, 2)
        and not config.d_ff
        and config.placement == "none"
        and not config.has_biases()
        and config.inputs == "tokens"
    )


def path_names(layers: int, heads: int) -> list[str]:
    """The names of all paths, those of the logits first, in the order of `logit_paths`."""
    first = [f"0.{head}" for head in range(heads)]
    if layers == 1:
        return [DIRECT, *first]
    second = [f"1.{head}" for head in range(heads)]
    through = [DIRECT, *first]
    for head in second:
        through += [head, *(f"{lower}-{head}" for lower in first)]
    scores = [f"{lower}-{head}.{read}" for read in "kq" for lower in first for head in second]
    return through + scores


def matching(patterns: Collection[str], names: Collection[str]) -> list[str]:
    """The names that match any of `patterns`, where * stands for any characters, ? for one, and
    [012] for one of these.
    """
    return [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]


@dataclass(frozen=True)
class AttentionStack:
    """The parts of a model whose logits are a sum of paths."""

    transformer: Transformer

    @property
    def layers(self) -> list[MultiHeadAttention]:
        stack = self.transformer.stack("decoder")
        return [block.attention for block in stack.blocks]

    @property
    def heads(self) -> int:
        return self.transformer.config.n_heads

    @property
    def names(self) -> list[str]:
        return path_names(len(self.layers), self.heads)

    def expansion(self, ids: Int[Tensor, " position"]) -> Float[Tensor, "path position vocabulary"]:
        """The contribution of each path to the logits of one text, with its own patterns held
        fixed. They sum to the logits.
        """
        x = parts = self.transformer.embedding(ids)
        parts = parts.unsqueeze(0)
        mask = masks.causal(len(ids))
        for layer in self.layers:
            parts = expand(parts, pattern_of(layer, x, x, mask), ov(layer)).flatten(0, 1)
            x = parts.sum(0)
        return parts @ self.transformer.unembedding

    def without(self, removed: Collection[str], ids: Ids) -> Logits:
        """The logits of texts in a run without the paths `removed`."""
        return Removal(self, ids).logits(removed)


def pattern_of(
    layer: MultiHeadAttention,
    query: Float[Tensor, "*text position d_model"],
    key: Float[Tensor, "*text position d_model"],
    mask: Bool[Tensor, "query key"],
) -> Float[Tensor, "*text head position position"]:
    """The patterns of all heads, with queries and keys computed from one stream or from two."""
    q, k = (
        layer.relation.rotate(layer.split_heads(linear(x)))
        for linear, x in ((layer.query, query), (layer.key, key))
    )
    return layer.pattern(q, layer.repeat_kv(k), mask, OFF)


class Removal:
    """A run of texts with paths removed. Anything independent of the removal is computed once:
    layer 0, and the contribution of each of its paths to the queries, keys, and values of layer 1.
    """

    def __init__(self, stack: AttentionStack, ids: Ids):
        self.stack, self.mask = stack, masks.causal(ids.shape[-1])
        x = stack.transformer.embedding(ids)
        first = stack.layers[0]
        pattern = pattern_of(first, x, x, self.mask)
        outputs = torch.einsum("thqk,tkm,hmn->htqn", pattern, x, ov(first))
        self.ways: Parts = torch.cat([x.unsqueeze(0), outputs])
        self.unembedding = stack.transformer.unembedding
        self.known: dict[tuple[int, str, tuple[bool, ...]], Tensor] = {}
        if len(stack.layers) == 2:
            self.read = {
                read: split_ways(stack.layers[1], read, self.ways) for read in ("q", "k", "v")
            }

    def logits(self, removed: Collection[str]) -> Logits:
        keep = [name not in removed for name in (DIRECT, *self.first)]
        out = weighted(keep, self.ways)
        if len(self.stack.layers) == 2:
            out = out + self.second_layer(removed)
        return out @ self.unembedding

    @property
    def first(self) -> list[str]:
        return [f"0.{head}" for head in range(self.stack.heads)]

    def contributions(
        self, direction: Float[Tensor, "text position d_model"]
    ) -> Float[Tensor, "path text position"]:
        """The contribution of each path along a direction, with fixed patterns: at each position,
        the inner product of its vector with that of `direction`.
        """
        found = torch.einsum("wtqm,tqm->wtq", self.ways, direction)
        if len(self.stack.layers) == 1:
            return found
        layer, (q, k) = self.stack.layers[1], (self.read[read].sum(0) for read in "qk")
        z = layer.pattern(q, k, self.mask, OFF) @ self.read["v"]
        back = torch.einsum("tqm,hdm->thqd", direction, matrices(layer).output)
        through = torch.einsum("wthqd,thqd->hwtq", z, back)
        return torch.cat([found, through.flatten(0, 1)])

    def second_layer(self, removed: Collection[str]) -> Float[Tensor, "text position d_model"]:
        """The outputs of the heads of layer 1, each computed from its remaining paths."""
        layer = self.stack.layers[1]
        q, k, v = (
            torch.stack(
                [
                    self.inputs_of(head, read, self.remaining(head, read, removed))
                    for head in range(self.stack.heads)
                ],
                dim=1,
            )
            for read in ("q", "k", "v")
        )
        z = layer.pattern(q, k, self.mask, OFF) @ v
        return torch.einsum("thqd,hdm->tqm", z, matrices(layer).output)

    def inputs_of(
        self, head: int, read: str, keep: tuple[bool, ...]
    ) -> Float[Tensor, "text position d_head"]:
        """The contribution of the kept paths to the queries, keys, or values of a head of layer 1.
        Most removals leave most of them unchanged.
        """
        if (head, read, keep) not in self.known:
            self.known[head, read, keep] = weighted(keep, self.read[read][:, :, head])
        return self.known[head, read, keep]

    def remaining(self, head: int, read: str, removed: Collection[str]) -> tuple[bool, ...]:
        """Which paths through layer 0 reach the queries, keys, or values of a head of layer 1: past
        all heads, or through one. Queries and keys always read the path past the heads.
        """
        end = "" if read == "v" else f".{read}"
        past = read != "v" or f"1.{head}" not in removed
        return (past, *(f"{lower}-1.{head}{end}" not in removed for lower in self.first))


def split_ways(layer: MultiHeadAttention, read: str, ways: Parts) -> Tensor:
    """The contribution of each path through layer 0 to the queries, keys, or values of each head of
    layer 1, [way, text, head, position, d_head]. They are linear in the stream, even if positions
    rotate them.
    """
    linear = {"q": layer.query, "k": layer.key, "v": layer.value}[read]
    vectors = layer.split_heads(ways @ linear.weight)
    if read == "q":
        return layer.relation.rotate(vectors)
    shared = vectors.repeat_interleave(layer.group_size, dim=-3)
    return layer.relation.rotate(shared) if read == "k" else shared


def weighted(keep: Collection[bool], ways: Tensor) -> Tensor:
    """The sum of the paths that are kept."""
    return torch.einsum("w,w...->...", torch.tensor(list(keep), dtype=ways.dtype), ways)


@dataclass(frozen=True)
class Repetition:
    """How well the letters of repetitions are predicted: the loss in nats, the accuracy, and the
    accuracy by text.
    """

    loss: float
    accuracy: float
    by_text: Float[Tensor, " text"]


def repetition(logits: Logits, following: Ids, repeated: Bool[Tensor, "text position"]):
    """The loss and the accuracy at positions before a repeated letter."""
    loss = cross_entropy(logits.flatten(0, 1), following.flatten(), reduction="none")
    right = (logits.argmax(-1) == following).double()
    by_text = (right * repeated).sum(-1) / repeated.sum(-1)
    return Repetition(
        loss.view_as(following)[repeated].mean().item(), right[repeated].mean().item(), by_text
    )
