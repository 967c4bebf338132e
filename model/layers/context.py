"""What the sub-layers of a block look at besides the stream."""

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
    """What the sub-layers of a block look at besides the stream; masks are True where a query may
    look. All heads share a mask: it may have axes in front, for a batch, and has none for heads.

    `mask` is of self-attention, [*batch, query, key]. `memory` is the output of the encoder
    [*batch, position, channel], where there is one to look at, and `memory_mask` [*batch, query,
    position] is its mask. `cache` is what this block need not compute again.
    """

    mask: Mask
    memory: Memory | None = None
    memory_mask: MemoryMask | None = None
    cache: BlockCache = NO_CACHE
