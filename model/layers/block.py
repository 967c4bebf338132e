"""One layer of a stack: sub-layers, each with a norm and a residual connection around it."""

from collections.abc import Callable
from copy import copy
from functools import partial

import torch
from torch import nn

from model.config import Config
from model.layers.attention import MultiHeadAttention, encoder_output
from model.layers.context import Context
from model.layers.favor_attention import make_attention
from model.layers.feed_forward import FeedForward, make_feed_forward
from model.layers.intersample_attention import RowAttention
from model.layers.norms import AnyNorm, Stream, make_norm
from model.layers.persistent_memory import make_slots
from model.layers.relative_positions import make_relation
from model.layers.residual import PLACEMENTS, ResidualScale
from model.trace import OFF, Trace


def self_attention(config: Config, stack: str) -> MultiHeadAttention:
    """Attention to the stream itself, the only one with relative positions and slots."""
    return make_attention(config, relation=make_relation(config, stack), slots=make_slots(config))


SUBLAYERS: dict[str, Callable[[Config, str], nn.Module]] = {
    "attention": self_attention,
    "cross_attention": lambda config, stack: make_attention(config, encoder_output),
    "feed_forward": lambda config, stack: make_feed_forward(config),
    "row_attention": lambda config, stack: RowAttention(config),
    "row_feed_forward": lambda config, stack: make_feed_forward(config),
}
"""How a sub-layer is made for a stack, by its name; all are called as f(x, context, trace).
`Config.sublayers` says which of them a block has.
"""


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
        self.placement = "parallel" if config.parallel else config.placement
        self.shortcut = config.shortcut
        for number, name in enumerate(self.names, start=1):
            self.add_module(name, SUBLAYERS[name](config, stack))
            self.add_module(f"norm{number}", make_norm(config))
            if config.placement == "admin":
                # 1 until it is set from the measured variances of the sub-layers before it.
                omega = nn.Parameter(torch.ones(config.d_model))
                self.register_parameter(f"shortcut{number}", omega)

    def forward(
        self,
        x: Stream,
        context: Context,
        trace: Trace = OFF,
        begin: int = 0,
        entry: Stream | None = None,
    ) -> Stream:
        """The stream after all sub-layers f, one after another. `layers/residual.py` has the
        placements of the norm that are not written here. To begin in the middle, `begin` counts the
        sub-layers that are done, x is the stream after them, and `entry` the input of the block.
        """
        if entry is None:
            x = entry = trace("residual.in", x)
        for number, name in list(enumerate(self.names, start=1))[begin:]:
            f = partial(getattr(self, name), context=context, trace=trace / name)
            norm = partial(getattr(self, f"norm{number}"), trace=trace / f"norm{number}")
            scale, is_last = self.residual_scale(number), number == len(self.names)
            if self.placement in ("post", "admin"):  # Vaswani et al. 2017; Liu et al. 2020
                x = norm(scale * x + f(x))
            elif self.placement == "pre":  # Xiong et al. 2020, figure 1b
                x = scale * x + f(norm(x))
            else:
                x = PLACEMENTS[self.placement](x, f, norm, scale, entry, is_last)
            x = trace("residual.out" if is_last else f"residual.after_{name}", x)
        return x

    def residual_scale(self, number: int) -> ResidualScale:
        """The factor of the stream where it passes the `number`-th sub-layer, from 1: omega
        [channel] in an Admin model, and lambda, `Config.shortcut`, in any other.
        """
        return getattr(self, f"shortcut{number}", self.shortcut)


def block_with_placement(block: Block, placement: str) -> Block:
    """A block that shares the sub-layers, norms and weights of `block`, under another placement."""
    other = copy(block)
    other.placement = placement
    return other
