"""Dependency: the fraction of the stream's variance that comes from each sub-layer, at its own
depth and at every later one, by norm placement.
"""

import math
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.laws import OPEN, Law, by_name, each
from model.answers.measurements import Finding, pooled, statistical
from model.checks import check_between, check_one_of
from model.layers.choice_names import PLACEMENT_NAMES
from model.layers.residual import PLACEMENTS
from model.layers.stack import Stack
from model.measure.initialised_stacks import (
    INIT,
    STACKS,
    Inputs,
    Recorded,
    added,
    by_seed,
    check_width,
    compared,
    fresh_encoder,
    fresh_stack,
    generator,
    normal,
    normalised,
    profile,
    run_recorded,
    scales_of,
    seed_axis,
)

LAWS = by_name(
    Law("mean_dependency", "Mean fraction of variance: chosen placement"),
    *each(
        PLACEMENT_NAMES,
        Law("mean_dependency.{}", "Mean fraction of variance: {}", "the paper makes no prediction"),
        {
            "post": ("about a quarter over six layers, rising with depth", (0.22, 0.29)),
            "pre": ("about an eighth over six layers, falling with depth", (0.105, 0.14)),
            "admin": ("over six layers, the same as in a Pre-LN stack", (0.105, 0.14)),
        },
    ),
    Law(
        "post_over_pre",
        "Mean fraction of variance: Post-LN / Pre-LN",
        "about 2 over six layers: new sub-layers contribute more with Post-LN",
        (1.8, 2.6),
    ),
    Law(
        "admin_from_pre",
        "Admin: largest difference from Pre-LN",
        "the fractions in an Admin stack are about the same as in a Pre-LN stack",
        (None, 0.03),
    ),
    Law(
        "omega",
        "Last ω of Admin",
        "omega of the last sub-layer, measured while all omega are 1: about 2.1",
        (1.9, 2.4),
    ),
    Law(
        "omega.again",
        "Last ω of the finished Admin stack",
        "about the same when measured in the finished Admin stack",
        (1.9, 2.4),
    ),
    Law(
        "independence",
        "Largest difference from the fractions for uncorrelated sub-layers",
        "small: the outputs are nearly uncorrelated",
        (None, 0.1),
    ),
)
ELSEWHERE = replace(
    LAWS["post_over_pre"], text="more than 1: higher with Post-LN than with Pre-LN", band=(1, None)
)
"""The prediction for stacks that the paper gives no numbers for."""

COMPARED = ("post", "pre", "admin")
"""The placements measured in addition to the requested one."""
SEQUENCES, POSITIONS = 8, 32
MAX_LAYERS, MEMORY_LAYERS = 12, 6
SUM = r"\hat{x}_i = \sum_{j \le i} \beta_{ij}\,\hat{f}_j"
LAW = (
    SUM + r", \qquad \beta_{ij}^2 = \frac{\operatorname{Var} c_{ij}}{\operatorname{Var}\left(\sum_k"
    r" c_{ik}\right)}"
)
SOURCE = "Liu et al. 2020, sections 4.1 and 4.2"
OBSERVED = 6
"""The number of layers of the stacks for which the findings' ranges were measured."""
KINDS = {
    "encoder": ("attention", "feed_forward"),
    "decoder": ("attention", "cross_attention", "feed_forward"),
}
"""The kinds of sub-layers in a layer, in order."""

TENSORS = {
    "beta_squared": (("sublayer", "sublayer"), "Var c_ij / Var (sum_k c_ik)"),
    "dependency": (("sublayer",), "Var f_i / Var (x_{i-1} + f_i)"),
    "by_kind": (("kind", "layer"), "Var f_i / Var (x_{i-1} + f_i), by kind of sub-layer"),
    "beta_squared.all": (("placement", "sublayer", "sublayer"), "Var c_ij / Var (sum_k c_ik)"),
    "dependency.all": (("placement", "sublayer"), "Var f_i / Var (shortcut x_{i-1} + f_i)"),
    "input": (("placement", "sublayer"), "Var c_i0 / Var (sum_k c_ik)"),
    "omega": (("sublayer",), "sqrt(1 + sum_{j<i} Var f_j), profiled with every omega at 1"),
}
"""The axes and the formula of each tensor."""

Shares = Float[Tensor, "sublayer writer"]


@dataclass(frozen=True)
class Trial:
    """The measurement of one seed and one placement: the fractions, in which writer 0 is the input,
    and the scales of the residual connections, as profiled and as profiled again in the finished
    network.
    """

    shares: Shares
    omegas: list[float]
    again: list[float]


def dependency(
    *,
    placement: str = "post",
    layers: int = 6,
    d_model: int = 64,
    stack: str = "encoder",
    seed: int = 0,
    seeds: int = 8,
) -> Answer:
    """Means over the seeds: `beta_squared` [sublayer, sublayer], with depths as rows and writers as
    columns, and its diagonal `dependency` [sublayer] (Liu et al. 2020, section 4.1). `by_kind`
    [kind, layer] is the diagonal with a row for each kind of sub-layer.

    All are for `placement`; `dependency.all` also has the placements of COMPARED. The remaining
    fraction is that of the `input`. A decoder attends to the output of an encoder with the same
    placement and at most six layers.
    """
    check_one_of("placement", placement, tuple(PLACEMENTS))
    check_between("layers", layers, 1, MAX_LAYERS)
    check_width(d_model)
    check_one_of("stack", stack, STACKS)
    names, kinds = compared(COMPARED, placement), KINDS[stack]
    trials = [
        [trial(name, layers, d_model, seed, number, stack) for name in progress.steps(names)]
        for number in progress.trials(seeds)
    ]
    measured = torch.stack(
        [torch.stack([trial.shares for trial in placements]) for placements in trials]
    )  # [seed, placement, sublayer, writer]
    omegas = torch.tensor(
        [[placements[2].omegas, placements[2].again] for placements in trials]
    )  # [seed, profiled or again, sublayer], of Admin
    index = names.index(placement)
    together = numbers_of(measured.mean(0), index, layers) | {"omega": omegas[:, 0].mean(0)}
    each = numbers_of(measured, index, layers) | {"omega": omegas[:, 0]}
    axes = {
        "placement": Axis("step", len(names), list(names)),
        "sublayer": numbered("step", range(1, len(kinds) * layers + 1), "sub-layer"),
        "kind": Axis("step", len(kinds), list(kinds)),
        "layer": numbered("step", range(1, layers + 1), "layer"),
        "seed": seed_axis(seeds),
    }
    tensors = {
        name: Labelled(along, together[name], formula) for name, (along, formula) in TENSORS.items()
    }
    tensors |= by_seed(tensors, each)
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": f"{INIT}; {SEQUENCES} sequences of {POSITIONS} positions",
        "findings": findings(placement, names, stack, layers, measured, omegas),
    }
    return Answer("random initialization", axes, tensors, fields)


@torch.no_grad()
def trial(
    placement: str, layers: int, d_model: int, seed: int, number: int, stack: str = "encoder"
) -> Trial:
    draws = generator(seed, number)
    x = normal(SEQUENCES, POSITIONS, d_model, draws=draws)
    measured = fresh_stack(stack, placement, layers, d_model, draws)
    memory = None if stack == "encoder" else memory_of(placement, layers, d_model, draws)
    n = len(scales_of(measured))
    omegas = profile(measured, x, memory) if placement == "admin" else [1.0] * n
    recorded = run_recorded(measured, x, memory)
    variances = [f.var(correction=0).item() for f in recorded.outputs]
    again = [math.sqrt(1 + math.fsum(variances[:i])) for i in range(n)]
    followed = PLACEMENTS[placement].norm == "sum"
    return Trial(shares(measured, recorded, followed), omegas, again)


def memory_of(placement: str, layers: int, d_model: int, draws: torch.Generator) -> Inputs:
    """The output of an encoder with the same placement, normalized as a decoder reads it."""
    x = normal(SEQUENCES, POSITIONS, d_model, draws=draws)
    encoder = fresh_encoder(placement, min(layers, MEMORY_LAYERS), d_model, draws)
    if placement == "admin":
        profile(encoder, x)
    return normalised(run_recorded(encoder, x).after[-1])


def shares(stack: Stack, recorded: Recorded, followed: bool) -> Shares:
    """beta_ij^2, measured on the recorded stream without assuming independence; writer 0 is the
    input. `followed` says whether a norm follows each addition.

    c_ij is what remains of f_j right after sub-layer i is added. A residual scale multiplies all
    parts of the stream by the same number. A freshly initialized norm subtracts each part's mean
    over a token's channels and divides by the token's scale. The mean and mean square of each part
    at each token are therefore sufficient. A B2T block adds its input b once more to what its norms
    left of it, a (b - mean b), so every writer before the block contributes (1 + a) (b - mean b) +
    mean b.
    """
    mean, square = moments(recorded.before[0])
    block_input, left = (mean, square), torch.ones_like(mean[0])
    sizes = [len(block.names) for block in stack.blocks]
    places = [(number, size) for size in sizes for number in range(1, size + 1)]
    rows = []
    parts = zip(places, added(stack, recorded), scales_of(stack), strict=True)
    for (number, size), (f, whole), factor in parts:
        omega = torch.as_tensor(factor).mean()
        if number == 1:
            block_input, left = (mean, square), torch.ones_like(mean[0])
        mean, square, left = omega * mean, omega**2 * square, omega * left
        if PLACEMENTS[stack[0].placement].block_input and number == size:
            middle, length = block_input
            varied = (1 + left).square() * (length - middle.square())
            mean = torch.cat([middle, mean[len(middle) :]])
            square = torch.cat([varied + middle.square(), square[len(middle) :]])
        mean, square = (torch.cat(both) for both in zip((mean, square), moments(f), strict=True))
        variances = square.mean((1, 2)) - mean.mean((1, 2)).square()
        rows.append(variances / whole.var(correction=0))
        if followed:
            scale = whole.var(-1, correction=0) + stack[0].norm1.epsilon
            mean, square = torch.zeros_like(mean), (square - mean.square()) / scale
            left = left / scale.sqrt()
    return torch.stack([torch.cat([row, row.new_zeros(len(rows) + 1 - len(row))]) for row in rows])


def moments(part: Tensor) -> tuple[Tensor, Tensor]:
    """The mean and mean square over each token's channels, each [1, sequence, position]."""
    return part.mean(-1)[None], part.square().mean(-1)[None]


def diagonals(measured: Tensor) -> Tensor:
    """The fraction beta_ii^2 of the most recent sub-layer, [..., sublayer]."""
    return measured[..., 1:].diagonal(dim1=-2, dim2=-1)


def numbers_of(
    shares: Float[Tensor, "*seed placement sublayer writer"], index: int, layers: int
) -> dict[str, Tensor]:
    """The numbers of the answer by name, from `shares` of each seed or of all together. The
    requested placement has the index `index`.
    """
    beta, diagonal = shares[..., 1:], diagonals(shares)
    return {
        "beta_squared": beta[..., index, :, :],
        "dependency": diagonal[..., index, :],
        "by_kind": diagonal[..., index, :].unflatten(-1, (layers, -1)).mT,
        "beta_squared.all": beta,
        "dependency.all": diagonal,
        "input": shares[..., 0],
    }


def independent(
    diagonal: Float[Tensor, "*batch sublayer"],
) -> Float[Tensor, "*batch sublayer sublayer"]:
    """beta_ij^2 = beta_jj^2 prod_{j<k<=i} (1 - beta_kk^2): the fractions if all outputs of
    sub-layers were uncorrelated.
    """
    decay = (1 - diagonal).cumprod(-1)
    return (diagonal[..., None, :] * decay[..., :, None] / decay[..., None, :]).tril()


def findings(
    placement: str,
    names: tuple[str, ...],
    stack: str,
    layers: int,
    measured: Tensor,
    omegas: Tensor,
) -> list[Finding]:
    """The findings from `measured` [seed, placement, sublayer, writer] and `omegas` [seed, profiled
    or again, sublayer].
    """
    elsewhere = elsewhere_of(layers, stack)
    here, known = elsewhere is None, measured[:, : len(COMPARED)]
    return [
        *mean_findings(placement, names, measured, elsewhere),
        pooled(LAWS["post_over_pre"] if here else ELSEWHERE, post_over_pre, known, logarithms=True),
        pooled(
            LAWS["admin_from_pre"],
            admin_from_pre,
            known,
            premise=None if stack == "encoder" else elsewhere,
        ),
        *omega_findings(omegas, elsewhere),
        pooled(LAWS["independence"], from_independent, measured, premise=correlated(placement)),
    ]


def elsewhere_of(layers: int, stack: str) -> str | None:
    """Why the paper's numbers do not apply to these stacks, or None if they do."""
    if layers == OBSERVED and stack == "encoder":
        return None
    return (
        f"The paper’s numbers are for encoders of {OBSERVED} layers (12 sub-layers);"
        " other stacks have no expected range."
    )


def correlated(placement: str) -> str | None:
    """Why the outputs of the sub-layers cannot be uncorrelated, or None if they can."""
    return {
        "b2t": "A B2T block adds its input twice, so the parts cannot be uncorrelated.",
        "none": "Without a norm, all sub-layers get the same growing residual stream,"
        " so their outputs are correlated.",
    }.get(placement)


def mean_findings(
    placement: str, names: tuple[str, ...], measured: Tensor, premise: str | None
) -> list[Finding]:
    """The mean dependency of a sub-layer, first under `placement`."""
    means = dict(zip(names, diagonals(measured).mean(-1).unbind(1), strict=True))

    def mean(name: str, measured_under: str) -> Finding:
        law = LAWS[f"mean_dependency.{measured_under}"]
        off = None if law.band == OPEN else premise
        return statistical(replace(law, name=name), means[measured_under].tolist(), premise=off)

    return [
        mean("mean_dependency", placement),
        *(mean(f"mean_dependency.{name}", name) for name in names if name != placement),
    ]


def omega_findings(
    omegas: Float[Tensor, "seed profiled sublayer"], premise: str | None
) -> list[Finding]:
    """The omega of the last sub-layer, as profiled and as measured again."""
    profiled, again = omegas[..., -1].T.tolist()
    return [
        statistical(LAWS["omega"], profiled, premise=premise),
        statistical(LAWS["omega.again"], again, premise=premise),
    ]


def post_over_pre(measured: Tensor) -> float:
    post, pre, _ = diagonals(measured).mean((0, 2)).tolist()
    return post / pre


def admin_from_pre(measured: Tensor) -> float:
    """The largest difference between the dependencies of an Admin stack and a Pre-LN stack at any
    sub-layer.
    """
    _, pre, admin = diagonals(measured).mean(0)
    return (admin - pre).abs().max().item()


def from_independent(measured: Tensor) -> float:
    """The largest difference between a measured fraction and the product formula of `independent`,
    over all placements.
    """
    mean = measured.mean(0)
    return (mean[..., 1:] - independent(diagonals(mean))).abs().max().item()
