"""Removal of a key: how the prediction changes if one query of one head may not attend to one key,
as if it were masked.

The key's weight becomes 0 and the other weights in the row are divided by their sum, like a softmax
over the other keys. The rest of the network is then recomputed. Everything before that attention
layer is read from the run; with attention between table rows, the other rows of the batch are
recomputed too, because a run records only the first.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.activations.activation import stack_output
from model.activations.site import Site
from model.interpretability.masks.intervention import remembering
from model.layers.context import Context
from model.layers.norms import Stream
from model.runs.run import Run
from model.runs.side_by_side import plain, side_by_side
from model.runs.table_row import batch
from model.trace import OFF, Hook, Trace

Pattern = Float[Tensor, "removed head query key"]
Weights = Float[Tensor, "removed key"]
Position = Int[Tensor, " position"]
Change = Float[Tensor, " removed"]

COPIES = 512
"""The maximum number of copies of runs in a pass: more take more memory without being faster."""


class Removal(NamedTuple):
    """What is removed from a run: each of `keys` in turn, from the keys of `query` in one head of
    one attention layer. Between table rows, `query` and `keys` are rows; between columns, they are
    columns of the first row.
    """

    run: Run
    attention: Site
    head: int
    query: int
    keys: Int[Tensor, " removed"]

    @property
    def copies(self) -> int:
        """The number of copies of the run in the pass. The last is unchanged, so that both sides
        come from a batch of the same shape.
        """
        return len(self.keys) + 1

    @property
    def kind(self) -> Hashable:
        """Equal for removals that fit in one pass: the recomputed part of the network, the query,
        and all masks, which determine the sizes. Segment memory and bypassing numbers belong to one
        run only.
        """
        run = self.run
        run_id = id(run) if run.config.segments or run.config.bypass else None
        masks = ((name, mask.shape, mask.numpy().tobytes()) for name, mask in run.masks.items())
        return id(run.model.transformer), self.attention, self.query, run_id, tuple(masks)


@torch.inference_mode()
def removals(wanted: Sequence[Removal]) -> list[Change]:
    """For each removal and each of its keys, the change of the answer's log-probability, in nats,
    when the query may not attend to the key. See `answer_log_probability` for the answer. Removals
    of one kind form one pass, in which every copy has the same numbers as on its own.
    """
    by_kind: dict[Hashable, list[int]] = defaultdict(list)
    for number, removal in enumerate(wanted):
        by_kind[removal.kind].append(number)
    order = [number for numbers in by_kind.values() for number in numbers]
    passes = (some for numbers in by_kind.values() for some in few([wanted[n] for n in numbers]))
    found = dict(zip(order, (removal for some in passes for removal in changes(some)), strict=True))
    return [found[number] for number in range(len(wanted))]


def few(alike: Sequence[Removal]) -> Iterator[list[Removal]]:
    """The removals in order, in groups of at most COPIES copies, or a single one."""
    some: list[Removal] = []
    for removal in alike:
        if some and sum(other.copies for other in (*some, removal)) > COPIES:
            yield some
            some = []
        some.append(removal)
    if some:
        yield some


def changes(alike: Sequence[Removal]) -> list[Change]:
    """The change of the answer's log-probability for each key of each removal."""
    first = alike[0]
    name = f"{first.attention.scope}.pattern"
    in_every_row = first.run.config.between_rows and first.attention.part == "attention"

    def hide(at: str, value: Tensor) -> Tensor:
        if at != name:
            return value
        changed = value.clone()
        of_the_runs = plain(changed)[:, 0] if in_every_row else plain(changed)
        for r, copies in zip(alike, parted(of_the_runs, alike), strict=True):
            copies[:-1, r.head, r.query] = without(copies[:-1, r.head, r.query], r.keys)
        return changed

    at = reached(first.run, first.attention, first.query)
    logits = parted(plain(finished(alike, hide, at)), alike)
    known = [answer_log_probability(r.run, part, at) for r, part in zip(alike, logits, strict=True)]
    return [(part[:-1] - part[-1]).float() for part in known]


def parted(copies: Tensor, alike: Sequence[Removal]) -> Sequence[Tensor]:
    """Splits the copies of all runs by run."""
    return copies.split([r.copies for r in alike])


def copied(alike: Sequence[Removal], values: Sequence[Tensor]) -> Tensor:
    """The value of each run, repeated for each of its copies."""
    both = zip(alike, values, strict=True)
    copies = torch.cat([value.expand(r.copies, *value.shape) for r, value in both])
    return side_by_side(copies, [r.copies for r in alike])


def reached(run: Run, attention: Site, query: int) -> Position:
    """The positions whose output can depend on what `query` reads in this attention layer: in the
    last layer only `query`, and in each earlier layer also those that attend to one of them later.
    With a large vocabulary, the logits cost more than everything else.
    """
    config, answer = run.config, run.logits
    of_all = config.inputs != "tokens" or config.says_class or config.segments
    if of_all or attention.stack != config.stacks[-1]:
        return torch.arange(len(answer))
    assert attention.layer is not None, "an attention belongs to a layer"
    allowed = run.masks[f"{attention.stack}.attention"][:, : len(answer)]
    found = torch.arange(len(answer)) == query
    for _ in range(attention.layer + 1, run.model.transformer.stack(attention.stack).n_layers):
        found = found | (allowed & found).any(-1)
    return found.nonzero()[:, 0]


def without(weights: Weights, keys: Int[Tensor, " removed"]) -> Weights:
    """Row i of `weights` without its key `keys[i]`, divided by the sum of the rest; 0 everywhere if
    nothing is left.
    """
    others = weights.scatter(-1, keys[:, None], 0.0)
    whole = others.sum(-1, keepdim=True)
    return others / whole.masked_fill(whole == 0, 1.0)


def finished(
    alike: Sequence[Removal], change: Hook, at: Position
) -> Float[Tensor, "removed position vocabulary"]:
    """The logits at the positions `at` of all copies, computed from the attention layer on, with
    every value of its stack passed to `change`.
    """
    first = alike[0]
    run, stack, config = first.run, first.attention.stack, first.run.config
    assert stack is not None, "an attention belongs to a stack"
    memory = None
    if config.cross and stack == "decoder":
        memory = copied(alike, [r.run.trace[stack_output(config, "encoder")] for r in alike])
    x = from_sublayer(alike, first.attention, memory, Trace(change, scope=f"{stack}."))
    if stack != config.stacks[-1]:
        x = from_sublayer(alike, DECODER, x, OFF)
    if not config.bypass:  # which reads all positions at once
        x = x[..., at, :]
    return run.model.transformer.unembed(x, bypassed=run.trace.get("bypass.norm.out"))


DECODER = Site.parse("decoder.0.attention.scores")


def from_sublayer(
    alike: Sequence[Removal], begin: Site, memory: Tensor | None, trace: Trace
) -> Stream:
    """The output of the stack of `begin` for copies of the stream that each run had before this
    sub-layer. With attention between rows, its whole block is recomputed.
    """
    run, stack, layer = alike[0].run, begin.stack, begin.layer
    assert stack is not None, "a sub-layer belongs to a stack"
    assert layer is not None, "a sub-layer belongs to a layer"
    blocks = run.model.transformer.stack(stack)
    x = block_input = copied(alike, [stream_before(r.run, stack, layer) for r in alike])
    contexts = contexts_of(run, stack, memory, block_input)
    names = blocks[layer].names
    number = 0 if run.config.between_rows else names.index(begin.part)
    if number:
        name = f"{stack}.{layer}.residual.after_{names[number - 1]}"
        x = copied(alike, [r.run.trace[name] for r in alike])
    x = blocks[layer](x, contexts[layer], trace / layer, number, block_input)
    for later in range(layer + 1, blocks.n_layers):
        x = blocks[later](x, contexts[later], trace / later)
    x = blocks.norm(x, trace / "norm")
    return x[:, 0] if run.config.between_rows else x


def contexts_of(run: Run, stack: str, memory: Tensor | None, block_input: Stream) -> list[Context]:
    """The context of each block of the stack: with copies of `memory`, and of `block_input`, the
    stream before the first block that is recomputed.
    """
    memory_mask = None if memory is None else run.masks["decoder.cross_attention"]
    mask = run.masks[f"{stack}.attention"]
    keys = (
        mask.shape[-1] - run.config.attention.slots
    )  # the block appends its own slots to the keys
    context = Context(mask[:, :keys], memory, memory_mask)
    if run.config.segments:
        caches = remembering(run, block_input[..., 0].long())
        return [replace(context, cache=cache) for cache in caches]
    return [context] * run.model.transformer.stack(stack).n_layers


def stream_before(run: Run, stack: str, layer: int) -> Float[Tensor, "*row position channel"]:
    """The stream before the block `layer`: that of the run, or of all rows of its batch with
    attention between rows.
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
    """The log-probability of the run's own prediction: the sum over the positions `at` of the
    log-probability of the token or class with the largest logit in the run, in nats. A classifier
    predicts only at its first position, [CLS].
    """
    best = run.logits[at].argmax(-1)
    log_probabilities = logits.double().log_softmax(-1)
    at_best = log_probabilities.gather(-1, best.expand(*logits.shape[:-1])[..., None])[..., 0]
    return at_best[:, 0] if run.config.says_class else at_best.sum(-1)
