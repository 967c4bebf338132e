"""A block: its input, and the activations of its sub-layers in the order of computation."""

from collections.abc import Iterator
from functools import partial

from model.activations.activation import (
    Activation,
    block_output,
    embedding_output,
    input_axis,
    stream_activation,
)
from model.activations.attention import cross_attention_activations, self_attention_activations
from model.activations.derivation import copy
from model.activations.feed_forward import feed_forward_activations
from model.activations.intersample_attention import intersample_attention_activations
from model.activations.residual import PLACEMENTS, SubLayer
from model.config import Config

SUBLAYERS = {
    "attention": self_attention_activations,
    "cross_attention": cross_attention_activations,
    "feed_forward": feed_forward_activations,
    "row_attention": intersample_attention_activations,
    "row_feed_forward": feed_forward_activations,
}
"""The activations of each sub-layer, from (config, scope, name of the stream read, axis)."""


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
        copy,
        f"{before}[position channel]",
    )
    for number, name in enumerate(names, start=1):
        inside = partial(SUBLAYERS[name], config, f"{scope}.{name}", axis=axis)
        f = SubLayer(config, scope, axis, number, name, x, name == names[-1], inside)
        yield from PLACEMENTS[config.placement].activations(f)
        x = f.after
