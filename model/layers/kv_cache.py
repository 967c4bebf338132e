"""The KV cache: what attention need not compute again while a text grows token by token.

A cache is called with a function that computes the keys and values of what is new, and returns all
of them. `select` keeps some rows of the batch, in a new order and as often as named: how a beam
search carries on with its best hypotheses.

A recall is called with a layer's input and returns it with that of the segment before in front:
segment recurrence.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from model.trace import Trace

KeysValues = tuple[Tensor, Tensor]
Cache = Callable[[Callable[[], KeysValues]], KeysValues]
Recall = Callable[[Tensor, Trace], Tensor]


def no_cache(compute: Callable[[], KeysValues]) -> KeysValues:
    """Keeps nothing."""
    return compute()


class CacheBase:
    """Holds the keys and values [row, head, position, d_head] of what has been read."""

    def __init__(self):
        self.kept: KeysValues | None = None

    def select(self, rows: Tensor) -> None:
        if self.kept is not None:
            keys, values = self.kept
            self.kept = keys[rows], values[rows]


class KVCache(CacheBase):
    """Self-attention: appends the new positions to those already seen."""

    def forget(self, most: int) -> None:
        """Keeps the last `most` positions: what a layer remembers when a new segment begins."""
        if self.kept is not None:
            keys, values = self.kept
            start = max(0, keys.shape[-2] - most)
            self.kept = keys[..., start:, :], values[..., start:, :]

    def __call__(self, compute: Callable[[], KeysValues]) -> KeysValues:
        keys, values = compute()
        if self.kept is not None:
            keys = torch.cat([self.kept[0], keys], dim=-2)
            values = torch.cat([self.kept[1], values], dim=-2)
        self.kept = keys, values
        return self.kept


class CrossAttentionCache(CacheBase):
    """Cross-attention: the encoder's output does not change, so its keys and values are computed
    once.
    """

    def __call__(self, compute: Callable[[], KeysValues]) -> KeysValues:
        kept = compute() if self.kept is None else self.kept
        self.kept = kept
        return kept


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


@dataclass
class BlockCache:
    """What one block need not compute again, and what it remembers of the segment before."""

    attention: Cache = no_cache
    cross_attention: Cache = no_cache
    recall: Recall = no_recall


NO_CACHE = BlockCache()
