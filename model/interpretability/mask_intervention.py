"""The same input again under another mask of one stack's self-attention: what changes, and which
token leaks to where.
"""

from collections.abc import Callable, Mapping

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import pad

from model.activations.activation import input_axis, stack_output
from model.inputs.text import SPECIAL
from model.layers.block import BlockCache
from model.layers.kv_cache import SegmentMemory
from model.layers.masks import Allowed
from model.runs.run import Run, id_tensor
from model.trace import OFF, Recorder, Trace
from model.transformer import StackCache

Outputs = Float[Tensor, "*batch position output"]
Ids = Int[Tensor, "*batch position"]
Leak = Float[Tensor, "query key"]
REPLACEMENTS = 4


def outputs(run: Run, stack: str, allowed: Allowed, trace: Trace = OFF) -> Callable[[Ids], Outputs]:
    """Ids of the text that `stack` reads to what it hands on under the mask: logits of the last
    stack, else the stream.
    """
    transformer, mask = run.model.transformer, beside_memory(run, allowed)
    if stack != run.config.stacks[-1]:
        return lambda ids: transformer.encode(ids, mask, trace)
    if stack == "encoder":
        return lambda ids: transformer.unembed(transformer.encode(ids, mask, trace), trace)
    if not run.config.cross:
        return lambda ids: transformer.unembed(
            transformer.decode(ids, mask, trace=trace, cache=remembering(run, ids)), trace
        )
    memory, cross = (
        run.trace[stack_output(run.config, "encoder")],
        run.masks["decoder.cross_attention"],
    )
    return lambda ids: transformer.unembed(
        transformer.decode(ids, mask, memory.expand(*ids.shape[:-1], -1, -1), cross, trace), trace
    )


def beside_memory(run: Run, allowed: Allowed) -> Bool[Tensor, "*batch query column"]:
    """What the layers remember is open to every query of the segment."""
    remembered = 0
    if run.config.segments:
        parts = run.inputs["recalled"].parts
        assert parts is not None, "what is recalled is a part of its axis"
        remembered = parts["memory"]
    return pad(allowed, (remembered, 0), value=True)


def remembering(run: Run, ids: Ids) -> StackCache:
    """What each layer remembers of the segments before, the same for all texts in `ids`."""
    blocks = range(run.config.n_decoder_layers)
    segments = run.config.segments
    if segments is None:
        return [BlockCache() for _ in blocks]
    memories = [run.constants[f"decoder.{block}.memory"] for block in blocks]
    return [
        BlockCache(
            recall=SegmentMemory(segments.memory, memory.expand(*ids.shape[:-1], *memory.shape))
        )
        for memory in memories
    ]


def retrace(run: Run, stack: str, allowed: Allowed) -> Mapping[str, Tensor]:
    """The trace of `stack` and of all that comes after it, with `allowed` in the place of the mask
    it was trained with.
    """
    trace = Recorder()
    out = outputs(run, stack, allowed, trace)(id_tensor(run.tokens[input_axis(run.config, stack)]))
    if stack != run.config.stacks[-1]:
        target = id_tensor(run.tokens["target"])
        x = run.model.transformer.decode(
            target, run.masks["decoder.attention"], out, run.masks["decoder.cross_attention"], trace
        )
        run.model.transformer.unembed(x, trace)
    return trace.values


def leak(outputs: Callable[[Ids], Outputs], ids: Ids, vocabulary_size: int) -> Leak:
    """The largest |change| of the outputs at `query` over several other tokens put at `key`.

    Changed and unchanged texts go through in batches of one shape, so that a position nothing has
    reached differs by exactly 0: equal rows at equal places of equal products.
    """
    unchanged = ids.expand(REPLACEMENTS, -1)
    before, columns = outputs(unchanged), []
    for key in range(len(ids)):
        changed = unchanged.clone()
        changed[:, key] = others(int(ids[key]), vocabulary_size)
        columns.append((outputs(changed) - before).abs().amax(dim=(0, 2)))
    return torch.stack(columns, dim=1)


def others(id: int, vocabulary_size: int) -> Int[Tensor, " replacement"]:
    """Tokens other than `id`, spread evenly over the vocabulary's ordinary pieces."""
    first, n = len(SPECIAL), vocabulary_size - len(SPECIAL)
    start = id - first if id >= first else 0
    return first + (start + n // (REPLACEMENTS + 1) * torch.arange(1, REPLACEMENTS + 1)) % n


def losses(
    run: Run, logits: Float[Tensor, "position vocabulary"]
) -> Float[Tensor, " predicted"] | None:
    """-ln p of the token that really comes next, in nats; None for a model that does not predict
    the next token.
    """
    if not run.next_tokens:
        return None
    return (
        -logits[run.predicted].log_softmax(-1).gather(-1, id_tensor(run.next_tokens)[:, None])[:, 0]
    )


def multiplied_row_sums(
    scores: Float[Tensor, "head query key"], allowed: Bool[Tensor, "query key"]
) -> Float[Tensor, "head query"]:
    """What the rows sum to when the mask is multiplied after the softmax instead of added before
    it: no longer 1.
    """
    return (scores.softmax(-1) * allowed).sum(-1)
