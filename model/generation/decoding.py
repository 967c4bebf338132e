"""Decoding: a next-token model generates a text, token by token.

`IncrementalDecoder` runs a model only on new tokens and caches the keys and values of earlier ones.
`generate_tokens` asks a chooser for each next token: `greedy`, `sampling`, or `forced`, which
follows a known text, for example the result of beam search (beam_search.py). A text ends with one
of the end tokens of its frame, which is part of the text, or at the limit. The frame may forbid
tokens; only the sampling filters (sampling_filters.py) renormalize.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model import progress
from model.generation.sampling_filters import Distribution, draw, sampling_distribution
from model.generation.ties import best
from model.inputs.text import Frame, pad_ids
from model.layers import masks
from model.layers.kv_cache import CacheBase, KVCache
from model.progress import request_batch
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
        """Keeps the rows `rows` of the batch, in this order; rows may be repeated."""


class IncrementalDecoder:
    """Incremental decoding with a KV cache; the batch has one row per hypothesis.

    `sources` include the encoder's special tokens and may differ in length; a model with one stack
    has none. Every position may attend to the first `prefix` positions, which must be read in one
    call. At the start of a segment, the cache is cut to the model's memory; a model without
    segments has a single one.
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
        """The decoder's last stream at the positions of `ids`, which must be in one segment."""
        self.begin()
        new = ids.shape[1]
        # The prefix is read in one call, and later positions attend to all of it anyway.
        first = self.prefix and not self.n_cached
        mask = masks.prefix(new, self.prefix) if first else masks.causal(new, self.n_cached)
        x = self.transformer.decode(
            ids, mask[None], self.memory, self.memory_mask, trace, self.n_read, self.cache
        )
        self.n_read, self.n_cached = self.n_read + new, self.n_cached + new
        return x

    def begin(self) -> None:
        """Encodes the sources before the first token, and cuts the cache at the start of a
        segment.
        """
        if self.sources is not None and self.memory is None:
            self.memory, self.memory_mask = encoded(self.transformer, self.sources)
        if self.n_read % self.segment == 0:
            self.n_cached = min(self.n_cached, self.most_cached)
            for block in self.cache:
                assert isinstance(block.attention, KVCache), "new_cache makes it so"
                block.attention.forget(self.most_cached)

    def select(self, rows: Int[Tensor, " kept"]) -> None:
        """Keeps the rows `rows` of the batch, in this order; rows may be repeated."""
        for block in self.cache:
            for cache in (block.attention, block.cross_attention):
                assert isinstance(cache, CacheBase), "new_cache makes it so"
                cache.select(rows)
        if self.memory is not None and self.memory_mask is not None:
            self.memory, self.memory_mask = self.memory[rows], self.memory_mask[rows]


def encoded(
    transformer: Transformer, sources: list[list[int]]
) -> tuple[Float[Tensor, "row source channel"], Bool[Tensor, "row 1 source"]]:
    """The encoder's output for sources of any length, and the mask of their tokens. It hides the
    padding, whatever its id.
    """
    source = pad_ids(sources, pad=0)
    lengths = torch.tensor([len(source) for source in sources])
    mask = (torch.arange(source.shape[1]) < lengths[:, None])[:, None, :]
    return transformer.encode(source, mask), mask


@dataclass(eq=False)
class Read:
    """What a text waits for: the `logits` of the token after `ids`, which its decoder reads. None
    until the read is made in a batch with those of other texts.
    """

    decoder: Decoder
    ids: Int[Tensor, "row new"]
    trace: Trace = OFF
    logits: Float[Tensor, "row vocabulary"] | None = None


def read(
    decoder: Decoder, ids: Int[Tensor, "row new"], trace: Trace = OFF
) -> Float[Tensor, "row vocabulary"]:
    """The logits of `decoder.read`, computed alone or in a batch with other texts."""
    pending = Read(decoder, ids, trace)
    request_batch(pending)
    return decoder.read(ids, trace) if pending.logits is None else pending.logits


@dataclass(frozen=True)
class Choice:
    """A chosen token: its id, the distribution `after` the filters, and the `draw` in [0, 1) that
    selects it; None if there is no distribution or no draw.
    """

    id: int
    after: Distribution | None = None
    draw: float | None = None


@dataclass(frozen=True)
class Step:
    """One generated token: the logits it was chosen from, the choice, every activation of the
    tokens read for it, [1, …], and the number of tokens read so far. For tokens read in a batch
    with other texts, only the attention weights are stored.
    """

    logits: Float[Tensor, " vocabulary"]
    choice: Choice
    trace: Mapping[str, Tensor]
    n_read: int


Chooser = Callable[[Float[Tensor, " vocabulary"]], Choice]


def greedy(logits: Float[Tensor, " vocabulary"]) -> Choice:
    """A chooser that takes the most probable token, as in sampling at temperature 0. Ties (ties.py)
    go to the lowest id.
    """
    return Choice(int(best(logits)), sampling_distribution(logits, temperature=0.0))


def sampling(seed: int, *, temperature: float = 1.0, **filters: float | int | None) -> Chooser:
    """A chooser that samples each token from the filtered distribution. Each chooser has its own
    generator, so a seed gives the same text whatever else runs.
    """
    generator = torch.Generator().manual_seed(seed)

    def choose(logits: Float[Tensor, " vocabulary"]) -> Choice:
        p = sampling_distribution(logits, temperature, **filters)
        u = float(torch.rand((), generator=generator, dtype=torch.float64))
        return Choice(draw(p, u), p, u)

    return choose


def forced(ids: list[int]) -> Chooser:
    """A chooser that follows `ids`, a known text."""
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
    """Yields a step for each token that `choose` selects after the prompt, up to an end token of
    `frame` or the limit. The decoder, which may have read the beginning of the prompt, then reads
    the token. `recorders` create the recorder of a step.
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
    """The logits of token number `step`, counted from 0, after each of `texts`, with -inf for those
    forbidden by `frame`: all but a forced first one, and those that are never generated, on their
    own or at the end of a sequence.
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
    """Greedy decoding of one source with special tokens: y_1 … y_m without start and end."""
    return greedy_decode_sources(transformer, [source_ids], max_new_tokens, frame)[0]


def greedy_decode_sources(
    transformer: Transformer, sources: list[list[int]], max_new_tokens: int, frame: Frame
) -> list[list[int]]:
    """Greedy decoding of several sources in one batch, each y_1 … y_m without the start and end
    tokens of `frame`.
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
    """Greedy decoding after each prompt: the tokens that follow it, without the end. A finished
    text leaves the batch. Ties go to the lowest id, as in `greedy`.
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
