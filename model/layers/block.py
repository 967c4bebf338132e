"""One layer of a stack: sub-layers, each with a norm and a residual connection around it."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import torch
from torch import nn

from model.activations import derivation
from model.activations.activation import (
    Activation,
    block_output,
    embedding_output,
    input_axis,
    key_axis,
    stack_output,
    stream_activation,
)
from model.config import Config
from model.layers.attention import (
    AttentionSite,
    MultiHeadAttention,
    attention_activations,
    encoder_source,
    recalled_activation,
)
from model.layers.context import Context
from model.layers.favor_attention import KERNELS, make_attention
from model.layers.feed_forward import FeedForward, feed_forward_activations, make_feed_forward
from model.layers.intersample_attention import RowAttention, intersample_attention_activations
from model.layers.norms import AnyNorm, Stream, make_norm
from model.layers.persistent_memory import activation_with_slots, make_slots
from model.layers.relative_positions import RELATIVE_POSITIONS, make_relation
from model.layers.residual import PLACEMENTS, Scale, SubLayer, placement_of
from model.trace import OFF, Trace


class Block(nn.Module):
    """The sub-layers of one layer: self-attention, cross-attention if there is an encoder, and the
    feed-forward network. norm1 and Admin's shortcut1 belong to the first, norm2 and shortcut2 to
    the second, and so on.
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
            self.add_module(name, SUBLAYERS[name].make(config, stack))
            self.add_module(f"norm{number}", make_norm(config))
            if config.placement == "admin":
                # 1 until Admin initialization sets it from the measured variances.
                omega = nn.Parameter(torch.ones(config.d_model))
                self.register_parameter(f"shortcut{number}", omega)

    def forward(
        self,
        x: Stream,
        context: Context,
        trace: Trace = OFF,
        begin: int = 0,
        block_input: Stream | None = None,
    ) -> Stream:
        """The residual stream after all sub-layers f, one after another. `layers/residual.py` has
        the other norm placements. To begin in the middle of the block, pass the number of
        sub-layers already done as `begin`, the stream after them as x, and the stream before them
        as `block_input`.
        """
        if block_input is None:
            x = block_input = trace("residual.in", x)
        for number, name in list(enumerate(self.names, start=1))[begin:]:
            f = partial(getattr(self, name), context=context, trace=trace / name)
            norm = partial(getattr(self, f"norm{number}"), trace=trace / f"norm{number}")
            scale, is_last = self.residual_scale(number), number == len(self.names)
            if self.placement in ("post", "admin"):  # Vaswani et al. 2017; Liu et al. 2020
                x = norm(scale * x + f(x))
            elif self.placement == "pre":  # Xiong et al. 2020, figure 1b
                x = scale * x + f(norm(x))
            else:
                x = PLACEMENTS[self.placement](x, f, norm, scale, block_input, is_last)
            x = trace("residual.out" if is_last else f"residual.after_{name}", x)
        return x

    def residual_scale(self, number: int) -> Scale:
        """The scale of the residual connection around sub-layer `number`, counted from 1: omega
        [channel] in an Admin model, otherwise lambda, `Config.shortcut`.
        """
        return getattr(self, f"shortcut{number}", self.shortcut)


def block_with_placement(block: Block, placement: str) -> Block:
    """A block with another norm placement that shares the weights of `block`."""
    other = copy.copy(block)
    other.placement = placement
    return other


def self_attention(config: Config, stack: str) -> MultiHeadAttention:
    """Attention to the stream itself; only this kind has relative positions and slots."""
    return make_attention(config, relation=make_relation(config, stack), slots=make_slots(config))


def self_attention_activations(
    config: Config, scope: str, x: str, axis: str
) -> Iterator[Activation]:
    """The activations of a self-attention layer, with segment memory and persistent memory if the
    model has them.
    """
    memory = x
    if config.segments:
        memory = f"{scope}.recalled"
        yield recalled_activation(memory, x, axis)
    positions = RELATIVE_POSITIONS[config.positions.relative]
    site = AttentionSite(config, scope, x, memory, axis, key_axis(config, axis), positions)
    pattern = KERNELS[config.attention.kernel.name].activations(site)
    for row in attention_activations(site, pattern):
        yield activation_with_slots(row, scope) if config.attention.slots else row


def cross_attention_activations(
    config: Config, scope: str, x: str, axis: str
) -> Iterator[Activation]:
    """The activations of a cross-attention layer, whose keys and values come from the encoder."""
    memory, key = stack_output(config, "encoder"), input_axis(config, "encoder")
    positions = RELATIVE_POSITIONS["none"]
    site = AttentionSite(config, scope, x, memory, axis, key, positions)
    return attention_activations(site, KERNELS[config.attention.kernel.name].activations(site))


@dataclass(frozen=True)
class Part:
    """A kind of sub-layer: a function that makes it for a stack, and one that returns its
    activations from (config, scope, name of the input stream, axis). The sub-layer is called as
    f(x, context, trace).
    """

    make: Callable[[Config, str], nn.Module]
    activations: Callable[..., Iterator[Activation]]


SUBLAYERS = {
    "attention": Part(self_attention, self_attention_activations),
    "cross_attention": Part(
        lambda config, stack: make_attention(config, encoder_source), cross_attention_activations
    ),
    "feed_forward": Part(lambda config, stack: make_feed_forward(config), feed_forward_activations),
    "row_attention": Part(
        lambda config, stack: RowAttention(config), intersample_attention_activations
    ),
    "row_feed_forward": Part(
        lambda config, stack: make_feed_forward(config), feed_forward_activations
    ),
}
"""Keyed by name; `Config.sublayers` lists those of a block."""


def block_activations(config: Config, stack: str, layer: int) -> Iterator[Activation]:
    """The activations of one block; `x` is the name of the stream before the next sub-layer."""
    before = block_output(stack, layer - 1) if layer else embedding_output(config, stack)
    scope, axis, names = f"{stack}.{layer}", input_axis(config, stack), config.sublayers(stack)
    x = f"{scope}.residual.in"
    yield stream_activation(
        x,
        axis,
        "x",
        "The residual stream as the block finds it.",
        derivation.copy,
        f"{before}[position channel]",
    )
    for number, name in enumerate(names, start=1):
        inside = partial(SUBLAYERS[name].activations, config, f"{scope}.{name}", axis=axis)
        f = SubLayer(config, scope, axis, number, name, x, name == names[-1], inside)
        yield from placement_of(config).activations(f)
        x = f.after
