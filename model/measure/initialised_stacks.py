"""Initialized stacks: untrained stacks that clinics run on random inputs while recording the
residual stream.

They are sampled and computed in float64. Without a norm on the stream, a deep stack amplifies
rounding errors by 1e7 and more, and float32 results would depend on the processor.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from model.answers.answer import Axis, Labelled, counted
from model.checks import check_between
from model.config import Config
from model.errors import InvalidInput
from model.layers.block import block_with_placement
from model.layers.context import Context
from model.layers.masks import causal, full
from model.layers.residual import PLACEMENTS
from model.layers.stack import Stack
from model.trace import Trace
from model.zoo.initialisation import initialise

INIT = "Xavier-uniform matrices, zero biases, unit gains; x ~ N(0, 1); all drawn anew for each seed"
HEADS, MAX_WIDTH, MAX_SEEDS = 4, 128, 16
STACKS = ("encoder", "decoder")

Inputs = Float[Tensor, "sequence position channel"]


def generator(seed: int, trial: int) -> torch.Generator:
    """A new generator for trial `trial` of a request with `seed`, so that requests share no
    state.
    """
    return torch.Generator().manual_seed(seed * 1_000_003 + trial)


def normal(*shape: int, draws: torch.Generator) -> Tensor:
    """Samples from N(0, 1) in float64."""
    return torch.randn(shape, generator=draws, dtype=torch.float64)


def zero_stack(stack: str, placement: str, layers: int, d_model: int, **choices: Any) -> Stack:
    """An encoder stack, or a decoder stack with cross-attention, of `layers` blocks, without
    embedding, in float64. Its matrices are zero and require no gradient.
    """
    sizes: dict[str, Any] = {"d_model": d_model, "n_heads": HEADS, "d_ff": 4 * d_model}
    sizes |= {"n_encoder_layers": layers, "placement": placement}
    sizes |= (
        {"family": "encoder-only"}
        if stack == "encoder"
        else {"family": "encoder-decoder", "n_decoder_layers": layers}
    )
    config = Config.from_dict({"vocabulary_size": 1, **sizes, **choices})
    return Stack(config, stack).double().requires_grad_(False)


def fresh_encoder(
    placement: str, layers: int, d_model: int, draws: torch.Generator, **choices: Any
) -> Stack:
    """An initialized encoder stack of `layers` blocks, without embedding or training."""
    return initialise(zero_stack("encoder", placement, layers, d_model, **choices), draws)


def fresh_stack(
    stack: str, placement: str, layers: int, d_model: int, draws: torch.Generator
) -> Stack:
    """An initialized encoder, or decoder with cross-attention, without training."""
    return initialise(zero_stack(stack, placement, layers, d_model), draws)


def compared(placements: tuple[str, ...], placement: str) -> tuple[str, ...]:
    """The placements that a clinic compares, with the requested one added if it is missing."""
    return placements if placement in placements else (*placements, placement)


def with_placement(stack: Stack, placement: str) -> Stack:
    """`stack` itself, with the norm placement of every block changed and the same weights."""
    for layer, block in enumerate(stack.blocks):
        stack.add_module(str(layer), block_with_placement(block, placement))
    return stack


@dataclass(frozen=True)
class Recorded:
    """The residual stream of one input in a stack: for each sub-layer, the stream `before` it, its
    output in `outputs`, and the stream `after` it.
    """

    before: list[Inputs]
    outputs: list[Inputs]
    after: list[Inputs]


AFTER = ("residual.after_attention", "residual.after_cross_attention", "residual.out")
OUTPUTS = ("attention.out", "cross_attention.out", "feed_forward.out")


def run_recorded(stack: Stack, x: Inputs, memory: Inputs | None = None) -> Recorded:
    """Runs `x` through `stack` and records the stream around every sub-layer. An encoder uses the
    full mask; a decoder, which attends to all of `memory`, uses the causal mask.
    """
    after, outputs = [], []

    def keep(name: str, value: Tensor) -> Tensor:
        if name.endswith(AFTER):
            after.append(value)
        if name.endswith(OUTPUTS):
            outputs.append(value)
        return value

    everywhere = full(x.shape[-2])[None]
    visible = everywhere if memory is None else causal(x.shape[-2])[None]
    stack(x, Context(visible, memory, everywhere), Trace(keep))
    return Recorded([x, *after[:-1]], outputs, after)


def scales_of(stack: Stack) -> list[Tensor | float]:
    """The scale of each sub-layer's residual connection, in order: lambda, or omega in an Admin
    stack.
    """
    return [
        block.residual_scale(number)
        for block in stack.blocks
        for number in range(1, len(block.names) + 1)
    ]


def profile(stack: Stack, x: Inputs, memory: Inputs | None = None) -> list[float]:
    """Admin's profiling phase: measures the omegas on `x`, sets them in `stack`, and returns them.
    All omegas of `stack` must be 1 before. A decoder attends to `memory`.
    """
    found = omegas(run_recorded(stack, x, memory))
    set_scales(stack, found)
    return found


def omegas(recorded: Recorded) -> list[float]:
    """The omegas of Admin: omega_i^2 = 1 + sum_{j<i} Var f_j (Liu et al. 2020, section 4.2)."""
    variances = [variance(f).item() for f in recorded.outputs]
    return [math.sqrt(1 + sum(variances[:i])) for i in range(len(variances))]


def set_scales(stack: Stack, omegas: list[float]) -> None:
    """Sets the omega of each sub-layer of an Admin stack."""
    for parameter, omega in zip(scales_of(stack), omegas, strict=True):
        assert isinstance(parameter, Tensor), "only an Admin stack has omegas"
        parameter.fill_(omega)


def added(stack: Stack, recorded: Recorded) -> list[tuple[Inputs, Inputs]]:
    """For each sub-layer, the part that it adds to the stream, and the resulting sum before any
    norm that follows. A norm on the branch belongs to the added part, and in a B2T block, the
    block's input belongs to the sum of the last sub-layer.
    """
    parts, block_input, placement = [], recorded.before[0], PLACEMENTS[stack[0].placement]
    sizes = [len(block.names) for block in stack.blocks]
    places = [(number, size) for size in sizes for number in range(1, size + 1)]
    steps = zip(recorded.before, recorded.outputs, recorded.after, scales_of(stack), strict=True)
    for (number, size), (x, f, after, scale) in zip(places, steps, strict=True):
        block_input = x if number == 1 else block_input
        if placement.norm == "branch":
            parts.append((after - scale * x, after))
        elif placement.block_input and number == size:
            parts.append((f, scale * x + f + block_input))
        else:
            parts.append((f, scale * x + f))
    return parts


def dependency(stack: Stack, recorded: Recorded) -> list[float]:
    """beta_ii^2 = Var f_i / Var (shortcut x + f_i) for each sub-layer i: the fraction of the
    stream's variance that the sub-layer has just added (Liu et al. 2020, section 4.1).
    """
    return [(variance(f) / variance(whole)).item() for f, whole in added(stack, recorded)]


def perturb(stack: Stack, size: float, draws: torch.Generator) -> None:
    """Adds normal noise to every weight matrix, with `size` times the matrix's own standard
    deviation.
    """
    for name, matrix in stack.named_parameters():
        if name.endswith("weight"):
            matrix.add_(normal(*matrix.shape, draws=draws) * size * variance(matrix).sqrt())


def variance(x: Tensor) -> Tensor:
    """The variance of all numbers in `x`. Tensor.var computes the same and takes several times as
    long on one thread.
    """
    return (x - x.mean()).square().mean()


def distance(a: Inputs, b: Inputs) -> float:
    """The mean squared difference per channel between two outputs, each normalized to variance 1,
    so that norm placements can be compared.
    """
    return (normalised(a) - normalised(b)).square().mean().item()


def normalised(x: Inputs) -> Inputs:
    centred = x - x.mean(-1, keepdim=True)
    return centred / centred.square().mean(-1, keepdim=True).sqrt()


def slope(xs: Sequence[int | float], ys: Sequence[int | float]) -> float:
    """The slope of the least-squares line through the points (log x, log y)."""
    x, y = torch.tensor(xs).log(), torch.tensor(ys).log()
    x, y = x - x.mean(), y - y.mean()
    return ((x * y).sum() / x.square().sum()).item()


def geometric_mean(each: Float[Tensor, "seed ..."]) -> Tensor:
    """The geometric mean over the seeds. A deep Post-LN stack varies by factors between seeds, and
    an arithmetic mean would be dominated by the largest.
    """
    return each.log().mean(0).exp()


def seed_axis(seeds: int) -> Axis:
    return counted("step", seeds, "seed")


def by_seed(tensors: dict[str, Labelled], values: dict[str, Tensor]) -> dict[str, Labelled]:
    """The tensors `<name>.by_seed` [seed, …] for those `tensors` that pool all seeds. `values`
    holds the numbers of each seed, keyed by the name of the pooled tensor.
    """
    return {
        f"{name}.by_seed": Labelled(
            ("seed", *tensors[name].axes), each, f"{tensors[name].formula}; of each seed alone"
        )
        for name, each in values.items()
    }


def check_width(d_model: int, most: int = MAX_WIDTH) -> None:
    check_between("d_model", d_model, HEADS, most)
    if d_model % HEADS:
        raise InvalidInput("width-not-of-heads", field="d_model", limit=HEADS, given=d_model)
