"""The residual stream of one stack: its points in order, and the decomposition of each point into
the parts that were added to the stream.

A norm is N(x) = A x / scale + bias, where A is a linear map: it multiplies by the gain and, in
LayerNorm, first subtracts the mean. With the scale held at the token's value in the run, N is
linear except for the bias, and the bias is a part of its own. The parts of a sum therefore remain
parts after every norm, without approximation. `layers/norms.py` has A for each norm, and
`layers/residual.py` defines what each norm placement adds and normalizes.

In an edited run, every edit on the path of the stream is a part too: the difference it made there.
An edit inside a sub-layer is not a separate part, because it is included in the sub-layer's output.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor

from model.activations.activation import block_output
from model.activations.site import Site
from model.config import Config
from model.layers.feed_forward import FeedForward
from model.layers.linear import Linear, Product
from model.layers.norms import NORMS, AnyNorm, Stream
from model.layers.residual import PLACEMENTS, Scale, residual_scale
from model.runs.run import Run

Parts = Float[Tensor, "part position channel"]
More = Float[Tensor, "more position channel"]


@dataclass(frozen=True)
class Step:
    """A point of the stream, the activation `name`. The sub-layer output `wrote` was added to the
    stream `before`, and `norm` was applied to the sum; None means no output, no stream before, or
    no norm.

    `branch` is the norm of the output alone. `past` is the factor of the stream before the
    addition, a number or the name of a parameter, and `earlier` is an earlier point of the stream
    that is added too.
    """

    name: str
    wrote: str | None
    norm: str | None
    formula: str
    branch: str | None = None
    past: str | float = 1.0
    earlier: str | None = None
    before: str | None = None


@dataclass(frozen=True)
class Part:
    """One summand of the stream. `kind` is token, position, token_type, bias, edit, or the name of
    the sub-layer; `name` is the name of an activation or parameter. The part of an edit has the
    name of the edited activation.
    """

    name: str
    kind: str
    layer: int | None = None
    head: int | None = None


Summand = tuple[Part, Tensor]
"""A part, and its contribution to the stream [position, channel]."""


@dataclass(frozen=True)
class Decomposition:
    """The parts of a stack: `outputs` has each part as it was added to the stream, `by_step` its
    contribution to each point, which is exactly 0 before it is added.
    """

    parts: list[Part]
    outputs: Parts
    by_step: dict[str, Parts]


def steps(config: Config, stack: str) -> list[Step]:
    """Every point of the stream in the order of computation; the first is the embedding."""
    norm, formula = (
        ("embedding.norm", "LN(token + position)")
        if config.embedding.normed
        else (None, "token + position")
    )
    embedding = Step(f"{stack}.0.residual.in", f"{stack}.embedding.sum", norm, formula)
    return [embedding, *sub_layers(config, stack), *final_norm(config, stack)]


def sub_layers(config: Config, stack: str) -> Iterator[Step]:
    """The point of the stream after every sub-layer."""
    writers, placement = config.sublayers(stack), PLACEMENTS[config.placement]
    scale = residual_scale(config)
    for layer in range(config.layers(stack)):
        block = f"{stack}.{layer}"
        before = first = f"{block}.residual.in"
        for number, writer in enumerate(writers, start=1):
            last = writer == writers[-1]
            norm = f"{block}.norm{number}"
            name = f"{block}.residual.{'out' if last else f'after_{writer}'}"
            yield Step(
                name=name,
                wrote=f"{block}.{writer}.out",
                norm=norm if placement.norm == "sum" else None,
                formula=placement.formula_for(scale.x, writer, placement.block_input and last),
                branch=norm if placement.norm == "branch" else None,
                past=f"{block}.shortcut{number}" if scale.learned else config.shortcut,
                earlier=first if placement.block_input and last else None,
                before=before,
            )
            before = name


def final_norm(config: Config, stack: str) -> list[Step]:
    """The point after the final norm, in a stack that has one."""
    norm = f"{stack}.norm"
    before = block_output(stack, config.layers(stack) - 1)
    step = Step(f"{norm}.out", None, norm, "LN(x)", before=before)
    return [step] if config.has_final_norm else []


@dataclass(frozen=True)
class Sum:
    """The terms of a point: the scaled stream `x`, the added output `f`, and `total`, their sum,
    including the block's input in a placement that adds it.
    """

    x: Stream
    f: Stream
    total: Stream


def sums(run: Run, stack: str) -> dict[str, Sum]:
    """The terms of every point, by name; `total` is the input of the point's norm, or the point
    itself if there is no norm.
    """
    found = {}
    for step in steps(run.config, stack):
        nothing = torch.zeros_like(run.trace[step.name])
        x = nothing if step.before is None else run.trace[step.before] * past(run, step)
        f = (
            nothing
            if step.wrote is None
            else run.trace[f"{step.branch}.out" if step.branch else step.wrote]
        )
        found[step.name] = Sum(x, f, x + f + (run.trace[step.earlier] if step.earlier else 0))
    return found


def past(run: Run, step: Step) -> Scale:
    """The factor of the stream before the addition."""
    learned = isinstance(step.past, str)
    return run.model.transformer.get_parameter(step.past) if learned else step.past


def decompose(run: Run, stack: str) -> Decomposition:
    """All parts of the stack, in the order in which they were added, and what remains of each after
    every subsequent factor and norm. In a deep stack this is large: `growth` processes one point at
    a time.
    """
    whole, by_step = list[Summand](), dict[str, Parts]()
    for step, new, now in growth(run, stack):
        whole += new
        by_step[step.name] = now
    return Decomposition(
        [part for part, _ in whole],
        torch.stack([value for _, value in whole]),
        {name: filled(now, len(whole)) for name, now in by_step.items()},
    )


def growth(run: Run, stack: str) -> Iterator[tuple[Step, list[Summand], Parts]]:
    """Every point of the stream, the parts added there, and the contribution of each part so far to
    the point; they sum to it.
    """
    like = run.trace[f"{stack}.0.residual.in"]
    now = block_input = like.new_empty(0, *like.shape)
    last = None
    for step in steps(run.config, stack):
        whole: list[Summand] = []
        if step.before is not None and step.before != last:
            whole += (new := edited(run, step.before))
            now = joined(now, new)
        if step.before is not None and Site.parse(step.before).value == "in":
            block_input = now
        new = (
            [] if step.wrote is None else [*stream_parts(run, step.wrote), *edited(run, step.wrote)]
        )
        values = joined(like.new_empty(0, *like.shape), new)
        if step.branch is not None:
            values, more = normed(run, stack, step.branch, values)
            new += more
        factor = past(run, step)
        unscaled = isinstance(factor, float) and factor == 1
        now = extended(now if unscaled else now * factor, values)
        if step.earlier is not None:
            now = now + filled(block_input, len(now))
        if step.norm is not None:
            now, more = normed(run, stack, step.norm, now)
            new += more
        if step.name != f"{step.norm}.out":
            more = edited(run, step.name)
            now, new = joined(now, more), [*new, *more]
        yield step, [*whole, *new], now
        last = step.name


def extended(parts: Parts, more: More) -> Float[Tensor, "both position channel"]:
    """The parts, followed by `more`, in memory with spare capacity: in a deep stack, most points
    need no copy, and `parts` remains a view of the same numbers.
    """
    count = len(parts) + len(more)
    held = parts.untyped_storage().nbytes() // (parts[:1].nbytes or 1) if len(parts) else 0
    if held >= count and parts.storage_offset() == 0 and parts.is_contiguous():
        whole = parts.as_strided((count, *parts.shape[1:]), parts.stride())
    else:
        whole = parts.new_empty(2 * count, *parts.shape[1:])[:count]
        whole[: len(parts)] = parts
    whole[len(parts) :] = more
    return whole


def joined(parts: Parts, more: list[Summand]) -> More:
    """The parts, followed by those that are added to them."""
    return torch.cat([parts, torch.stack([value for _, value in more])]) if more else parts


def filled(some: Float[Tensor, "part *along"], n: int) -> Float[Tensor, "more *along"]:
    """The parts `some`, followed by parts of zeros up to `n` parts."""
    return torch.cat([some, some.new_zeros(n - len(some), *some.shape[1:])])


def normed(run: Run, stack: str, name: str, parts: Parts) -> tuple[More, list[Summand]]:
    """The parts of the output of the norm `name`, computed from the parts of its input with the
    scale of the run; and the norm's own parts: its bias, if it has one, and the edits of its mean
    and output.
    """
    norm = cast(AnyNorm, run.model.transformer.get_submodule(name))
    kind, scope = NORMS[run.config.norm.name], name if name.startswith(stack) else f"{stack}.{name}"
    scale = run.trace[f"{scope}.scale"][..., None]
    bias, whole = f"{name}.bias", run.trace[f"{scope}.out"]
    added: list[Summand] = []
    if kind.has_bias:
        values = norm.get_parameter("bias").expand_as(whole)
        added.append((Part(bias, "bias", Site.parse(bias).layer), values))
    for part, value in edited(run, f"{scope}.mean"):  # what is subtracted is not part of x
        added.append((part, -value[..., None] / scale * norm.gain))
    added += edited(run, f"{scope}.out")
    return joined(kind.linear(norm, parts) / scale, added), added


def set_after_sum(run: Run, step: Step) -> bool:
    """Whether an edit has changed the point, or the norm before it, after the addition."""
    return any(name == step.name or name.startswith(f"{step.norm}.") for name in run.stages)


def edited(run: Run, name: str) -> list[Summand]:
    """What edits of the activation `name` added to it, as one part; none in a run without edits."""
    stages = run.stages.get(name, ())
    if not stages:
        return []
    part = Part(name, "edit", Site.parse(name).layer)
    return [(part, run.trace[name] - stages[0].before)]


def stream_parts(run: Run, wrote: str) -> Iterator[Summand]:
    """The parts of one output: for embeddings, token, position, and segment; for attention, its
    heads and bias; for a feed-forward network, x W_2 and b_2.
    """
    site = Site.parse(wrote)
    scope, layer = site.scope, site.layer
    if site.part == "embedding":
        yield Part(f"{scope}.token", "token"), run.trace[f"{scope}.token"]
        if run.config.positions.absolute != "none":
            yield Part(f"{scope}.position", "position"), run.trace[f"{scope}.position"]
        if run.config.embedding.token_types:
            yield Part(f"{scope}.token_type", "token_type"), run.trace[f"{scope}.token_type"]
        return
    output = run.model.transformer.get_submodule(f"{scope}.output")
    assert isinstance(output, Product), "a sub-layer ends with a linear map"
    if isinstance(run.model.transformer.get_submodule(scope), FeedForward):
        yield Part(scope, site.part, layer), run.trace[f"{scope}.post"] @ output.weight
    else:
        for head, value in enumerate(run.trace[f"{scope}.head_out"]):
            yield Part(f"{scope}.head_out[{head}]", site.part, layer, head), value
    if isinstance(output, Linear):
        yield (
            Part(f"{scope}.output.bias", "bias", layer),
            output.bias.unflatten(0, (-1, run.config.d_model)).expand_as(run.trace[wrote]),
        )  # between rows, one for every position


def read_out(run: Run, stack: str, point: Step) -> Float[Tensor, "position vocabulary"]:
    """The logits if the stack ended at this point: the final norm, if there is one, and the
    unembedding applied to the point (nostalgebraist 2020). Edits after the end of the stream change
    only the last point, the model's output.
    """
    transformer, x = run.model.transformer, run.trace[point.name]
    if run.stages and point.name == block_output(stack, run.config.layers(stack) - 1):
        return run.logits
    ended = transformer.stack(stack).norm(x)
    return transformer.unembed(ended, bypassed=run.trace.get("bypass.norm.out"))
