"""Forward passes for sentence pairs, by model family: a batch with teacher forcing, one pair
without padding, and greedy decoding.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from model.generation.decoding import IncrementalDecoder, greedy_decode, greedy_decode_sources
from model.inputs.text import Frame
from model.layers import masks
from model.layers.norms import Stream
from model.trace import Trace
from model.training.data.sentence_pairs import Batch
from model.transformer import Transformer


@dataclass(frozen=True)
class ForwardPasses:
    """The forward passes of one family. Sources include the special tokens, and targets begin with
    the start token.

    `teacher_forced_states(model, batch, trace)` is the decoder's last stream at every target
    position of a batch, which attends to the source and to the target up to itself. `logits(model,
    source, target, trace)` are those of one pair, without padding. `cross_attention(trace, layer,
    n)` [head, target, source] is the attention from the target to the source of n tokens in that
    pass. `greedy(model, sources, limit, frame)` decodes each source to at most `limit` tokens,
    without start and end. `tokens(n, m)` is the longest sequence, in tokens, that the model reads
    for sides of n and m pieces.
    """

    teacher_forced_states: Callable[[Transformer, Batch, Trace], Stream]
    logits: Callable[[Transformer, list[int], list[int], Trace], Float[Tensor, "target vocabulary"]]
    cross_attention: Callable[[Mapping[str, Tensor], int, int], Float[Tensor, "head target source"]]
    greedy: Callable[[Transformer, list[list[int]], int, Frame], list[list[int]]]
    tokens: Callable[[int, int], int]


def forward_passes(model: Transformer) -> ForwardPasses:
    """The forward passes for the family of `model`."""
    return FORWARD_PASSES[model.config.family]


def encoder_decoder_states(model: Transformer, batch: Batch, trace: Trace) -> Stream:
    """The teacher-forced states of an encoder-decoder."""
    source_mask = (batch.source != batch.pad)[:, None, :]
    target_mask = masks.causal(batch.target.shape[1])[None]
    memory = model.encode(batch.source, source_mask, trace)
    return model.decode(batch.target, target_mask, memory, source_mask, trace)


def encoder_decoder_logits(
    model: Transformer, source: list[int], target: list[int], trace: Trace
) -> Float[Tensor, "target vocabulary"]:
    memory = model.encode(torch.tensor(source), masks.full(len(source)), trace)
    everything = torch.ones(len(target), len(source), dtype=torch.bool)
    return model.unembed(
        model.decode(
            torch.tensor(target),
            masks.causal(len(target)),
            memory,
            everything,
            trace,
        )
    )


def prefix_states(model: Transformer, batch: Batch, trace: Trace) -> Stream:
    """The teacher-forced states of a prefix model. Each target follows its own source, so that
    padding comes after both, where no target position attends to it.
    """
    pad, lengths = batch.pad, (batch.source != batch.pad).sum(-1)
    pairs = zip(batch.source, batch.target, strict=True)
    text = pad_sequence(
        [torch.cat([s[s != pad], t[t != pad]]) for s, t in pairs],
        batch_first=True,
        padding_value=pad,
    )
    n = text.shape[1]
    allowed = masks.either(masks.causal(n), masks.padding(n, lengths.tolist()))
    x = model.decode(text, allowed, trace=trace)
    places = (lengths[:, None] + torch.arange(batch.target.shape[1])).clamp(max=n - 1)
    return x[torch.arange(len(x))[:, None], places]


def prefix_logits(
    model: Transformer, source: list[int], target: list[int], trace: Trace
) -> Float[Tensor, "target vocabulary"]:
    text, n = torch.tensor([*source, *target]), len(source)
    return model.unembed(model.decode(text, masks.prefix(len(text), n), trace=trace)[n:])


def prefix_greedy(
    model: Transformer, sources: list[list[int]], limit: int, frame: Frame
) -> list[list[int]]:
    """Greedy decoding with a prefix model. Sources of equal length share a batch, without
    padding.
    """
    texts: list[list[int]] = [[] for _ in sources]
    for length in {len(source) for source in sources}:
        alike = [i for i, source in enumerate(sources) if len(source) == length]
        prompts = torch.tensor([[*sources[i], frame.start] for i in alike])
        for i, text in zip(
            alike,
            greedy_decode(IncrementalDecoder(model, prefix=length), prompts, limit, frame),
            strict=True,
        ):
            texts[i] = text
    return texts


FORWARD_PASSES = {
    "encoder-decoder": ForwardPasses(
        teacher_forced_states=encoder_decoder_states,
        logits=encoder_decoder_logits,
        cross_attention=lambda trace, layer, n: trace[f"decoder.{layer}.cross_attention.pattern"],
        greedy=greedy_decode_sources,
        tokens=lambda n, m: 2 + max(n, m),
    ),
    "prefix": ForwardPasses(
        teacher_forced_states=prefix_states,
        logits=prefix_logits,
        cross_attention=lambda trace, layer, n: trace[f"decoder.{layer}.attention.pattern"][
            :, n:, :n
        ],
        greedy=prefix_greedy,
        tokens=lambda n, m: 3 + n + m,
    ),
}
