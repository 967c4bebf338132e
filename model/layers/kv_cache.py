"""The KV cache: keys and values that are not recomputed while a sequence grows token by token.

A cache is called with a function that computes the keys and values of the new positions, given the
number of cached positions; it returns all of them. It stores one key and one value per group of
query heads (Ainslie et al. 2023), with keys already rotated if positions rotate them. `select`
keeps the given rows of the batch, in the given order and possibly repeated: beam search continues
with its best hypotheses this way.

A recall is called with a layer's input and returns it with the input of the previous segment
prepended: segment recurrence.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from model.trace import Trace

KeysValues = tuple[Tensor, Tensor]
Compute = Callable[[int], KeysValues]
Cache = Callable[[Compute], KeysValues]
Shift = Callable[[Tensor, int | tuple[int, ...]], Tensor]
Recall = Callable[[Tensor, Trace], Tensor]


def no_cache(compute: Compute) -> KeysValues:
    """Caches nothing."""
    return compute(0)


class CacheBase:
    """Holds the keys and values [row, kv_head, position, d_head] of the positions read so far."""

    def __init__(self):
        self.past: KeysValues | None = None

    def select(self, rows: Tensor) -> None:
        if self.past is not None:
            keys, values = self.past
            self.past = keys[rows], values[rows]


def unshifted(keys: Tensor, by: int | tuple[int, ...]) -> Tensor:
    """Keys that were not rotated do not depend on where the sequence starts."""
    return keys


class KVCache(CacheBase):
    """Self-attention: appends the new positions to the cached ones. In a model with rotary
    positions, `shift` rotates keys by a number of positions, which may differ by row.
    """

    def __init__(self, shift: Shift = unshifted):
        super().__init__()
        self.shift = shift

    @property
    def length(self) -> int:
        """The number of cached positions."""
        return 0 if self.past is None else self.past[0].shape[-2]

    def forget(self, most: int) -> None:
        """Keeps only the last `most` positions, as a layer's memory for the next segment. Their
        keys are rotated back so that positions count from 0 again.
        """
        start = max(0, self.length - most)
        if self.past is not None and start:
            keys, values = self.past
            self.past = self.shift(keys[..., start:, :], -start), values[..., start:, :]

    def __call__(self, compute: Compute) -> KeysValues:
        keys, values = compute(self.length)
        if self.past is not None:
            keys = torch.cat([self.past[0], keys], dim=-2)
            values = torch.cat([self.past[1], values], dim=-2)
        self.past = keys, values
        return self.past


class CrossAttentionCache(CacheBase):
    """Cross-attention: the encoder's output does not change, so its keys and values are computed
    once.
    """

    def __call__(self, compute: Compute) -> KeysValues:
        past = compute(0) if self.past is None else self.past
        self.past = past
        return past


def no_recall(x: Tensor, trace: Trace) -> Tensor:
    """No memory: attends to the current segment only."""
    return x


class SegmentMemory:
    """[SG(memory) x]: the last `most` inputs of the layer come first, without gradient (Dai et al.
    2019, section 3.2).
    """

    def __init__(self, most: int, memory: Tensor | None = None):
        self.most, self.memory = most, memory

    def __call__(self, x: Tensor, trace: Trace) -> Tensor:
        whole = trace("recalled", x if self.memory is None else torch.cat([self.memory, x], dim=-2))
        self.memory = whole[..., max(0, whole.shape[-2] - self.most) :, :].detach()
        return whole


@dataclass(frozen=True)
class BlockCache:
    """The cached keys and values of one block, and its memory of the previous segment."""

    attention: Cache = no_cache
    cross_attention: Cache = no_cache
    recall: Recall = no_recall


NO_CACHE = BlockCache()
