"""The residual stream of one stack: its points in order, what was written at each, and the parts that add up to it.

    Post-LN   x' = LN(x + f(x))        Pre-LN   x' = x + f(LN(x)), and LN once at the end of the stack        no norm   x' = x + f(x)

LN(x) = (x - mean) / scale * gain + bias. With scale frozen at the value the token really had, this is linear in x but for the bias:
every part written so far is centred, divided by scale and multiplied by gain, and bias is a part of its own. Nothing is approximated.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model.config import Config
from model.norms import LayerNorm, Stream
from model.run import Run

Parts = Float[Tensor, "part position channel"]


@dataclass(frozen=True)
class Step:
    """`wrote` was added to the stream (None: nothing), then `norm` was applied to the whole (None: nothing); `name` is what came out."""

    name: str
    wrote: str | None
    norm: str | None
    formula: str


@dataclass(frozen=True)
class Part:
    """One summand. `kind`: token, position, bias or the sub-layer that wrote; `name`: an activation or a parameter."""

    name: str
    kind: str
    layer: int | None = None
    head: int | None = None


@dataclass(frozen=True)
class Decomposition:
    """`written` holds the parts as each was added; `by_step` what each still contributes at a point, exactly 0 before it is written."""

    parts: list[Part]
    written: Parts
    by_step: dict[str, Parts]


def steps(config: Config, stack: str) -> list[Step]:
    """Every point of the stream in the order of computation; the first is the embedding."""
    embedding = Step(f"{stack}.0.residual.in", f"{stack}.embedding.sum", None, "token + position")
    return [embedding, *sub_layers(config, stack), *final_norm(config, stack)]


AFTER = {"post": ("norm", "LN(x + {f}(x))"), "pre": (None, "x + {f}(LN(x))"), "none": (None, "x + {f}(x)")}


def sub_layers(config: Config, stack: str) -> Iterator[Step]:
    writers = config.sublayers(stack)
    for layer in range(config.layers(stack)):
        for number, writer in enumerate(writers, start=1):
            point = "out" if writer == writers[-1] else f"after_{writer}"
            norm, formula = AFTER[config.placement]
            norm = norm and f"{stack}.{layer}.{norm}{number}"
            yield Step(f"{stack}.{layer}.residual.{point}", f"{stack}.{layer}.{writer}.out", norm, formula.format(f=writer))


def final_norm(config: Config, stack: str) -> list[Step]:
    return [Step(f"{stack}.norm.out", None, f"{stack}.norm", "LN(x)")] if config.placement == "pre" else []


def sums(run: Run, stack: str) -> dict[str, Stream]:
    """By step, what the step's norm saw, or without a norm what came out: the stream before, with what was written added."""
    before, seen = None, {}
    for step in steps(run.config, stack):
        seen[step.name] = before if step.wrote is None else run.trace[step.wrote] if before is None else before + run.trace[step.wrote]
        before = run.trace[step.name]
    return seen


def decompose(run: Run, stack: str) -> Decomposition:
    """All parts of the stack, in the order of writing, followed through every norm after them."""
    seen = sums(run, stack)
    first = next(iter(seen.values()))
    parts: list[Part] = []
    as_written: list[Stream] = []
    now = first.new_empty(0, *first.shape)
    by_step: dict[str, Parts] = {}
    for step in steps(run.config, stack):
        new = [] if step.wrote is None else list(written(run, step.wrote, first))
        now = torch.cat([now, *(value[None] for _, value in new)])
        if step.norm is not None:
            norm = run.model.transformer.get_submodule(step.norm)
            bias = norm.bias.expand_as(first)
            now = torch.cat([frozen(norm, now, seen[step.name]), bias[None]])
            new.append((Part(f"{step.norm}.bias", "bias", layer_of(step.norm)), bias))
        parts += [part for part, _ in new]
        as_written += [value for _, value in new]
        by_step[step.name] = now
    filled = {name: torch.cat([some, some.new_zeros(len(parts) - len(some), *first.shape)]) for name, some in by_step.items()}
    return Decomposition(parts, torch.stack(as_written), filled)


def frozen(norm: LayerNorm, parts: Parts, whole: Stream) -> Parts:
    """What becomes of the parts of `whole` in LN(whole), but for the bias."""
    scale = (whole.var(dim=-1, correction=0) + norm.epsilon).sqrt()
    return (parts - parts.mean(dim=-1, keepdim=True)) / scale[..., None] * norm.gain


def written(run: Run, wrote: str, like: Stream) -> Iterator[tuple[Part, Stream]]:
    """The parts of one write: every head and the bias of an attention, matrix and bias of a feed-forward, token and position."""
    scope, sub_layer = wrote.rsplit(".", 1)[0], wrote.split(".")[-2]
    if sub_layer == "embedding":
        yield Part(f"{scope}.token", "token"), run.trace[f"{scope}.token"]
        if run.config.positions != "none":
            yield Part(f"{scope}.position", "position"), run.trace[f"{scope}.position"]
        return
    layer, output = layer_of(scope), run.model.transformer.get_submodule(f"{scope}.output")
    if sub_layer.endswith("feed_forward"):
        yield Part(scope, sub_layer, layer), run.trace[f"{scope}.post"] @ output.weight
    else:
        for head, value in enumerate(run.trace[f"{scope}.head_out"]):
            yield Part(f"{scope}.head_out[{head}]", sub_layer, layer, head), value
    if run.config.biases:
        yield (
            Part(f"{scope}.output.bias", "bias", layer),
            output.bias.unflatten(0, (-1, like.shape[-1])).expand_as(like),
        )  # between rows, one for every position


def layer_of(name: str) -> int | None:
    number = name.split(".")[1]
    return int(number) if number.isdigit() else None
