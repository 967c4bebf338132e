"""dx_L/dx_0 of a small stack as products and sums of the Jacobians of its sub-layers: equations 5
and 6 of Wang et al. 2019.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from model.layers.context import Context
from model.layers.residual import StreamMap
from model.layers.stack import Stack
from model.measure.initialised_stacks import (
    Inputs,
    fresh_encoder,
    generator,
    normal,
    run_recorded,
)


def small(placement: str, seed: int) -> tuple[Stack, Tensor]:
    """An encoder with two layers, and its input."""
    draws = generator(seed, 0)
    x = normal(1, 2, 8, draws=draws)
    return fresh_encoder(placement, 2, 8, draws), x


def sub_layers(stack: Stack) -> list[tuple[StreamMap, StreamMap]]:
    """The function and the norm of each sub-layer, in order."""
    mask = torch.ones(1, 1, dtype=torch.bool)
    return [
        pair
        for block in stack.blocks
        for pair in (
            (lambda x, block=block: block.attention(x, Context(mask)), block.norm1),
            (block.feed_forward, block.norm2),
        )
    ]


def jacobian(f: Callable[[Tensor], Tensor], x: Inputs) -> Float[Tensor, "output input"]:
    """The Jacobian of `f` at one sequence. The sequence is copied once for each of its numbers, and
    each copy provides the gradient of another output, so that one backward pass computes all of
    them.
    """
    copies = x.expand(x.numel(), -1, -1).clone().requires_grad_()
    (rows,) = torch.autograd.grad(f(copies).flatten(1).diagonal().sum(), copies)
    return rows.flatten(1)


def error(product: Tensor, whole: Tensor) -> float:
    """The largest difference between two matrices, relative to the largest entry of `whole`."""
    return ((product - whole).abs().max() / whole.abs().max()).item()


def equation_5(seed: int) -> tuple[float, float]:
    """Two relative errors: that of the product with alternating J_LN and 1 + J_F, and that of the
    product of all J_LN times the product of all 1 + J_F.
    """
    stack, x = small("post", seed)
    whole = jacobian(lambda x: run_recorded(stack, x).after[-1], x)
    eye = torch.eye(x.numel(), dtype=x.dtype)
    turns, of_norms, of_functions = eye, eye, eye
    for f, norm in sub_layers(stack):
        j_f, j_norm = eye + jacobian(f, x), jacobian(norm, x + f(x))
        turns, of_norms, of_functions = j_norm @ j_f @ turns, j_norm @ of_norms, j_f @ of_functions
        x = norm(x + f(x))
    return error(turns, whole), error(of_norms @ of_functions, whole)


def equation_6(seed: int) -> tuple[float, float]:
    """Two relative errors: with the sum of total derivatives with respect to x_0, and with the sum
    of partial derivatives.
    """
    stack, x = small("pre", seed)
    parts = sub_layers(stack)
    whole = jacobian(lambda x: run_recorded(stack, x).after[-1], x)
    eye = torch.eye(x.numel(), dtype=x.dtype)
    total = eye + jacobian(lambda x: torch.stack(run_recorded(stack, x).outputs).sum(0), x)
    partial = eye
    for f, norm in parts:
        partial = partial + jacobian(lambda x, f=f, norm=norm: f(norm(x)), x)
        x = x + f(norm(x))
    return error(total, whole), error(partial, whole)
