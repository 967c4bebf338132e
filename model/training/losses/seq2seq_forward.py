"""How a pair of sentences is read, by family: many at once to learn from, one alone to be measured,
and a source to be gone on from.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from model.generation.decoding import Reader, greedily, greedy_batch
from model.inputs.text import PAD, START
from model.layers import masks
from model.layers.norms import Stream
from model.trace import Trace
from model.training.data.sentence_pairs import Batch
from model.transformer import Transformer


@dataclass(frozen=True)
class Reading:
    """`taught`: the stream at every target position at once, each seeing the source and only what
    came before it.

    `logits` [target, vocabulary] of one pair, nothing padded; `looks` [head, target, source] of a
    layer of that, by its trace and the source's length; `written` a greedy target for each source,
    without <s> and </s>; `tokens` how many the model reads at once of sides of n and m pieces.
    Sources are framed, <s> x_1 … x_n </s>, and targets begin with <s>.
    """

    taught: Callable[[Transformer, Batch, Trace], Stream]
    logits: Callable[[Transformer, list[int], list[int], Trace], Float[Tensor, "target vocabulary"]]
    looks: Callable[[Mapping[str, Tensor], int, int], Float[Tensor, "head target source"]]
    written: Callable[[Transformer, list[list[int]], int], list[list[int]]]
    tokens: Callable[[int, int], int]


def reading(model: Transformer) -> Reading:
    return READINGS[model.config.family]


def taught_two(model: Transformer, batch: Batch, trace: Trace) -> Stream:
    source_mask = (batch.source != PAD)[:, None, :]
    target_mask = masks.causal(batch.target.shape[1])[None]
    memory = model.encode(batch.source, source_mask, trace)
    return model.decode(batch.target, target_mask, memory, source_mask, trace)


def logits_of_two(
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


def taught_one(model: Transformer, batch: Batch, trace: Trace) -> Stream:
    """Each target follows its own source, so that padding stands behind both, where no position
    that counts can see it.
    """
    lengths = (batch.source != PAD).sum(-1)
    pairs = zip(batch.source, batch.target, strict=True)
    text = pad_sequence(
        [torch.cat([s[s != PAD], t[t != PAD]]) for s, t in pairs],
        batch_first=True,
        padding_value=PAD,
    )
    n = text.shape[1]
    allowed = masks.either(masks.causal(n), masks.padding(n, lengths.tolist()))
    x = model.decode(text, allowed, trace=trace)
    places = (lengths[:, None] + torch.arange(batch.target.shape[1])).clamp(max=n - 1)
    return x[torch.arange(len(x))[:, None], places]


def logits_of_one(
    model: Transformer, source: list[int], target: list[int], trace: Trace
) -> Float[Tensor, "target vocabulary"]:
    text, n = torch.tensor([*source, *target]), len(source)
    return model.unembed(model.decode(text, masks.prefix(len(text), n), trace=trace)[n:])


def written_by_one(model: Transformer, sources: list[list[int]], most: int) -> list[list[int]]:
    """Sources of one length share a batch, with nothing padded."""
    texts: list[list[int]] = [[] for _ in sources]
    for length in {len(source) for source in sources}:
        alike = [i for i, source in enumerate(sources) if len(source) == length]
        prompts = torch.tensor([[*sources[i], START] for i in alike])
        for i, text in zip(
            alike, greedily(Reader(model, prefix=length), prompts, most), strict=True
        ):
            texts[i] = text
    return texts


READINGS = {
    "encoder-decoder": Reading(
        taught=taught_two,
        logits=logits_of_two,
        looks=lambda trace, layer, n: trace[f"decoder.{layer}.cross_attention.pattern"],
        written=greedy_batch,
        tokens=lambda n, m: 2 + max(n, m),
    ),
    "prefix": Reading(
        taught=taught_one,
        logits=logits_of_one,
        looks=lambda trace, layer, n: trace[f"decoder.{layer}.attention.pattern"][:, n:, :n],
        written=written_by_one,
        tokens=lambda n, m: 3 + n + m,
    ),
}
