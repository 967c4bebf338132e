"""A stack of blocks, an encoder or a decoder: x = block_n(… block_1(x))."""

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from torch import nn

from model.activations.activation import Activation, block_output, input_axis
from model.activations.residual_scale import Sum
from model.config import Config
from model.layers.block import Block, block_activations
from model.layers.context import Context
from model.layers.embedding import embedding_activations
from model.layers.kv_cache import NO_CACHE, BlockCache
from model.layers.norms import Stream, make_final_norm, norm_activations
from model.trace import OFF, Trace

StackCache = list[BlockCache]


class Stack(nn.Module):
    """The blocks "0", "1", …; in a Pre-LN stack also a norm after the last block, because a block's
    output is a sum that is not normalized.
    """

    def __init__(self, config: Config, name: str):
        super().__init__()
        self.n_layers = config.layers(name)
        for layer in range(self.n_layers):
            self.add_module(str(layer), Block(config, name))
        self.norm = make_final_norm(config)

    def __getitem__(self, layer: int) -> Block:
        return cast(Block, self.get_submodule(str(layer)))  # only blocks have a number as name

    @property
    def blocks(self) -> list[Block]:
        return [self[layer] for layer in range(self.n_layers)]

    def forward(
        self, x: Stream, context: Context, trace: Trace = OFF, cache: StackCache | None = None
    ) -> Stream:
        """`cache` holds for each block its cached keys and values, or its inputs from earlier
        segments.
        """
        caches = cache or [NO_CACHE] * self.n_layers
        for layer, (block, cached) in enumerate(zip(self.blocks, caches, strict=True)):
            x = block(x, replace(context, cache=cached), trace / layer)
        return self.norm(x, trace / "norm")


def stack_activations(config: Config, stack: str) -> Iterator[Activation]:
    """The embedding, the blocks, and the final norm if the stack has one."""
    yield from embedding_activations(config, stack)
    for layer in range(config.layers(stack)):
        yield from block_activations(config, stack, layer)
    if config.has_final_norm:
        x = Sum((block_output(stack, config.layers(stack) - 1),))
        yield from norm_activations(config, f"{stack}.norm", input_axis(config, stack), x)
