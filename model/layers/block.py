"""One layer of a stack: sub-layers, each with a norm and a residual connection around it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from model.config import Config
from model.layers.attention import MultiHeadAttention
from model.layers.favor_attention import make_attention
from model.layers.feed_forward import FeedForward, make_feed_forward
from model.layers.intersample_attention import RowAttention
from model.layers.kv_cache import NO_CACHE, BlockCache
from model.layers.norms import AnyNorm, Stream, make_norm
from model.layers.persistent_memory import make_slots
from model.layers.relative_positions import make_relation
from model.layers.residual import PLACEMENTS, ResidualScale, SubLayer
from model.trace import OFF, Trace

Mask = Bool[Tensor, "*#batch #query #key"]
Memory = Float[Tensor, "*batch memory channel"]
MemoryMask = Bool[Tensor, "*#batch #query memory"]


@dataclass(frozen=True)
class Context:
    """What a block looks at besides its own stream; masks are True where a query may look.

    `mask` is of self-attention, [query, key]. `memory` is the output of the encoder [*batch,
    position, channel], where there is one to look at, and `memory_mask` [query, position] is its
    mask.
    """

    mask: Mask
    memory: Memory | None = None
    memory_mask: MemoryMask | None = None


class Placed(NamedTuple):
    """A sub-layer as a function of the stream alone, its norm, the scale of the residual connection
    around it, and the name of the stream behind it.
    """

    f: SubLayer
    norm: SubLayer
    scale: ResidualScale
    name: str


class Block(nn.Module):
    """The sub-layers of one layer: self-attention, cross-attention where there is an encoder to
    look at, and the feed-forward network. norm1 and Admin's shortcut1 belong to the first, norm2
    and shortcut2 to the second, and so on.
    """

    attention: MultiHeadAttention
    cross_attention: MultiHeadAttention
    feed_forward: FeedForward
    row_attention: RowAttention
    row_feed_forward: FeedForward
    norm1: AnyNorm
    norm2: AnyNorm
    norm3: AnyNorm

    def __init__(self, config: Config, stack: str):
        super().__init__()
        self.names = config.sublayers(stack)
        self.add_and_norm = PLACEMENTS[config.placement]
        self.shortcut = config.shortcut
        self.norms = [make_norm(config) for _ in self.names]  # known as norm1, norm2, …
        for number, (name, norm) in enumerate(zip(self.names, self.norms, strict=True), start=1):
            self.add_module(name, SUBLAYERS[name].make(config, stack))
            self.add_module(f"norm{number}", norm)
            if config.placement == "admin":
                omega = nn.Parameter(torch.ones(config.d_model))  # 1 until it is profiled
                self.register_parameter(f"shortcut{number}", omega)

    def forward(
        self, x: Stream, context: Context, trace: Trace = OFF, cache: BlockCache = NO_CACHE
    ) -> Stream:
        """For each sub-layer: x = norm(x + f(x)) in a Post-LN model, x = x + f(norm(x)) in a Pre-LN
        one; `layers/residual.py` has the equation of every placement.
        """
        x = trace("residual.in", x)
        for f, norm, scale, name in self.sublayers(context, trace, cache):
            x = trace(name, self.add_and_norm(x, f, norm, scale))
        return x

    def sublayers(self, context: Context, trace: Trace, cache: BlockCache) -> Iterator[Placed]:
        """The sub-layers in order; each reads and writes under its own name in the trace."""
        parts = zip(self.names, self.norms, self.residual_scales, strict=True)
        for number, (name, norm, scale) in enumerate(parts, start=1):
            f = partial(SUBLAYERS[name].call, self.get_submodule(name))
            yield Placed(
                partial(f, context=context, trace=trace / name, cache=cache),
                partial(norm, trace=trace / f"norm{number}"),
                scale,
                "residual.out" if number == len(self.names) else f"residual.after_{name}",
            )

    @property
    def residual_scales(self) -> list[ResidualScale]:
        """The factor on the residual connection of each sub-layer: the same lambda, or in an Admin
        model omegas [d_model], the only parameters of the block's own.
        """
        return [*self.parameters(recurse=False)] or [self.shortcut] * len(self.names)


class B2TBlock(Block):
    """Post-LN, with a connection from the bottom of the block to its top: the last sub-layer is
    x = norm(x + f(x) + block input), the others are x = norm(x + f(x)) (Takase et al. 2022).
    """

    def forward(
        self, x: Stream, context: Context, trace: Trace = OFF, cache: BlockCache = NO_CACHE
    ) -> Stream:
        x = block_input = trace("residual.in", x)
        *others, last = self.sublayers(context, trace, cache)
        for f, norm, scale, name in others:
            x = trace(name, self.add_and_norm(x, f, norm, scale))
        return trace(last.name, last.norm(last.scale * x + last.f(x) + block_input))


BLOCKS = {"b2t": B2TBlock}
"""Placements that need a block of their own."""


def make_block(config: Config, stack: str) -> Block:
    return BLOCKS.get(config.placement, Block)(config, stack)


def block_with_placement(block: Block, placement: str) -> Block:
    """A block that shares the sub-layers, norms and weights of `block`, under another placement."""
    kind = BLOCKS.get(placement, Block)
    other = kind.__new__(kind)
    other.__dict__ = {**block.__dict__, "add_and_norm": PLACEMENTS[placement]}
    return other


class SubLayerKind(NamedTuple):
    """How a sub-layer is made for a stack, and what it is called with in a block."""

    make: Callable[[Config, str], nn.Module]
    call: Callable[..., Stream]


def attend_to_itself(
    attention: MultiHeadAttention, x: Stream, context: Context, trace: Trace, cache: BlockCache
) -> Stream:
    return attention(x, cache.recall(x, trace), context.mask, trace, cache.attention)


def attend_to_memory(
    attention: MultiHeadAttention, x: Stream, context: Context, trace: Trace, cache: BlockCache
) -> Stream:
    assert context.memory is not None, "cross-attention looks at the output of an encoder"
    return attention(x, context.memory, context.memory_mask, trace, cache.cross_attention)


def look_at_nothing(
    f: nn.Module, x: Stream, context: Context, trace: Trace, cache: BlockCache
) -> Stream:
    return f(x, trace)


def make_self_attention(config: Config, stack: str) -> MultiHeadAttention:
    return make_attention(config, make_relation(config, stack), make_slots(config))


SUBLAYERS = {
    "attention": SubLayerKind(make_self_attention, attend_to_itself),
    "cross_attention": SubLayerKind(lambda config, _: make_attention(config), attend_to_memory),
    "feed_forward": SubLayerKind(lambda config, _: make_feed_forward(config), look_at_nothing),
    "row_attention": SubLayerKind(lambda config, _: RowAttention(config), look_at_nothing),
    "row_feed_forward": SubLayerKind(lambda config, _: make_feed_forward(config), look_at_nothing),
}
