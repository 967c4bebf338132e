"""One layer of a stack: sub-layers, each with a norm and a residual connection around it."""

from copy import copy
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import nn

from model.config import Config
from model.layers.attention import MultiHeadAttention
from model.layers.context import Context
from model.layers.feed_forward import FeedForward
from model.layers.intersample_attention import RowAttention
from model.layers.norms import AnyNorm, Stream, make_norm
from model.layers.residual import PLACEMENTS, Placement, ResidualScale, parallel
from model.layers.sublayers import SUBLAYERS
from model.trace import OFF, Trace


@dataclass(frozen=True)
class SubLayer:
    """A sub-layer f, its norm, and the residual connection around both, whose equation is
    `placement`: the SublayerConnection of the Annotated Transformer (Rush 2018).

    `name` is the name of f in its block, `number` its place there, from 1, and `last` says whether
    it is the last one. `scale` is the factor of x on the residual connection.
    """

    f: nn.Module
    norm: AnyNorm
    placement: Placement
    scale: ResidualScale
    name: str
    number: int
    last: bool

    def __call__(self, x: Stream, context: Context, trace: Trace) -> Stream:
        f = partial(self.f, context=context, trace=trace / self.name)
        norm = partial(self.norm, trace=trace / f"norm{self.number}")
        bottom = context.bottom if self.last or self.placement is parallel else 0.0
        return self.placement(x, f, norm, self.scale, bottom)

    @property
    def writes(self) -> str:
        """The name by which the trace records the stream after this sub-layer."""
        return f"residual.{'out' if self.last else f'after_{self.name}'}"


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
        self.placement, self.shortcut = config.placement, config.shortcut
        self.parallel = config.parallel
        for number, name in enumerate(self.names, start=1):
            self.add_module(name, SUBLAYERS[name](config, stack))
            self.add_module(f"norm{number}", make_norm(config))
            if config.placement == "admin":
                # 1 until it is set from the measured variances of the sub-layers before it.
                omega = nn.Parameter(torch.ones(config.d_model))
                self.register_parameter(f"shortcut{number}", omega)

    def forward(self, x: Stream, context: Context, trace: Trace = OFF) -> Stream:
        """For each sub-layer f: x = norm(x + f(x)) in a Post-LN model, x = x + f(norm(x)) in a
        Pre-LN one; `layers/residual.py` has the equation of every placement. In a parallel model f
        reads the input of the block.
        """
        x = trace("residual.in", x)
        context = replace(context, bottom=x)
        for sublayer in self.sublayers:
            x = trace(sublayer.writes, sublayer(x, context, trace))
        return x

    @property
    def sublayers(self) -> list[SubLayer]:
        """The sub-layers in order, each with its own norm and scale."""
        return [self.sublayer(number, name) for number, name in enumerate(self.names, start=1)]

    def sublayer(self, number: int, name: str) -> SubLayer:
        """The sub-layer `name`, the `number`-th of the block, from 1. Its scale is its omega in an
        Admin model, and lambda, `Config.shortcut`, in any other.
        """
        return SubLayer(
            f=getattr(self, name),
            norm=getattr(self, f"norm{number}"),
            placement=parallel if self.parallel else PLACEMENTS[self.placement],
            scale=getattr(self, f"shortcut{number}", self.shortcut),
            name=name,
            number=number,
            last=number == len(self.names),
        )


def block_with_placement(block: Block, placement: str) -> Block:
    """A block that shares the sub-layers, norms and weights of `block`, under another placement."""
    other = copy(block)
    other.placement = placement
    return other
