"""Decoding: a model that predicts one token writes a text, every choice being read before the next.

`Reader` reads on with a KV cache. `write` asks a chooser for token after token; greedy and sampling
are choosers, and beam search (beam.py) finds a text that `following` then writes. A text ends with
END, which is part of it, or at the limit. No token is forbidden, and only the filters of sampling
(filters.py) renormalise.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from model.answers import progress
from model.generation.sampling_filters import Distribution, draw, filtered
from model.inputs.text import END, PAD, START
from model.layers import masks
from model.layers.kv_cache import CacheBase, KVCache
from model.trace import OFF, Recorder, Trace
from model.transformer import Transformer


class Reader:
    """A model reading on, one row for each text being written: what it has read stays in its cache.

    `sources` are framed as the encoder reads them, <s> x_1 … x_n </s>, and may differ in length; a
    model of one stack has none. The first `prefix` positions, which have to be read at once, are
    open to all. Where a segment begins, all but the model's memory is forgotten; a text of a model
    without segments is one.
    """

    def __init__(
        self, transformer: Transformer, sources: list[list[int]] | None = None, prefix: int = 0
    ):
        self.transformer, self.cache, self.n_read, self.n_kept = (
            transformer,
            transformer.new_cache(),
            0,
            0,
        )
        self.segment, self.most = (
            transformer.config.segment or sys.maxsize,
            transformer.config.memory,
        )
        self.prefix = prefix
        self.memory = self.memory_mask = None
        if sources is not None:
            source = pad_sequence(
                [torch.tensor(ids) for ids in sources], batch_first=True, padding_value=PAD
            )
            self.memory_mask = (source != PAD)[:, None, :]
            with torch.inference_mode():
                self.memory = transformer.encode(source, self.memory_mask)

    @torch.inference_mode()
    def read(
        self, ids: Int[Tensor, "row new"], trace: Trace = OFF
    ) -> Float[Tensor, "row vocabulary"]:
        """The logits of the token that follows `ids`, which follow all that was read before. The
        trace is of the last segment.
        """
        ends = range(self.segment - self.n_read % self.segment, ids.shape[1], self.segment)
        *before, last = ids.tensor_split(list(ends), dim=1)
        for part in before:
            self.go_on(part)
        return self.transformer.unembed(self.go_on(last, trace)[:, -1])

    def go_on(
        self, ids: Int[Tensor, "row new"], trace: Trace = OFF
    ) -> Float[Tensor, "row new channel"]:
        """Within one segment."""
        if self.n_read % self.segment == 0:
            self.n_kept = min(self.n_kept, self.most)
            for block in self.cache:
                assert isinstance(block.attention, KVCache), "new_cache makes it so"
                block.attention.forget(self.most)
        new = ids.shape[1]
        mask = masks.prefix(self.n_kept + new, self.prefix)[self.n_kept :][None]
        x = self.transformer.decode(
            ids, mask, self.memory, self.memory_mask, trace, self.n_read, self.cache
        )
        self.n_read, self.n_kept = self.n_read + new, self.n_kept + new
        return x

    def select(self, rows: Int[Tensor, " kept"]) -> None:
        """Goes on with these rows, in this order; a row may be named twice."""
        for block in self.cache:
            for cache in (block.attention, block.cross_attention):
                assert isinstance(cache, CacheBase), "new_cache makes it so"
                cache.select(rows)
        if self.memory is not None and self.memory_mask is not None:
            self.memory, self.memory_mask = self.memory[rows], self.memory_mask[rows]


@dataclass(frozen=True)
class Choice:
    """The token taken, the distribution it was taken from, and the number in [0, 1) that decided,
    where one was drawn.
    """

    id: int
    after: Distribution | None = None
    drawn: float | None = None


@dataclass(frozen=True)
class Step:
    """One token: the model's logits, what was chosen, every activation of the tokens read for it,
    [1, …], and how many it had read.
    """

    logits: Float[Tensor, " vocabulary"]
    choice: Choice
    trace: Mapping[str, Tensor]
    n_read: int


Chooser = Callable[[Float[Tensor, " vocabulary"]], Choice]


def greedy(logits: Float[Tensor, " vocabulary"]) -> Choice:
    """The most probable token: sampling at temperature 0."""
    return Choice(int(logits.argmax()), filtered(logits, temperature=0.0))


def sampling(seed: int, *, temperature: float = 1.0, **filters: float | int | None) -> Chooser:
    """Draws one number a token from a generator of its own, so the same seed gives the same text
    whoever else is asking.
    """
    generator = torch.Generator().manual_seed(seed)

    def choose(logits: Float[Tensor, " vocabulary"]) -> Choice:
        p = filtered(logits, temperature, **filters)
        u = float(torch.rand((), generator=generator, dtype=torch.float64))
        return Choice(draw(p, u), p, u)

    return choose


def following(ids: list[int]) -> Chooser:
    """Writes a text that is known already."""
    upcoming = iter(ids)
    return lambda logits: Choice(next(upcoming))


def write(
    reader: Reader, prompt: list[int], choose: Chooser, max_new_tokens: int
) -> Iterator[Step]:
    """Reads the prompt, then every token as it is chosen, until END or the limit."""
    new = prompt
    for _ in range(max_new_tokens):
        recorder = Recorder()
        logits = reader.read(torch.tensor([new]), recorder)[0]
        choice = choose(logits)
        yield Step(logits, choice, recorder.values, reader.n_read)
        if choice.id == END:
            return
        new = [choice.id]


def greedy_target(
    transformer: Transformer, source_ids: list[int], max_new_tokens: int
) -> list[int]:
    """The most probable token, again and again: y_1 … y_m without <s> and </s>."""
    return greedy_batch(transformer, [source_ids], max_new_tokens)[0]


def greedy_batch(
    transformer: Transformer, sources: list[list[int]], max_new_tokens: int
) -> list[list[int]]:
    """`greedy_target` of many sources at once."""
    return greedily(
        Reader(transformer, sources), torch.full((len(sources), 1), START), max_new_tokens
    )


def greedily(
    reader: Reader, prompts: Int[Tensor, "row position"], max_new_tokens: int
) -> list[list[int]]:
    """What follows each prompt, without </s>; a text that has ended leaves the batch."""
    texts: list[list[int]] = [[] for _ in prompts]
    writing, new = torch.arange(len(prompts)), prompts
    for _ in progress.steps(range(max_new_tokens)):
        last = reader.read(new).argmax(-1)
        going = last != END
        if not going.any():
            break
        writing, last = writing[going], last[going]
        if not going.all():
            reader.select(going.nonzero()[:, 0])
        for text, id in zip(writing.tolist(), last.tolist(), strict=True):
            texts[text].append(id)
        new = last[:, None]
    return texts
