"""The inputs of a block's sub-layers other than the residual stream."""

from collections.abc import Mapping
from dataclasses import dataclass

from jaxtyping import Bool, Float
from torch import Tensor

from model.layers.kv_cache import NO_CACHE, BlockCache

Mask = Bool[Tensor, "*#batch #query #key"]
Masks = Mapping[str, Bool[Tensor, "..."]]
Memory = Float[Tensor, "*batch memory channel"]
MemoryMask = Bool[Tensor, "*#batch #query memory"]


@dataclass(frozen=True)
class Context:
    """The inputs of a block's sub-layers other than the residual stream. Masks are True where a
    query may attend. All heads share a mask, which may have leading batch axes.

    `mask` [*batch, query, key] is for self-attention. `memory` [*batch, position, channel] is the
    encoder's output, if there is one, and `memory_mask` [*batch, query, position] is its mask.
    `cache` holds what this block has already computed.
    """

    mask: Mask
    memory: Memory | None = None
    memory_mask: MemoryMask | None = None
    cache: BlockCache = NO_CACHE
