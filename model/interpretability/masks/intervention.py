"""Mask interventions: the same input run again with another self-attention mask in one stack, to
measure the change of the output and which tokens influence which positions.
"""

from collections.abc import Callable, Mapping

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import pad

from model.activations.activation import input_axis, stack_output
from model.inputs.text import Frame
from model.layers.kv_cache import BlockCache, SegmentMemory
from model.layers.masks import Allowed
from model.layers.stack import StackCache
from model.runs.run import Run, id_tensor
from model.trace import OFF, Recorder, Trace

Outputs = Float[Tensor, "*batch position output"]
Ids = Int[Tensor, "*batch position"]
Leak = Float[Tensor, "query key"]
REPLACEMENTS = 4


def outputs(run: Run, stack: str, allowed: Allowed, trace: Trace = OFF) -> Callable[[Ids], Outputs]:
    """A function from ids of the text that `stack` reads to the output under the mask `allowed`:
    the logits if the stack is the last one and has a head, otherwise its last stream.
    """
    transformer, mask = run.model.transformer, beside_memory(run, allowed)
    if stack != run.config.stacks[-1]:
        return lambda ids: transformer.encode(ids, mask, trace)
    if stack == "encoder":
        return lambda ids: transformer.answer(transformer.encode(ids, mask, trace), trace)
    if not run.config.cross:
        return lambda ids: transformer.answer(
            transformer.decode(ids, mask, trace=trace, cache=remembering(run, ids)), trace
        )
    memory, cross = (
        run.trace[stack_output(run.config, "encoder")],
        run.masks["decoder.cross_attention"],
    )
    return lambda ids: transformer.answer(
        transformer.decode(ids, mask, memory.expand(*ids.shape[:-1], -1, -1), cross, trace), trace
    )


def beside_memory(run: Run, allowed: Allowed) -> Bool[Tensor, "*batch query column"]:
    """The mask `allowed` with leading columns for the remembered keys, which every query of the
    segment attends to.
    """
    remembered = 0
    if run.config.segments:
        parts = run.inputs["recalled"].parts
        assert parts is not None, "what is recalled is a part of its axis"
        remembered = parts["memory"]
    return pad(allowed, (remembered, 0), value=True)


def remembering(run: Run, ids: Ids) -> StackCache:
    """A cache with the inputs that each layer remembers from earlier segments, repeated for all
    texts in `ids`.
    """
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
    """The activations of `stack`, and everything computed from it, under the mask `allowed` instead
    of the training mask.
    """
    trace = Recorder()
    out = outputs(run, stack, allowed, trace)(id_tensor(run.tokens[input_axis(run.config, stack)]))
    if stack != run.config.stacks[-1]:
        target = id_tensor(run.tokens["target"])
        x = run.model.transformer.decode(
            target, run.masks["decoder.attention"], out, run.masks["decoder.cross_attention"], trace
        )
        run.model.transformer.answer(x, trace)
    return trace.values


def leak(outputs: Callable[[Ids], Outputs], ids: Ids, vocabulary_size: int, frame: Frame) -> Leak:
    """The largest absolute change of the outputs at `query` when the token at `key` is replaced
    with several other tokens, [query, key]. Original and changed texts are computed in batches of
    the same shape, so an output that does not depend on `key` differs by exactly 0.
    """
    unchanged = ids.expand(REPLACEMENTS, -1)
    before, columns = outputs(unchanged), []
    for key in range(len(ids)):
        changed = unchanged.clone()
        changed[:, key] = others(int(ids[key]), vocabulary_size, frame)
        columns.append((outputs(changed) - before).abs().amax(dim=(0, 2)))
    return torch.stack(columns, dim=1)


def others(id: int, vocabulary_size: int, frame: Frame) -> Int[Tensor, " replacement"]:
    """The ids of tokens other than `id`, spread evenly over the vocabulary without special
    tokens.
    """
    every = torch.arange(vocabulary_size)
    pieces = every[frame.is_text(every)]
    start, step = int((pieces < id).sum()), len(pieces) // (REPLACEMENTS + 1)
    return pieces[(start + step * torch.arange(1, REPLACEMENTS + 1)) % len(pieces)]


def losses(
    run: Run, logits: Float[Tensor, "position vocabulary"]
) -> Float[Tensor, " predicted"] | None:
    """-ln p of the actual next token, in nats; None for a model that does not predict the next
    token.
    """
    if not run.next_tokens:
        return None
    return (
        -logits[run.predicted].log_softmax(-1).gather(-1, id_tensor(run.next_tokens)[:, None])[:, 0]
    )


def multiplied_row_sums(
    scores: Float[Tensor, "head query key"], allowed: Bool[Tensor, "query key"]
) -> Float[Tensor, "head query"]:
    """The row sums of the attention weights if the mask is multiplied after the softmax instead of
    added before it. They are at most 1.
    """
    return (scores.softmax(-1) * allowed).sum(-1)
