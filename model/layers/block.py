"""A block: self-attention, cross-attention where there is an encoder to look at, feed-forward; each
added to the stream.
"""

from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.config import Config
from model.layers.attention import Attention, make_attention
from model.layers.feed_forward import FeedForward, make_feed_forward
from model.layers.intersample_attention import RowAttention
from model.layers.kv_cache import Cache, Recall, no_cache, no_recall
from model.layers.norms import PLACEMENTS, AnyNorm, Shortcut, Stream, make_norm
from model.layers.persistent_memory import make_slots
from model.layers.relative_positions import make_relation
from model.trace import OFF, Trace

Mask = Float[Tensor, "*#batch #position key"]
Memory = Float[Tensor, "*batch memory channel"]
MemoryMask = Float[Tensor, "*#batch #position memory"]


@dataclass
class BlockCache:
    """What one block need not compute again, and what it remembers of the segment before."""

    attention: Cache = no_cache
    cross_attention: Cache = no_cache
    recall: Recall = no_recall


class Block(nn.Module):
    """x -> LN(x + attention(x)) -> LN(x + feed_forward(x)) in a Post-LN model; `add_and_norm` says
    where the norm stands.

    norm1 and shortcut1 belong to the first sub-layer, and so on; a model without feed-forward has
    one sub-layer less.
    """

    attention: Attention
    cross_attention: Attention
    feed_forward: FeedForward
    row_attention: RowAttention
    row_feed_forward: FeedForward
    norm1: AnyNorm
    norm2: AnyNorm
    norm3: AnyNorm
    shortcut1: Shortcut
    shortcut2: Shortcut
    shortcut3: Shortcut

    def __init__(self, config: Config, stack: str):
        super().__init__()
        self.sublayers = config.sublayers(stack)
        self.add_and_norm = PLACEMENTS[config.placement]
        for number, name in enumerate(self.sublayers, start=1):
            self.add_module(name, SUBLAYERS[name](config, stack))
            self.add_module(f"norm{number}", make_norm(config))
            setattr(self, f"shortcut{number}", shortcut(config))

    def forward(
        self,
        x: Stream,
        mask: Mask,
        memory: Memory | None = None,
        memory_mask: MemoryMask | None = None,
        trace: Trace = OFF,
        cache: BlockCache = BlockCache(),  # noqa: B008 - it keeps nothing
    ) -> Stream:
        def attention(x: Stream) -> Stream:
            own = trace / "attention"
            return self.attention(x, cache.recall(x, own), mask, own, cache.attention)

        def cross_attention(x: Stream) -> Stream:
            assert memory is not None, "cross-attention looks at the output of an encoder"
            assert memory_mask is not None, "what is looked at has a mask"
            return self.cross_attention(
                x, memory, memory_mask, trace / "cross_attention", cache.cross_attention
            )

        def feed_forward(x: Stream) -> Stream:
            return self.feed_forward(x, trace / "feed_forward")

        def row_attention(x: Stream) -> Stream:
            return self.row_attention(x, trace / "row_attention")

        def row_feed_forward(x: Stream) -> Stream:
            return self.row_feed_forward(x, trace / "row_feed_forward")

        functions = {
            "attention": attention,
            "cross_attention": cross_attention,
            "feed_forward": feed_forward,
            "row_attention": row_attention,
            "row_feed_forward": row_feed_forward,
        }
        residual = trace / "residual"
        x = bottom = residual("in", x)
        for number, name in enumerate(self.sublayers, start=1):
            last = name == self.sublayers[-1]
            norm = partial(getattr(self, f"norm{number}"), trace=trace / f"norm{number}")
            x = self.add_and_norm(
                x,
                functions[name],
                norm,
                getattr(self, f"shortcut{number}"),
                bottom if last else 0.0,
            )
            x = residual("out" if last else f"after_{name}", x)
        return x


SUBLAYERS = {
    "attention": lambda config, stack: make_attention(
        config, make_relation(config, stack), make_slots(config)
    ),
    "cross_attention": lambda config, stack: make_attention(config),
    "feed_forward": lambda config, stack: make_feed_forward(config),
    "row_attention": lambda config, stack: RowAttention(config),
    "row_feed_forward": lambda config, stack: make_feed_forward(config),
}


def shortcut(config: Config) -> Shortcut:
    """lambda, the same everywhere; in an Admin model each sub-layer has an omega of its own,
    learned, 1 until it is profiled.
    """
    return (
        nn.Parameter(torch.ones(config.d_model)) if config.placement == "admin" else config.shortcut
    )
