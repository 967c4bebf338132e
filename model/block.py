"""A block: self-attention, cross-attention where there is an encoder to look at, feed-forward; each added to the stream."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.attention import Attention
from model.cache import Cache, no_cache
from model.config import Config
from model.feed_forward import FeedForward
from model.norms import PLACEMENTS, Shortcut, Stream, make_norm
from model.trace import OFF, Trace

Mask = Float[Tensor, "*#batch #position key"]
Memory = Float[Tensor, "*batch memory channel"]
MemoryMask = Float[Tensor, "*#batch #position memory"]


@dataclass
class BlockCache:
    """The caches of one block's attentions."""

    attention: Cache = no_cache
    cross_attention: Cache = no_cache


class Block(nn.Module):
    """x -> LN(x + attention(x)) -> LN(x + feed_forward(x)) in a Post-LN model; `add_and_norm` says where the norm stands."""

    def __init__(self, config: Config, cross: bool):
        super().__init__()
        self.add_and_norm = PLACEMENTS[config.placement]
        self.attention = Attention(config)
        self.norm1 = make_norm(config)
        self.cross_attention = Attention(config) if cross else None
        self.norm2 = make_norm(config)
        self.feed_forward = FeedForward(config)
        self.norm3 = make_norm(config) if cross else None
        self.shortcut1, self.shortcut2 = shortcut(config), shortcut(config)
        self.shortcut3 = shortcut(config) if cross else None

    def forward(
        self,
        x: Stream,
        mask: Mask,
        memory: Memory | None = None,
        memory_mask: MemoryMask | None = None,
        trace: Trace = OFF,
        cache: BlockCache = BlockCache(),  # noqa: B008 - it keeps nothing
    ) -> Stream:
        def attend(x: Stream) -> Stream:
            return self.attention(x, x, mask, trace / "attention", cache.attention)

        def attend_to_memory(x: Stream) -> Stream:
            return self.cross_attention(x, memory, memory_mask, trace / "cross_attention", cache.cross_attention)

        def feed_forward(x: Stream) -> Stream:
            return self.feed_forward(x, trace / "feed_forward")

        def normed(name: str):
            return lambda x: getattr(self, name)(x, trace / name)

        residual = trace / "residual"
        x = residual("in", x)
        x = residual("after_attention", self.add_and_norm(x, attend, normed("norm1"), self.shortcut1))
        if self.cross_attention is None:
            return residual("out", self.add_and_norm(x, feed_forward, normed("norm2"), self.shortcut2))
        x = residual("after_cross_attention", self.add_and_norm(x, attend_to_memory, normed("norm2"), self.shortcut2))
        return residual("out", self.add_and_norm(x, feed_forward, normed("norm3"), self.shortcut3))


def shortcut(config: Config) -> Shortcut:
    """lambda, the same everywhere; in an Admin model each sub-layer has an omega of its own, learned, 1 until it is profiled."""
    return nn.Parameter(torch.ones(config.d_model)) if config.placement == "admin" else config.shortcut
