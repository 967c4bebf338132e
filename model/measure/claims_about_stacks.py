"""Corrections of the notes' claims about norms, streams, and gradients, each measured on random
inputs or on a freshly initialized stack.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.functional import jacobian

from model import progress
from model.answers.laws import Law
from model.answers.measurements import Finding, exact, pooled, statistical
from model.config import Config
from model.layers.block import Block
from model.layers.context import Context
from model.layers.masks import full
from model.layers.norms import LayerNorm
from model.measure.claimed import EXACT, POSITIONS, SEEDS, D, tokens
from model.measure.initialised_stacks import (
    HEADS,
    dependency,
    distance,
    fresh_encoder,
    generator,
    normal,
    perturb,
    run_recorded,
)
from model.zoo.initialisation import initialise


@torch.no_grad()
def length_after_norm(seed: int) -> list[Finding]:
    y = LayerNorm(D, 0.0).double()(tokens(seed, POSITIONS, D))
    return [
        exact(
            Law(
                "squared_length",
                text="The squared norm y · y divided by d is 1.",
                band=(1 - EXACT, 1 + EXACT),
                unit="d",
            ),
            y.square().sum(-1).mean() / D,
        ),
        exact(
            Law("sum", text="The sum of the channels is 0.", band=(0, 1e-10)), y.sum(-1).abs().max()
        ),
    ]


@torch.no_grad()
def branch_is_neither(seed: int) -> list[Finding]:
    x = tokens(seed, 1, POSITIONS, D)
    post, pre, branch = (
        fresh_encoder(p, 2, D, generator(seed, 1)) for p in ("post", "pre", "branch")
    )
    out = [run_recorded(stack, x).after[-1] for stack in (post, pre, branch)]
    apart = min((out[2] - other).abs().max() for other in out[:2])
    return [
        exact(
            Law(
                "apart",
                text="With the same weights, its residual stream differs by at least 0.1"
                " from both Post-LN and Pre-LN.",
                band=(0.1, None),
            ),
            apart,
        )
    ]


def last_gradient(seed: int) -> list[Finding]:
    def norm_of_gradient(placement: str, trial: int) -> float:
        draws = generator(seed, trial)
        x, target = (normal(4, POSITIONS, D, draws=draws) for _ in range(2))
        stack = fresh_encoder(placement, 12, D, draws)
        matrix = stack[11].feed_forward.output.weight.requires_grad_()
        loss = (stack(x, Context(full(POSITIONS)[None])) - target).square().mean()
        return torch.autograd.grad(loss, matrix)[0].norm().item()

    ratios = [
        norm_of_gradient("post", trial) / norm_of_gradient("pre", trial) for trial in range(SEEDS)
    ]
    law = (
        "In 12 layers, the last feed-forward matrix’s gradient is more than"
        " twice as large with Post-LN as with Pre-LN."
    )
    return [statistical(Law("post_over_pre", text=law, band=(2, None)), ratios)]


@torch.no_grad()
def one_token(seed: int) -> list[Finding]:
    x, f = tokens(seed, 2, POSITIONS, D)
    others = torch.cat([x[:1], tokens(seed + 1, POSITIONS - 1, D)])
    norm = LayerNorm(D, 1e-5).double()
    return [
        exact(
            Law("moved", text="Changing all other tokens does not change this one.", band=(0, 0)),
            (norm(x + f)[0] - norm(others + f)[0]).abs().max(),
        )
    ]


@torch.no_grad()
def squared(seed: int) -> list[Finding]:
    """The findings about the change of the output divided by the sum of beta_ii^2, by placement and
    depth. The ratio should be constant.
    """

    stacks = {name: fresh_encoder(name, 16, D, generator(seed, 0)) for name in ("post", "pre")}

    def constants(placement: str, trial: int) -> list[float]:
        draws = generator(seed, trial)
        x = normal(16, POSITIONS, D, draws=draws)
        stack = initialise(stacks[placement], draws)
        recorded = run_recorded(stack, x)
        perturb(stack, 0.01, draws)
        after, shares = run_recorded(stack, x).after, dependency(stack, recorded)
        return [distance(recorded.after[n - 1], after[n - 1]) / sum(shares[:n]) for n in (2, 8, 32)]

    measured = torch.tensor(
        [
            [constants("post", trial), constants("pre", trial)]
            for trial in progress.steps(range(3 * SEEDS))
        ]
    )
    law = (
        "The ratio of output change to sum of squares is nearly constant across"
        " both placements and 2, 8 and 32 sub-layers: the largest is less than"
        " twice the smallest."
    )
    return [
        pooled(
            Law("squared", text=law, band=(None, 2)),
            lambda some: some.mean(0).max() / some.mean(0).min(),
            measured,
        )
    ]


def interleaved(seed: int) -> list[Finding]:
    """The findings about one token that passes through three Post-LN feed-forward sub-layers: the
    Jacobian of the whole network compared with products of the Jacobians of its parts.
    """
    x, d = tokens(seed, 1, 16), 16
    sizes: dict[str, Any] = {"d_model": d, "d_ff": 4 * d, "n_heads": HEADS, "n_encoder_layers": 1}
    small = Config(family="encoder-only", vocabulary_size=1, **sizes)
    blocks = [
        initialise(Block(small, "encoder"), generator(seed, 1 + i)).double().requires_grad_(False)
        for i in range(3)
    ]

    def matrix(f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        return jacobian(f, x).reshape(x.numel(), x.numel())

    norms, adds = [], []
    for block in blocks:

        def add(x: Tensor, block: Block = block) -> Tensor:
            return x + block.feed_forward(x)

        adds.append(matrix(add, x))
        norms.append(matrix(block.norm2, add(x)))
        x = block.norm2(add(x))

    def all_three(x: Tensor) -> Tensor:
        for block in blocks:
            x = block.norm2(x + block.feed_forward(x))
        return x

    whole = matrix(all_three, tokens(seed, 1, 16))
    product = norms[2] @ adds[2] @ norms[1] @ adds[1] @ norms[0] @ adds[0]
    apart = (norms[2] @ norms[1] @ norms[0]) @ (adds[2] @ adds[1] @ adds[0])
    return [
        exact(
            Law(
                "interleaved",
                text="Alternating norms and sub-layers in the product gives the exact"
                " Jacobian of the stack.",
                band=(0, 1e-10),
            ),
            (product - whole).abs().max(),
        ),
        exact(
            Law(
                "separated",
                text="With all norms first, as printed, the product differs from the"
                " Jacobian by more than 5%.",
                band=(0.05, None),
            ),
            (apart - whole).norm() / whole.norm(),
        ),
    ]


@torch.no_grad()
def closed_by_a_norm(seed: int) -> list[Finding]:
    """The difference from 1 of a token's squared norm, in units of d, after each sub-layer."""

    def farthest(placement: str) -> Tensor:
        stack = fresh_encoder(placement, 2, D, generator(seed, 1))
        after = run_recorded(stack, tokens(seed, 1, POSITIONS, D)).after
        return torch.stack([(x.square().mean(-1) - 1).abs().max() for x in after]).min()

    return [
        exact(
            Law(
                "post",
                text="With Post-LN, a token’s squared norm after each sub-layer, divided by"
                " d, is 1.",
                band=(0, 1e-3),
            ),
            farthest("post"),
        ),
        exact(
            Law(
                "pre",
                text="With Pre-LN, it differs from 1 by more than 0.1 for some token after"
                " every sub-layer.",
                band=(0.1, None),
            ),
            farthest("pre"),
        ),
    ]


@torch.no_grad()
def stream_is_a_sum(seed: int) -> list[Finding]:
    """The distance between the last stream and the input plus all sub-layer outputs, relative to
    the norm of that sum.
    """

    def off(placement: str) -> Tensor:
        stack = fresh_encoder(placement, 3, D, generator(seed, 1))
        recorded = run_recorded(stack, tokens(seed, 1, POSITIONS, D))
        total = recorded.before[0] + sum(recorded.outputs)
        return (recorded.after[-1] - total).norm() / total.norm()

    return [
        exact(
            Law(
                "pre",
                text="With Pre-LN, the residual stream is exactly the input plus all"
                " sub-layer outputs.",
                band=(0, EXACT),
            ),
            off("pre"),
        ),
        exact(
            Law(
                "post",
                text="With Post-LN, the residual stream differs from that sum by more than 10%.",
                band=(0.1, None),
            ),
            off("post"),
        ),
    ]
