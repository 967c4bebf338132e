"""The KV cache: what attention need not compute again while a text grows token by token.

A cache is called with a function that computes the keys and values of what is new, from the number
of positions that are kept already, and returns all of them. What is kept is as small as it can be:
one key and one value for each group of queries that share them (Ainslie et al. 2023), the keys
rotated where positions rotate them, each of them once. `select` keeps some rows of the batch, in a
new order and as often as named: how a beam search carries on with its best hypotheses.

A recall is called with a layer's input and returns it with that of the segment before in front:
segment recurrence.
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
    """Keeps nothing."""
    return compute(0)


class CacheBase:
    """Holds the keys and values [row, kv_head, position, d_head] of what has been read."""

    def __init__(self):
        self.past: KeysValues | None = None

    def select(self, rows: Tensor) -> None:
        if self.past is not None:
            keys, values = self.past
            self.past = keys[rows], values[rows]


def unshifted(keys: Tensor, by: int | tuple[int, ...]) -> Tensor:
    """Keys that have not been rotated stay what they are, wherever their text is said to begin."""
    return keys


class KVCache(CacheBase):
    """Self-attention: appends the new positions to those already seen. `shift` rotates keys by a
    number of positions, or those of each row by one of its own, in a model whose positions rotate
    them.
    """

    def __init__(self, shift: Shift = unshifted):
        super().__init__()
        self.shift = shift

    @property
    def length(self) -> int:
        """The number of positions that are kept."""
        return 0 if self.past is None else self.past[0].shape[-2]

    def forget(self, most: int) -> None:
        """Keeps the last `most` positions: what a layer remembers when a new segment begins. They
        are turned back by the number of those before them, so that they count from 0 again.
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
    """There is only this segment."""
    return x


class SegmentMemory:
    """[SG(memory) x]: the last `most` inputs of the layer come first, and their gradient stops (Dai
    et al. 2019, section 3.2).
    """

    def __init__(self, most: int, memory: Tensor | None = None):
        self.most, self.memory = most, memory

    def __call__(self, x: Tensor, trace: Trace) -> Tensor:
        whole = trace("recalled", x if self.memory is None else torch.cat([self.memory, x], dim=-2))
        self.memory = whole[..., max(0, whole.shape[-2] - self.most) :, :].detach()
        return whole


@dataclass(frozen=True)
class BlockCache:
    """What one block need not compute again, and what it remembers of the segment before."""

    attention: Cache = no_cache
    cross_attention: Cache = no_cache
    recall: Recall = no_recall


NO_CACHE = BlockCache()
