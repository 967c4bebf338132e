"""The effect of a norm on vectors: its Jacobian, and what it averages over."""

import math
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.answers.measurements import Finding, exact, statistical
from model.layers.choice_names import AVERAGES_OVER
from model.layers.norms import NORMS
from model.measure.initialised_stacks import generator, normal
from model.measure.norms_laws import LAWS, UNCENTRED

SEQUENCES, POSITIONS = 8, 16
SOURCES = ("another sample", "a later token")


def fresh(norm: str, d_model: int) -> nn.Module:
    """A norm in float64 without epsilon, as in its paper. The gains are 1, or sqrt(d_model) in
    ScaleNorm.
    """
    part = NORMS[norm].module(d_model, 0.0).double().requires_grad_(False)
    part.gain.fill_(math.sqrt(d_model) if norm == "scale" else 1.0)
    return part


def jacobians(norm: str, tokens: Float[Tensor, "token channel"]) -> Float[Tensor, "token channel"]:
    """The singular values of dy/dx at each token, multiplied by sigma, the root mean square of the
    vector that the norm divides.
    """
    part = fresh(norm, tokens.shape[-1])
    centred = tokens - tokens.mean(-1, keepdim=True) if norm == "layer" else tokens
    sigma = centred.square().mean(-1, keepdim=True).sqrt()
    jacobian = torch.stack(
        [torch.autograd.functional.jacobian(lambda x: part(x[None])[0], token) for token in tokens]
    )
    return torch.linalg.svdvals(jacobian) * sigma


def normalised(
    x: Float[Tensor, "sample position channel"], over: tuple[int, ...]
) -> Float[Tensor, "sample position channel"]:
    return (x - x.mean(over, keepdim=True)) / x.var(over, correction=0, keepdim=True).sqrt()


def leak(d_model: int, seed: int, number: int) -> Float[Tensor, "averages source"]:
    """The largest change of the first tokens of the first sample when another sample, or a later
    token of the same sample, is replaced by new random values.
    """
    draws = generator(seed, number)
    x, fresh = normal(2, SEQUENCES, POSITIONS, d_model, draws=draws).unbind(0)
    half = POSITIONS // 2
    other, later = x.clone(), x.clone()
    other[1:], later[0, half:] = 2 * fresh[1:], 2 * fresh[0, half:]
    changes = [
        [
            (normalised(x, over) - normalised(changed, over))[0, :half].abs().max()
            for changed in (other, later)
        ]
        for over in AVERAGES_OVER.values()
    ]
    return torch.tensor(changes)


def norm_findings(norm: str, tokens: Tensor, singular: Tensor) -> list[Finding]:
    """The findings about a norm applied to `tokens`; `singular` [token, channel] are the singular
    values of its Jacobian, multiplied by sigma.
    """
    d = tokens.shape[-1]
    y = fresh(norm, d)(tokens)
    largest, rank = singular.amax(-1), int((singular[0] > 1e-9).sum())
    worst = largest[(largest - 1).abs().argmax()].item()
    lost, of_rank = (2, LAWS["jacobian_rank"]) if norm == "layer" else (1, UNCENTRED)
    uncentred = None if norm == "layer" else "Only LayerNorm subtracts the mean."
    return [
        exact(LAWS["jacobian_times_sigma"], worst),
        exact(replace(of_rank, band=(d - lost, d - lost)), rank),
        exact(LAWS["y_dot_ones"], y.sum(-1).abs().max().item(), premise=uncentred),
        exact(
            replace(LAWS["y_dot_y"].with_numbers(d=d), band=(d * (1 - 1e-9), d * (1 + 1e-9))),
            y.square().sum(-1).mean().item(),
        ),
    ]


def leak_findings(leaks: Tensor) -> list[Finding]:
    """The findings from `leaks` [seed, averages, source]."""
    layer, batch, instance = leaks.unbind(1)
    return [
        exact(LAWS["leak.layer"], layer.max().item()),
        statistical(LAWS["leak.batch"], batch[:, 0].tolist()),
        statistical(LAWS["leak.instance"], instance[:, 1].tolist()),
    ]
