"""Several texts of one model read their next token in one pass. The results are the same as alone,
except for the order of sums. Every sum may round differently, and a norm after each restores the
scale of the stream, so errors add up like a random walk: sqrt(terms) units of rounding, 2^-24 of
the largest summand, in one sum, and sqrt(sums) times that in total. In 7,000 reads of the included
models, the logits differed by up to 20 units of the largest logit; the guaranteed limit is 64
(4e-6). Tokens within 16 units are tied (ties.py); of two tokens between 16 and 20 units apart,
either may come first.

The texts differ in length. Their keys are aligned at the end, so that offsets are those of each
text, and the mask hides the padding before the shorter ones. Rotated keys are rotated to the common
positions for this pass only. Absolute positions are those of each text.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from copy import copy
from itertools import chain
from typing import cast

import torch
from torch import Tensor
from torch.nn.functional import pad

from model.generation.decoding import IncrementalDecoder, Read, encoded
from model.layers.kv_cache import BlockCache, CacheBase, Compute, KeysValues, KVCache
from model.trace import Trace

LONG = 1024
"""The maximum length, in tokens, of a text that is read in a batch."""
Texts = Sequence[IncrementalDecoder]
Sizes = Sequence[int]


def read_incrementally(reads: Iterable[Read]) -> None:
    """Makes the single-token reads that texts of one model wait for, in batches. Other reads are
    left to those who wait for them.
    """
    found: dict[tuple, list[Read]] = defaultdict(list)
    for read in reads:
        text = cast(IncrementalDecoder, read.decoder)
        if read.ids.shape[1] == 1:
            found[text.transformer, place(text)].append(read)
    for alike in found.values():
        if len(alike) > 1:
            read_alike(alike)


def place(text: IncrementalDecoder) -> int:
    """Equal for texts that can be read in one batch: either all of them begin or none, and none is
    so long that padding the others would take most of the time. If scores depend on a key's index,
    their lengths are also equal.
    """
    located = text.transformer.config.attention.score == "location"
    return text.n_read if located else -(-text.n_read // LONG)


@torch.inference_mode()
def read_alike(reads: Sequence[Read]) -> None:
    """Makes the reads in one pass. The caches of the texts are changed only afterwards, so a pass
    that fails changes nothing.
    """
    texts = [cast(IncrementalDecoder, read.decoder) for read in reads]
    begin(texts)
    rows = [len(read.ids) for read in reads]
    sources = [0 if text.memory is None else text.memory.shape[1] for text in texts]
    layers = list(zip(*(text.cache for text in texts), strict=True))
    caches = [JoinedCache([block.attention for block in layer], rows) for layer in layers]
    cross = [
        JoinedMemory([block.cross_attention for block in layer], rows, sources) for layer in layers
    ]
    weights: dict[str, Tensor] = {}

    def keep(name: str, value: Tensor) -> Tensor:
        if name.endswith(".pattern"):
            weights[name] = value
        return value

    x = texts[0].transformer.decode(
        torch.cat([read.ids for read in reads]),
        caches[0].mask,
        *joined_memory(texts, max(sources)),
        Trace(keep),
        by_row([text.n_read for text in texts], rows),
        [BlockCache(*both) for both in zip(caches, cross, strict=True)],
    )
    logits = texts[0].transformer.unembed(x[:, -1]).split(rows)
    for joined in (*caches, *cross):
        joined.keep()
    parts = {name: value.split(rows) for name, value in weights.items()}
    for number, (read, text) in enumerate(zip(reads, texts, strict=True)):
        for name, part in parts.items():
            crosses = ".cross_attention." in name
            keys = slice(sources[number]) if crosses else slice(caches[0].ahead[number], None)
            read.trace(name, part[number][..., keys].clone())
        text.n_read, text.n_cached = text.n_read + 1, text.n_cached + 1
        read.logits = logits[number].clone()


def begin(texts: Texts) -> None:
    """Starts each text. Sources that are not encoded yet are encoded in one batch."""
    if texts[0].memory is None and texts[0].sources is not None:
        sources = [text.sources or [] for text in texts]
        memory, mask = encoded(texts[0].transformer, [*chain(*sources)])
        rows = [len(some) for some in sources]
        for text, *both in zip(texts, memory.split(rows), mask.split(rows), strict=True):
            n = max(map(len, text.sources or []))
            text.memory, text.memory_mask = both[0][:, :n], both[1][..., :n]
    for text in texts:
        text.begin()


def joined_memory(texts: Texts, size: int) -> tuple[Tensor | None, Tensor | None]:
    """The encoder outputs of the texts, and the mask that hides the padding."""
    memory = [text.memory for text in texts if text.memory is not None]
    masks = [text.memory_mask for text in texts if text.memory_mask is not None]
    if not memory:
        return None, None
    return behind(memory, size), torch.cat([pad(m, (0, size - m.shape[-1])) for m in masks])


class JoinedCache:
    """The self-attention caches of several texts in one pass. `ahead` is the number of padding
    positions before each text, and `rows` the number of its rows.
    """

    def __init__(self, caches: Sequence[KVCache], rows: Sizes):
        self.caches, self.rows = caches, rows
        self.longest = max(cache.length for cache in caches)
        self.ahead = [self.longest - cache.length for cache in caches]

    @property
    def mask(self) -> Tensor:
        ahead = torch.tensor(by_row(self.ahead, self.rows))
        return torch.arange(self.longest + 1) >= ahead[:, None, None]

    def __call__(self, compute: Compute) -> KeysValues:
        keys, values = compute(self.longest)
        shift, ahead = self.caches[0].shift, by_row(self.ahead, self.rows)
        back = shift(keys, tuple(-by for by in ahead))
        new = zip(back.split(self.rows), values.split(self.rows), strict=True)
        self.grown = [copy(cache) for cache in self.caches]
        both = [cache(lambda start, kv=kv: kv) for cache, kv in zip(self.grown, new, strict=True)]
        keys, values = (in_front(parts, self.longest + 1) for parts in zip(*both, strict=True))
        return shift(keys, ahead), values

    def keep(self) -> None:
        """Returns each text's part of the cache to it."""
        for cache, grown in zip(self.caches, self.grown, strict=True):
            cache.past = grown.past


class JoinedMemory:
    """The cross-attention caches of several texts in one pass; `sources` are their lengths."""

    def __init__(self, caches: Sequence[CacheBase], rows: Sizes, sources: Sizes):
        self.caches, self.rows, self.sources = caches, rows, sources
        self.parts = [cache.past for cache in caches]

    def __call__(self, compute: Compute) -> KeysValues:
        if self.parts[0] is not None:
            keys, values = (
                behind(parts, max(self.sources)) for parts in zip(*self.parts, strict=True)
            )
            return keys, values
        keys, values = compute(0)
        split = zip(keys.split(self.rows), values.split(self.rows), self.sources, strict=True)
        self.parts = [(k[..., :n, :].clone(), v[..., :n, :].clone()) for k, v, n in split]
        return keys, values

    def keep(self) -> None:
        """Returns each text's part of the cache to it."""
        for cache, part in zip(self.caches, self.parts, strict=True):
            cache.past = part


def by_row(values: Iterable[int], rows: Sizes) -> tuple[int, ...]:
    """The value of each text, repeated for each of its rows."""
    return tuple(value for value, n in zip(values, rows, strict=True) for _ in range(n))


def in_front(parts: Iterable[Tensor], size: int) -> Tensor:
    """Vectors of several texts as one batch, with padding before the shorter texts. The padding is
    masked, but must not be 0, because a score may divide by its norm.
    """
    return torch.cat([pad(part, (0, 0, size - part.shape[-2], 0), value=1.0) for part in parts])


def behind(parts: Iterable[Tensor], size: int) -> Tensor:
    """The same with padding after the shorter texts."""
    return torch.cat([pad(part, (0, 0, 0, size - part.shape[-2]), value=1.0) for part in parts])
