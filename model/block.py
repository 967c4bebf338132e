"""A block: self-attention, cross-attention where there is an encoder to look at, feed-forward; each added to the stream."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor, nn

from model.attention import Attention
from model.cache import Cache, no_cache
from model.config import Config
from model.feed_forward import FeedForward
from model.norms import PLACEMENTS, LayerNorm, Stream
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
        self.norm1 = LayerNorm(config.d_model, config.norm_epsilon)
        self.cross_attention = Attention(config) if cross else None
        self.norm2 = LayerNorm(config.d_model, config.norm_epsilon)
        self.feed_forward = FeedForward(config)
        self.norm3 = LayerNorm(config.d_model, config.norm_epsilon) if cross else None

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
        x = residual("after_attention", self.add_and_norm(x, attend, normed("norm1")))
        if self.cross_attention is None:
            return residual("out", self.add_and_norm(x, feed_forward, normed("norm2")))
        x = residual("after_cross_attention", self.add_and_norm(x, attend_to_memory, normed("norm2")))
        return residual("out", self.add_and_norm(x, feed_forward, normed("norm3")))
