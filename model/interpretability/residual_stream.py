"""The residual stream of one stack: its points in order, what was written at each, and the parts
that add up to it.

    Post-LN   x' = N(x + f(x))         Pre-LN   x' = x + f(N(x)), and N once at the end of the stack
    no norm   x' = x + f(x)
    B2T       x' = N(x + f(x) + bottom) where a block ends             branch   x' = x + N(f(x))
    Admin   x times omega on its way

N(x) = A x / scale + bias: A takes the mean away in LayerNorm, multiplies by gain in every norm, and
only LayerNorm has a bias. With scale frozen at the value the token really had, this is linear in x
but for the bias, which is a part of its own. Nothing is approximated.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor

from model.activations.activation import block_output
from model.activations.norms import NORMS
from model.activations.residual import PLACEMENTS, residual_scale
from model.activations.site import Site
from model.config import Config
from model.layers.feed_forward import FeedForward
from model.layers.linear import Linear, Product
from model.layers.norms import AnyNorm, Shortcut, Stream, has_final_norm
from model.runs.run import Run
from model.trace import Recorder

Parts = Float[Tensor, "part position channel"]
More = Float[Tensor, "more position channel"]


@dataclass(frozen=True)
class Step:
    """`wrote` was added to the stream (None: nothing), then `norm` was applied to the whole (None:
    nothing); `name` is what came out.

    `branch` is a norm of what was written alone, `past` what the stream is multiplied by on its
    way, a number or a parameter of that name, and `bottom` the point of the stream that is added
    once more.
    """

    name: str
    wrote: str | None
    norm: str | None
    formula: str
    branch: str | None = None
    past: str | None = None
    bottom: str | None = None


@dataclass(frozen=True)
class Part:
    """One summand. `kind`: token, position, bias or the sub-layer that wrote; `name`: an activation
    or a parameter.
    """

    name: str
    kind: str
    layer: int | None = None
    head: int | None = None


@dataclass(frozen=True)
class Decomposition:
    """`written` holds the parts as each was added; `by_step` what each still contributes at a
    point, exactly 0 before it is written.
    """

    parts: list[Part]
    written: Parts
    by_step: dict[str, Parts]


def steps(config: Config, stack: str) -> list[Step]:
    """Every point of the stream in the order of computation; the first is the embedding."""
    norm, formula = (
        ("embedding.norm", "LN(token + position)")
        if config.normed_embedding
        else (None, "token + position")
    )
    embedding = Step(f"{stack}.0.residual.in", f"{stack}.embedding.sum", norm, formula)
    return [embedding, *sub_layers(config, stack), *final_norm(config, stack)]


def sub_layers(config: Config, stack: str) -> Iterator[Step]:
    """The point of the stream after every sub-layer."""
    writers, placement = config.sublayers(stack), PLACEMENTS[config.placement]
    scale = residual_scale(config)
    before = f"{stack}.0.residual.in"
    for layer in range(config.layers(stack)):
        block = f"{stack}.{layer}"
        for number, writer in enumerate(writers, start=1):
            last = writer == writers[-1]
            bottom = before if placement.bottom and last else None
            norm = f"{block}.norm{number}"
            yield Step(
                f"{block}.residual.{'out' if last else f'after_{writer}'}",
                f"{block}.{writer}.out",
                norm if placement.norm == "sum" else None,
                placement.equation(scale.x, writer, bottom is not None),
                norm if placement.norm == "branch" else None,
                f"{block}.shortcut{number}" if scale.symbol else None,
                bottom,
            )
        before = block_output(stack, layer)


def final_norm(config: Config, stack: str) -> list[Step]:
    """The point after the final norm, in a stack that has one."""
    norm = f"{stack}.norm"
    return [Step(f"{norm}.out", None, norm, "LN(x)")] if has_final_norm(config) else []


@dataclass(frozen=True)
class Sum:
    """What comes together at a step: `x` is the stream as it passes, `f` what is added, `total`
    their sum, with the bottom where it is.
    """

    x: Stream
    f: Stream
    total: Stream


def sums(run: Run, stack: str) -> dict[str, Sum]:
    """By step; `total` is what the step's norm saw, or without a norm what came out."""
    before, found = None, {}
    for step in steps(run.config, stack):
        nothing = torch.zeros_like(run.trace[step.name])
        x = nothing if before is None else before * past(run, step)
        f = (
            nothing
            if step.wrote is None
            else run.trace[f"{step.branch}.out" if step.branch else step.wrote]
        )
        found[step.name] = Sum(x, f, x + f + (run.trace[step.bottom] if step.bottom else 0))
        before = run.trace[step.name]
    return found


def past(run: Run, step: Step) -> Shortcut:
    if step.past is None:
        return 1.0
    site = Site.parse(step.past)
    return getattr(run.model.transformer.get_submodule(site.scope), site.value)


def decompose(run: Run, stack: str) -> Decomposition:
    """All parts of the stack, in the order of writing, followed through every shortcut and norm
    after them.
    """
    seen = sums(run, stack)
    first = next(iter(seen.values())).total
    parts: list[Part] = []
    as_written: list[Stream] = []
    now = first.new_empty(0, *first.shape)
    by_step: dict[str, Parts] = {}
    for step in steps(run.config, stack):
        new = [] if step.wrote is None else list(written(run, step.wrote, first))
        values = (
            torch.stack([value for _, value in new]) if new else first.new_empty(0, *first.shape)
        )
        if step.branch is not None:
            assert step.wrote is not None, "a branch norms what was written"
            values, bias = normed(run, step.branch, values, run.trace[step.wrote])
            new += bias
        now = torch.cat([now * past(run, step), values])
        if step.bottom is not None:
            now = now + filled(by_step[step.bottom], len(now))
        if step.norm is not None:
            now, bias = normed(run, step.norm, now, seen[step.name].total)
            new += bias
        parts += [part for part, _ in new]
        as_written += [value for _, value in new]
        by_step[step.name] = now
    return Decomposition(
        parts,
        torch.stack(as_written),
        {name: filled(some, len(parts)) for name, some in by_step.items()},
    )


def filled(some: Parts, n: int) -> More:
    """`n` parts, of which those not yet written are 0."""
    return torch.cat([some, some.new_zeros(n - len(some), *some.shape[1:])])


def normed(
    run: Run, name: str, parts: Parts, whole: Stream
) -> tuple[More, list[tuple[Part, Stream]]]:
    """What becomes of the parts of `whole` in norm(whole), and the part that the norm adds: its
    bias, where it has one.
    """
    norm, trace = cast(AnyNorm, run.model.transformer.get_submodule(name)), Recorder()
    norm(whole, trace)
    said = NORMS[run.config.norm]
    frozen = said.linear(norm, parts) / trace.values["scale"][..., None]
    if not said.has_bias:
        return frozen, []
    bias = f"{name}.bias"
    values = norm.get_parameter("bias").expand_as(whole)
    part = Part(bias, "bias", Site.parse(bias).layer)
    return torch.cat([frozen, values[None]]), [(part, values)]


def written(run: Run, wrote: str, like: Stream) -> Iterator[tuple[Part, Stream]]:
    """The parts of one write: every head and the bias of an attention, matrix and bias of a
    feed-forward, token and position.
    """
    site = Site.parse(wrote)
    scope, layer = site.scope, site.layer
    if site.part == "embedding":
        yield Part(f"{scope}.token", "token"), run.trace[f"{scope}.token"]
        if run.config.positions != "none":
            yield Part(f"{scope}.position", "position"), run.trace[f"{scope}.position"]
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
            output.bias.unflatten(0, (-1, like.shape[-1])).expand_as(like),
        )  # between rows, one for every position


def read_out(run: Run, stack: str, point: Step) -> Float[Tensor, "position vocabulary"]:
    """The logits, were the stack to end at this point: through the final norm, where there is one
    (nostalgebraist 2020).
    """
    transformer, x = run.model.transformer, run.trace[point.name]
    ended = transformer.stack(stack).norm(x)
    return transformer.unembed(ended, past=run.trace.get("bypass.norm.out"))
