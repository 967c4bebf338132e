"""Decoding: a model that predicts one token generates a text, token after token.

`IncrementalDecoder` runs a model on new tokens only and keeps the keys and values of the old ones.
`generate_tokens` asks a chooser for each next token: `greedy`, `sampling`, or `forced`, which
follows a text that is known already, for example the one that beam search found (beam_search.py).
A text ends with one of the ends of its frame, which is part of the text, or at the limit. A token
is forbidden where the frame says so, and only the sampling filters (sampling_filters.py)
renormalise.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model import progress
from model.batching import request_batch
from model.generation.sampling_filters import Distribution, draw, sampling_distribution
from model.generation.ties import best
from model.inputs.frame import Frame
from model.inputs.text import pad_ids
from model.layers import masks
from model.layers.kv_cache import CacheBase, KVCache
from model.trace import OFF, Recorder, Trace
from model.transformer import Transformer


@runtime_checkable
class Decoder(Protocol):
    """Reads a batch of texts token by token. `n_read` is the number of tokens read so far."""

    @property
    def n_read(self) -> int: ...

    def read(
        self, ids: Int[Tensor, "row new"], trace: Trace = OFF
    ) -> Float[Tensor, "row vocabulary"]:
        """The logits of the token after `ids`, which continue the tokens read before."""
        ...

    def select(self, rows: Int[Tensor, " kept"]) -> None:
        """Keeps the rows `rows` of the batch, in this order; a row may be named twice."""


class IncrementalDecoder:
    """Incremental decoding with a KV cache; the batch has one row for each hypothesis.

    `sources` are framed as the encoder reads them and may differ in length; a model of one stack
    has none. Every position may look at the first `prefix` positions, which have
    to be read in one call. Where a segment begins, the cache is cut to the model's memory; a model
    without segments has one segment.
    """

    def __init__(
        self, transformer: Transformer, sources: list[list[int]] | None = None, prefix: int = 0
    ):
        config = transformer.config
        self.transformer, self.cache = transformer, transformer.new_cache()
        self.n_read, self.n_cached = 0, 0
        segments = config.segments
        self.segment, self.most_cached = (
            (segments.length, segments.memory) if segments else (sys.maxsize, 0)
        )
        self.prefix, self.sources = prefix, sources
        self.memory = self.memory_mask = None

    @torch.inference_mode()
    def read(
        self, ids: Int[Tensor, "row new"], trace: Trace = OFF
    ) -> Float[Tensor, "row vocabulary"]:
        """The logits of the token after `ids`, which continue the tokens read before. `trace`
        receives the activations of the last segment.
        """
        ends = range(self.segment - self.n_read % self.segment, ids.shape[1], self.segment)
        *before, last = ids.tensor_split(list(ends), dim=1)
        for part in before:
            self.step(part)
        return self.transformer.unembed(self.step(last, trace)[:, -1])

    def step(
        self, ids: Int[Tensor, "row new"], trace: Trace = OFF
    ) -> Float[Tensor, "row new channel"]:
        """The last stream of the decoder at the positions of `ids`, all of which lie in one
        segment.
        """
        self.begin()
        new = ids.shape[1]
        # The prefix is read in one call, and what comes later sees all of it in any case.
        first = self.prefix and not self.n_cached
        mask = masks.prefix(new, self.prefix) if first else masks.causal(new, self.n_cached)
        x = self.transformer.decode(
            ids, mask[None], self.memory, self.memory_mask, trace, self.n_read, self.cache
        )
        self.n_read, self.n_cached = self.n_read + new, self.n_cached + new
        return x

    def begin(self) -> None:
        """Encodes the sources before the first token, and cuts the cache where a segment begins."""
        if self.sources is not None and self.memory is None:
            self.memory, self.memory_mask = encoded(self.transformer, self.sources)
        if self.n_read % self.segment == 0:
            self.n_cached = min(self.n_cached, self.most_cached)
            for block in self.cache:
                assert isinstance(block.attention, KVCache), "new_cache makes it so"
                block.attention.forget(self.most_cached)

    def select(self, rows: Int[Tensor, " kept"]) -> None:
        """Keeps the rows `rows` of the batch, in this order; a row may be named twice."""
        for block in self.cache:
            for cache in (block.attention, block.cross_attention):
                assert isinstance(cache, CacheBase), "new_cache makes it so"
                cache.select(rows)
        if self.memory is not None and self.memory_mask is not None:
            self.memory, self.memory_mask = self.memory[rows], self.memory_mask[rows]


def encoded(
    transformer: Transformer, sources: list[list[int]]
) -> tuple[Float[Tensor, "row source channel"], Bool[Tensor, "row 1 source"]]:
    """What the encoder writes of sources of any length, and the mask of their tokens. It hides the
    pads, whatever their id.
    """
    source = pad_ids(sources, pad=0)
    lengths = torch.tensor([len(source) for source in sources])
    mask = (torch.arange(source.shape[1]) < lengths[:, None])[:, None, :]
    return transformer.encode(source, mask), mask


@dataclass(eq=False)
class Read:
    """What a text waits for: the `logits` of the token after `ids`, which its decoder reads. They
    are None until the read was made together with those of other texts.
    """

    decoder: Decoder
    ids: Int[Tensor, "row new"]
    trace: Trace = OFF
    logits: Float[Tensor, "row vocabulary"] | None = None


def read(
    decoder: Decoder, ids: Int[Tensor, "row new"], trace: Trace = OFF
) -> Float[Tensor, "row vocabulary"]:
    """The logits of `decoder.read`, made alone or with those that other texts wait for."""
    pending = Read(decoder, ids, trace)
    request_batch(pending)
    return decoder.read(ids, trace) if pending.logits is None else pending.logits


@dataclass(frozen=True)
class Choice:
    """A chosen token: its id, the distribution `after` the filters, and the `draw` in [0, 1)
    that selects it; None where there is no distribution or no draw.
    """

    id: int
    after: Distribution | None = None
    draw: float | None = None


@dataclass(frozen=True)
class Step:
    """One generated token: the logits it was chosen from, the choice, every activation of the
    tokens read for it, [1, …], and the number of tokens read so far. Of tokens that were read
    together with those of other texts there are the attention weights alone.
    """

    logits: Float[Tensor, " vocabulary"]
    choice: Choice
    trace: Mapping[str, Tensor]
    n_read: int


Chooser = Callable[[Float[Tensor, " vocabulary"]], Choice]


def greedy(logits: Float[Tensor, " vocabulary"]) -> Choice:
    """A chooser that takes the most probable token, which is sampling at temperature 0. Of tokens
    that are tied (ties.py) it takes the one with the lowest id.
    """
    return Choice(int(best(logits)), sampling_distribution(logits, temperature=0.0))


def sampling(seed: int, *, temperature: float = 1.0, **filters: float | int | None) -> Chooser:
    """A chooser that draws each token from the filtered distribution. Each chooser has a generator
    of its own, so that a seed gives the same text whatever else runs.
    """
    generator = torch.Generator().manual_seed(seed)

    def choose(logits: Float[Tensor, " vocabulary"]) -> Choice:
        p = sampling_distribution(logits, temperature, **filters)
        u = float(torch.rand((), generator=generator, dtype=torch.float64))
        return Choice(draw(p, u), p, u)

    return choose


def forced(ids: list[int]) -> Chooser:
    """A chooser that follows `ids`, a text that is known already."""
    upcoming = iter(ids)
    return lambda logits: Choice(next(upcoming))


def generate_tokens(
    decoder: Decoder,
    prompt: list[int],
    choose: Chooser,
    max_new_tokens: int,
    frame: Frame,
    recorders: Callable[[], Recorder] = Recorder,
) -> Iterator[Step]:
    """Yields a step for each token that `choose` selects after the prompt, up to an end of `frame`
    or the limit. The decoder, which may have read the beginning of the prompt, then reads the
    token. `recorders` make what records a step.
    """
    new, text = prompt[decoder.n_read :], list(prompt)
    for step in range(max_new_tokens):
        recorder = recorders()
        logits = read(decoder, torch.tensor([new]), recorder)
        choice = choose(permitted(logits, frame, step, [text])[0])
        yield Step(logits[0], choice, recorder.values, decoder.n_read)
        if choice.id in frame.ends:
            return
        new = [choice.id]
        text += new


def permitted(
    logits: Float[Tensor, "row vocabulary"], frame: Frame, step: int, texts: Iterable[list[int]]
) -> Float[Tensor, "row vocabulary"]:
    """The logits of token number `step` behind each of `texts`, counted from 0, with -inf for those
    that `frame` forbids: all but a first one that it forces, and those that are never written, by
    themselves or behind the others of a row.
    """
    if step == 0 and frame.first is not None:
        others = torch.arange(logits.shape[-1], device=logits.device) != frame.first
        return logits.masked_fill(others, -torch.inf)
    if not frame.never and not frame.never_rows:
        return logits
    able = logits.clone()
    for row, text in zip(able, texts, strict=True):
        row[[id for id in frame.forbidden(text) if id < len(row)]] = -torch.inf
    return able


def greedy_decode_source(
    transformer: Transformer, source_ids: list[int], max_new_tokens: int, frame: Frame
) -> list[int]:
    """Greedy decoding of one framed source: y_1 … y_m without the start and the end."""
    return greedy_decode_sources(transformer, [source_ids], max_new_tokens, frame)[0]


def greedy_decode_sources(
    transformer: Transformer, sources: list[list[int]], max_new_tokens: int, frame: Frame
) -> list[list[int]]:
    """Greedy decoding of several framed sources in one batch, each y_1 … y_m without the start and
    the end of `frame`.
    """
    return greedy_decode(
        IncrementalDecoder(transformer, sources),
        torch.full((len(sources), 1), frame.start),
        max_new_tokens,
        frame,
    )


def greedy_decode(
    decoder: Decoder,
    prompts: Int[Tensor, "row position"],
    max_new_tokens: int,
    frame: Frame,
) -> list[list[int]]:
    """Greedy decoding after each prompt: the tokens that follow it, without the end. A text that
    has ended leaves the batch. Of tied tokens the one with the lowest id is taken, as in `greedy`.
    """
    texts, start = prompts.tolist(), prompts.shape[1]
    writing, new = torch.arange(len(prompts)), prompts
    for step in progress.steps(range(max_new_tokens)):
        so_far = (texts[text] for text in writing.tolist())
        last = best(permitted(decoder.read(new), frame, step, so_far)).to(prompts.device)
        going = ~frame.ended(last)
        if not going.any():
            break
        writing, last = writing[going], last[going]
        if not going.all():
            decoder.select(going.nonzero()[:, 0])
        for text, id in zip(writing.tolist(), last.tolist(), strict=True):
            texts[text].append(id)
        new = last[:, None]
    return [text[start:] for text in texts]
