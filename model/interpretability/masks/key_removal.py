"""Removal of a key: what the answer of a model loses if one query of one head may not look at one
key, as if a mask hid it.

The weight of the key becomes 0 and the other weights of the row are divided by their sum, as a
softmax over the other keys gives them. The rest of the network is then computed again. Everything
before that attention is as it was, and is read from the run; where rows of a table look at one
another, the other rows of the batch are computed as well, because a run records the first alone.
"""

from dataclasses import replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.activations.activation import stack_output
from model.activations.site import Site
from model.interpretability.masks.intervention import remembering
from model.layers.context import Context
from model.layers.norms import Stream
from model.runs.run import Run
from model.runs.table_row import batch
from model.trace import OFF, Hook, Trace

Pattern = Float[Tensor, "removed head query key"]
Weights = Float[Tensor, "removed key"]
Position = Int[Tensor, " position"]


@torch.inference_mode()
def removal(
    run: Run, attention: Site, head: int, query: int, keys: Int[Tensor, " removed"]
) -> Float[Tensor, " removed"]:
    """For each of `keys`, the change of the answer's log-probability, in nats, when `query` may not
    look at it in this head. `answer_log_probability` says which answer. Between rows of a table
    `query` and `keys` are rows; between columns they are columns of the first row.
    """
    name, start = f"{attention.scope}.pattern", len(keys)
    in_every_row = run.config.between_rows and attention.part == "attention"

    def hide(at: str, value: Tensor) -> Tensor:
        if at != name:
            return value
        changed = value.clone()
        of_the_run = changed[:, 0] if in_every_row else changed
        of_the_run[:start, head, query] = without(of_the_run[:start, head, query], keys)
        return changed

    # The last of the copies is unchanged, so that both sides are computed in a batch of one shape.
    at = reached(run, attention, query)
    logits = finished(run, attention, len(keys) + 1, hide, at)
    known = answer_log_probability(run, logits, at)
    return (known[:-1] - known[-1]).float()


def reached(run: Run, attention: Site, query: int) -> Position:
    """The positions whose output can change with what `query` reads in this attention: in the last
    layer `query` alone, and from each layer to the next those too that see one of them. Over a
    large vocabulary the logits cost more than all else.
    """
    config, answer = run.config, run.trace["logits"]
    if config.inputs != "tokens" or config.segments or attention.stack != config.stacks[-1]:
        return torch.arange(len(answer))
    assert attention.layer is not None, "an attention belongs to a layer"
    seen = run.masks[f"{attention.stack}.attention"][:, : len(answer)]
    found = torch.arange(len(answer)) == query
    for _ in range(attention.layer + 1, run.model.transformer.stack(attention.stack).n_layers):
        found = found | (seen & found).any(-1)
    return found.nonzero()[:, 0]


def without(weights: Weights, keys: Int[Tensor, " removed"]) -> Weights:
    """Row i of `weights` without its key `keys[i]`, divided by the sum of what is left; 0
    everywhere where nothing is left.
    """
    others = weights.scatter(-1, keys[:, None], 0.0)
    whole = others.sum(-1, keepdim=True)
    return others / whole.masked_fill(whole == 0, 1.0)


def finished(
    run: Run, attention: Site, copies: int, change: Hook, at: Position
) -> Float[Tensor, "removed position vocabulary"]:
    """The logits at the positions `at` of `copies` of the run, computed from `attention` on, with
    every value of its stack handed to `change`.
    """
    stack, config = attention.stack, run.config
    assert stack is not None, "an attention belongs to a stack"
    memory = run.trace[stack_output(config, "encoder")] if config.cross else None
    trace = Trace(change, scope=f"{stack}.")
    x = from_sublayer(run, attention, memory if stack == "decoder" else None, copies, trace)
    if stack != config.stacks[-1]:
        x = from_sublayer(run, DECODER, x, copies, OFF)
    if not config.bypass:  # which reads all positions at once
        x = x[..., at, :]
    return run.model.transformer.unembed(x, bypassed=run.trace.get("bypass.norm.out"))


DECODER = Site.parse("decoder.0.attention.scores")


def from_sublayer(
    run: Run, begin: Site, memory: Tensor | None, copies: int, trace: Trace
) -> Stream:
    """The output of the stack of `begin` for copies of the stream that the run had before this
    sub-layer. Where rows look at one another, all of its block is computed again.
    """
    stack, layer = begin.stack, begin.layer
    assert stack is not None, "a sub-layer belongs to a stack"
    assert layer is not None, "a sub-layer belongs to a layer"
    blocks, bottom = run.model.transformer.stack(stack), stream_before(run, stack, layer)
    x = bottom = bottom.expand(copies, *bottom.shape)
    contexts = contexts_of(run, stack, memory, bottom)
    sublayers = blocks[layer].sublayers
    number = 0 if run.config.between_rows else blocks[layer].names.index(begin.part)
    if number:
        before = run.trace[f"{stack}.{layer}.{sublayers[number - 1].writes}"]
        x = before.expand(copies, *before.shape)
    for sublayer in sublayers[number:]:
        x = sublayer(x, contexts[layer], trace / layer)
    for later in range(layer + 1, blocks.n_layers):
        x = blocks[later](x, contexts[later], trace / later)
    x = blocks.norm(x, trace / "norm")
    return x[:, 0] if run.config.between_rows else x


def contexts_of(run: Run, stack: str, memory: Tensor | None, bottom: Stream) -> list[Context]:
    """What each block of the stack looks at besides its stream, and the `bottom` of the first that
    is computed, of which there are copies in front.
    """
    memory_mask = None
    if memory is not None:
        memory = memory.expand(len(bottom), *memory.shape[-2:])
        memory_mask = run.masks["decoder.cross_attention"]
    mask = run.masks[f"{stack}.attention"]
    keys = mask.shape[-1] - run.config.slots  # a block puts its slots behind the keys itself
    context = Context(mask[:, :keys], memory, memory_mask, bottom=bottom)
    if run.config.segments:
        caches = remembering(run, bottom[..., 0].long())
        return [replace(context, cache=cache) for cache in caches]
    return [context] * run.model.transformer.stack(stack).n_layers


def stream_before(run: Run, stack: str, layer: int) -> Float[Tensor, "*row position channel"]:
    """The stream before the block `layer`: that of the run, or of all rows of its batch where rows
    look at one another.
    """
    if not run.config.between_rows:
        return run.trace[f"{stack}.{layer}.residual.in"]
    transformer, tokenizer = run.model.transformer, run.model.row_tokenizer
    x = transformer.embedding(batch(tokenizer, tokenizer.read(run.input["row"])))
    context = Context(run.masks[f"{stack}.attention"])
    for number in range(layer):
        x = transformer.stack(stack)[number](x, context)
    return x


def answer_log_probability(
    run: Run, logits: Float[Tensor, "removed position vocabulary"], at: Position
) -> Float[Tensor, " removed"]:
    """The log-probability of the run's own answer: at each of the positions `at` the token or class
    with the largest logit in the run, and the sum over the positions of their log-probabilities, in
    nats. An encoder of an image or of a row answers at its first position, [CLS], alone.
    """
    own = run.trace["logits"][at].argmax(-1)
    log_probabilities = logits.double().log_softmax(-1)
    at_own = log_probabilities.gather(-1, own.expand(*logits.shape[:-1])[..., None])[..., 0]
    reads_at_first = run.config.inputs != "tokens" and run.config.family == "encoder-only"
    return at_own[:, 0] if reads_at_first else at_own.sum(-1)
