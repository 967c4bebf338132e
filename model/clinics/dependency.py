"""Dependency: the share of the stream's variance that each sub-layer has written, at its own depth
and at every later depth, by placement of the norm.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model.answers import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.measurements import Band, Finding, pooled, statistical
from model.checks import check_between, check_one_of
from model.clinics._shared.initialised_stacks import (
    INIT,
    Recorded,
    by_seed,
    check_width,
    fresh_encoder,
    generator,
    profile,
    run_recorded,
    seed_axis,
    shortcuts,
)
from model.transformer import Stack

PLACEMENTS = ("post", "pre", "admin")
SEQUENCES, POSITIONS = 8, 32
MOST_LAYERS = 12
SUM = r"\hat{x}_i = \sum_{j \le i} \beta_{ij}\,\hat{a}_j"
LAW = (
    SUM + r", \qquad \beta_{ij}^2 = \frac{\operatorname{Var} c_{ij}}{\operatorname{Var}\left(\sum_k"
    r" c_{ik}\right)}"
)
SOURCE = "Liu et al. 2020, sections 4.1 and 4.2"
OBSERVED = 6
"""The number of layers of the stacks for which the bands of the findings were measured."""
BANDS: dict[str, Band] = {"post": (0.22, 0.29), "pre": (0.105, 0.14), "admin": (0.105, 0.14)}

Shares = Float[Tensor, "sublayer writer"]


@dataclass(frozen=True)
class Trial:
    """The measurement of one seed and one placement: the shares, in which writer 0 is the input,
    and the factors of the residual connections as profiled and as a second profiling of the
    finished network would set them.
    """

    shares: Shares
    omegas: list[float]
    again: list[float]


def dependency(
    *, placement: str = "post", layers: int = 6, d_model: int = 64, seed: int = 0, seeds: int = 4
) -> Answer:
    """Answers with means over the seeds: `beta_squared` [sublayer, sublayer], whose rows are depths
    and whose columns are writers, and its diagonal `dependency` [sublayer] (Liu et al. 2020,
    section 4.1).

    Both are those of `placement`; `dependency.all` has the three placements. The share that no
    sub-layer has written is that of the `input`.
    """
    check_one_of("placement", placement, PLACEMENTS)
    check_between("layers", layers, 1, MOST_LAYERS)
    check_width(d_model)
    trials = [
        [trial(one, layers, d_model, seed, number) for one in progress.steps(PLACEMENTS)]
        for number in progress.trials(seeds)
    ]
    measured = torch.stack(
        [torch.stack([one.shares for one in placements]) for placements in trials]
    )  # [seed, placement, sublayer, writer]
    omegas = torch.tensor(
        [[placements[-1].omegas, placements[-1].again] for placements in trials]
    )  # [seed, profiled or again, sublayer]
    mean = measured.mean(0)
    beta, diagonal, own = mean[..., 1:], diagonals(mean), PLACEMENTS.index(placement)
    n = 2 * layers
    axes = {
        "placement": Axis("step", len(PLACEMENTS), list(PLACEMENTS)),
        "sublayer": numbered("step", range(1, n + 1), "sub-layer"),
        "seed": seed_axis(seeds),
    }
    formula, square = "Var c_ij / Var (sum_k c_ik)", ("sublayer", "sublayer")
    tensors = {
        "beta_squared": Labelled(square, beta[own], formula),
        "dependency": Labelled(("sublayer",), diagonal[own], "Var f_i / Var (x_{i-1} + f_i)"),
        "beta_squared.all": Labelled(("placement", *square), beta, formula),
        "dependency.all": Labelled(
            ("placement", "sublayer"), diagonal, "Var f_i / Var (shortcut x_{i-1} + f_i)"
        ),
        "input": Labelled(("placement", "sublayer"), mean[..., 0], "Var c_i0 / Var (sum_k c_ik)"),
        "omega": Labelled(
            ("sublayer",),
            omegas[:, 0].mean(0),
            "sqrt(1 + sum_{j<i} Var f_j), profiled with every omega at 1",
        ),
    }
    betas, own_shares = measured[..., 1:], diagonals(measured)
    tensors |= by_seed(
        tensors,
        {
            "beta_squared": betas[:, own],
            "dependency": own_shares[:, own],
            "beta_squared.all": betas,
            "dependency.all": own_shares,
            "input": measured[..., 0],
            "omega": omegas[:, 0],
        },
    )
    init = f"{INIT}; {SEQUENCES} sequences of {POSITIONS} positions"
    findings = found(placement, layers, measured, omegas)
    return Answer(
        "random initialisation",
        axes,
        tensors,
        {"law": LAW, "source": SOURCE, "init": init, "findings": findings},
    )


@torch.no_grad()
def trial(placement: str, layers: int, d_model: int, seed: int, number: int) -> Trial:
    draws = generator(seed, number)
    x = torch.randn(SEQUENCES, POSITIONS, d_model, generator=draws)
    stack = fresh_encoder(placement, layers, d_model, draws)
    omegas = profile(stack, x) if placement == "admin" else [1.0] * 2 * layers
    recorded = run_recorded(stack, x)
    written = [f.var(correction=0).item() for f in recorded.written]
    again = [math.sqrt(1 + math.fsum(written[:i])) for i in range(2 * layers)]
    return Trial(shares(stack, recorded, followed=placement != "pre"), omegas, again)


def shares(stack: Stack, recorded: Recorded, followed: bool) -> Shares:
    """beta_ij^2, measured on the recorded stream without an assumption of independence; writer 0 is
    the input. `followed` says whether a norm comes after each addition.

    c_ij stands for what is left of f_j where sub-layer i has just been added. A residual factor
    multiplies all parts of the stream by one number. A freshly initialised norm subtracts the mean
    of each part over the channels of a token and divides by the scale of the token. Therefore the
    mean and the mean square of each part at each token are enough.
    """
    mean, square = moments(recorded.before[0])
    rows = []
    for x, f, shortcut in zip(recorded.before, recorded.written, shortcuts(stack), strict=True):
        omega = torch.as_tensor(shortcut).mean()
        mean, square = (
            torch.cat(both)
            for both in zip((omega * mean, omega**2 * square), moments(f), strict=True)
        )
        whole = shortcut * x + f
        variances = square.mean((1, 2)) - mean.mean((1, 2)).square()
        rows.append(variances / whole.var(correction=0))
        if followed:
            scale = whole.var(-1, correction=0) + stack[0].norm1.epsilon
            mean, square = torch.zeros_like(mean), (square - mean.square()) / scale
    return torch.stack([torch.cat([row, row.new_zeros(len(rows) + 1 - len(row))]) for row in rows])


def moments(part: Tensor) -> tuple[Tensor, Tensor]:
    """The mean and the mean square over the channels of each token, each [1, sequence,
    position].
    """
    return part.mean(-1)[None], part.square().mean(-1)[None]


def diagonals(measured: Tensor) -> Tensor:
    """The share beta_ii^2 of the sub-layer that has just written, [..., sublayer]."""
    return measured[..., 1:].diagonal(dim1=-2, dim2=-1)


def independent(
    diagonal: Float[Tensor, "*batch sublayer"],
) -> Float[Tensor, "*batch sublayer sublayer"]:
    """beta_ij^2 = beta_jj^2 prod_{j<k<=i} (1 - beta_kk^2): the shares if the outputs of all
    sub-layers were uncorrelated.
    """
    kept = (1 - diagonal).cumprod(-1)
    return (diagonal[..., None, :] * kept[..., :, None] / kept[..., None, :]).tril()


def found(placement: str, layers: int, measured: Tensor, omegas: Tensor) -> list[Finding]:
    """The findings of `measured` [seed, placement, sublayer, writer] and `omegas` [seed, profiled
    or again, sublayer].
    """
    observed = layers == OBSERVED
    means = dict(zip(PLACEMENTS, diagonals(measured).mean(-1).unbind(1), strict=True))
    law = {
        "post": "about a quarter on the mean: depth hardly lowers it",
        "pre": "falls with depth",
        "admin": "as in the Pre-LN model",
    }
    mean = {
        p: (means[p].tolist(), law[p], BANDS[p] if observed else (None, None)) for p in PLACEMENTS
    }
    ratio = (
        "the Post-LN model leans on its newest writers about twice as much"
        if observed
        else "more in the Post-LN model"
    )
    end, grows = (
        f"sub-layer {2 * layers}",
        ("from 1 to about 2.1 over 12 sub-layers" if observed else "grows from 1"),
    )
    growth: Band = (1.9, 2.4) if observed else (1, None)
    return [
        statistical("mean_dependency", *mean[placement]),
        *(statistical(f"mean_dependency.{p}", *mean[p]) for p in PLACEMENTS),
        pooled(
            "post_over_pre", post_over_pre, measured, ratio, (1.8, 2.6) if observed else (1, None)
        ),
        pooled(
            "admin_from_pre",
            admin_from_pre,
            measured,
            "Admin gives a Post-LN model the dependencies of a Pre-LN one",
            (None, 0.03),
        ),
        statistical(
            "omega",
            omegas[:, 0, -1].tolist(),
            f"omega of {end}, profiled with every omega at 1: {grows}",
            growth,
        ),
        statistical(
            "omega.again",
            omegas[:, 1, -1].tolist(),
            f"the same profile of the finished Admin network: {grows}",
            growth,
        ),
        pooled(
            "independence",
            from_independent,
            measured,
            "shares as if no two writers were correlated: close, not equal",
            (None, 0.1),
        ),
    ]


def post_over_pre(measured: Tensor) -> float:
    post, pre, _ = diagonals(measured).mean((0, 2)).tolist()
    return post / pre


def admin_from_pre(measured: Tensor) -> float:
    """The largest difference between the dependency of an Admin stack and that of a Pre-LN stack at
    any sub-layer.
    """
    _, pre, admin = diagonals(measured).mean(0)
    return (admin - pre).abs().max().item()


def from_independent(measured: Tensor) -> float:
    """The largest difference between a measured share and the product formula of `independent`,
    over all placements.
    """
    mean = measured.mean(0)
    return (mean[..., 1:] - independent(diagonals(mean))).abs().max().item()
