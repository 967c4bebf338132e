"""A stack of blocks, an encoder or a decoder: x = block_n(… block_1(x))."""

from dataclasses import replace
from typing import cast

from torch import nn

from model.config import Config
from model.layers.block import Block
from model.layers.context import Context
from model.layers.kv_cache import NO_CACHE, BlockCache
from model.layers.norms import Stream, make_final_norm
from model.trace import OFF, Trace

StackCache = list[BlockCache]


class Stack(nn.Module):
    """The blocks "0", "1", … and in a Pre-LN stack a norm behind the last of them, because its
    blocks return sums that are not normalised.
    """

    def __init__(self, config: Config, name: str):
        super().__init__()
        self.n_layers = config.layers(name)
        for layer in range(self.n_layers):
            self.add_module(str(layer), Block(config, name))
        self.norm = make_final_norm(config)

    def __getitem__(self, layer: int) -> Block:
        return cast(Block, self.get_submodule(str(layer)))  # only blocks bear a number

    @property
    def blocks(self) -> list[Block]:
        return [self[layer] for layer in range(self.n_layers)]

    def forward(
        self, x: Stream, context: Context, trace: Trace = OFF, cache: StackCache | None = None
    ) -> Stream:
        """`cache` has for each block the cached keys and values, or inputs of earlier segments."""
        caches = cache or [NO_CACHE] * self.n_layers
        for layer, (block, cached) in enumerate(zip(self.blocks, caches, strict=True)):
            x = block(x, replace(context, cache=cached), trace / layer)
        return self.norm(x, trace / "norm")
