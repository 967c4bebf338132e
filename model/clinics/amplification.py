"""Amplification: how much a small change of the weights changes the output, by depth and placement
of the norm.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from model.answers import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.measurements import Finding, pooled, statistical
from model.checks import check_between
from model.clinics._shared.initialised_stacks import (
    INIT,
    Recorded,
    by_seed,
    check_width,
    dependency,
    distance,
    fresh_encoder,
    generator,
    omegas,
    perturb,
    run_recorded,
    seed_axis,
    set_shortcuts,
    slope,
    with_placement,
)
from model.transformer import Stack
from model.zoo.initialisation import initialise

PLACEMENTS = ("post", "pre", "admin")
DEPTHS = [2, 4, 8, 16, 32, 64]
SEQUENCES, POSITIONS = 16, 8
MOST_DEPTH = 64
LAW = r"\mathbb{E}\,|F(x, W) - F(x, W^*)|^2 \approx C \sum_{i=1}^{N} \beta_{ii}^2"
SOURCE = "Liu et al. 2020, Theorem 2 and Corollaries 1 and 2"


@dataclass(frozen=True)
class Trial:
    """The measurement of one seed and one placement: for each sub-layer the distance of the
    disturbed output from the undisturbed one, and the dependency beta_ii^2 of the sub-layer.
    """

    change: list[float]
    dependency: list[float]

    def at(self, depths: list[int]) -> tuple[list[float], list[float]]:
        """The change of the output and the sum of the dependencies after each of `depths`
        sub-layers.
        """
        return [self.change[n - 1] for n in depths], [
            math.fsum(self.dependency[:n]) for n in depths
        ]


def amplification(
    *,
    depths: list[int] | None = None,
    noise: float = 0.01,
    d_model: int = 64,
    seed: int = 0,
    seeds: int = 4,
) -> Answer:
    """Answers with `change` and `constant` [placement, depth], means over the seeds, and with `sum`
    [placement, depth], the sum of beta_ii^2 over the sub-layers up to a depth (Liu et al. 2020).

    `noise` is the standard deviation of the disturbance, as a share of the standard deviation of
    each weight matrix. `depths` are numbers of sub-layers. All depths are measured on the deepest
    stack, whose first n sub-layers are a stack of depth n. A change is the mean square per channel
    between two outputs that are normalised to variance 1.
    """
    depths = sorted(set(depths or DEPTHS))
    check_between("depths", len(depths), 3, 16)
    for depth in depths:
        check_between("depths", depth, 1, MOST_DEPTH)
    check_between("noise", noise, 1e-4, 0.1)
    check_width(d_model)
    stacks = [
        fresh_encoder("admin", math.ceil(max(depths) / 2), d_model, generator(seed, number))
        for number in range(2)
    ]
    trials = [
        trial(*stacks, d_model, noise, generator(seed, number)) for number in progress.trials(seeds)
    ]
    measured = torch.tensor(
        [[one.at(depths) for one in placements] for placements in trials]
    )  # [seed, placement, change or sum, depth]
    change, total = measured.mean(0).unbind(1)
    axes = {
        "placement": Axis("step", len(PLACEMENTS), list(PLACEMENTS)),
        "depth": numbered("step", depths, "depth", "sub-layers"),
        "seed": seed_axis(seeds),
    }
    of = ("placement", "depth")
    tensors = {
        "change": Labelled(of, change, "mean |F(x, W) - F(x, W*)|^2 / d_model"),
        "sum": Labelled(of, total, "sum over the first N sub-layers of Var f / Var(x + f)"),
        "constant": Labelled(of, change / total, "change / sum"),
    }
    changes, sums = measured.unbind(2)
    tensors |= by_seed(tensors, {"change": changes, "sum": sums, "constant": changes / sums})
    return Answer(
        "random initialisation",
        axes,
        tensors,
        {"law": LAW, "source": SOURCE, "init": INIT, "findings": found(depths, measured)},
    )


@torch.inference_mode()
def trial(
    stack: Stack, other: Stack, d_model: int, size: float, draws: torch.Generator
) -> list[Trial]:
    """Measures every placement with the same weights, the same disturbance and the same input. The
    omegas of Admin are profiled on the Post-LN network.
    """
    x = torch.randn(SEQUENCES, POSITIONS, d_model, generator=draws)
    other.load_state_dict(initialise(stack, draws).state_dict())
    progress.checkpoint()
    perturb(other, size, draws)

    def measured(placement: str, scales: list[float]) -> tuple[Trial, Recorded]:
        progress.checkpoint()
        for one in (stack, other):
            set_shortcuts(with_placement(one, placement), scales)
        recorded, disturbed = run_recorded(stack, x), run_recorded(other, x)
        changes = [distance(a, b) for a, b in zip(recorded.after, disturbed.after, strict=True)]
        return Trial(changes, dependency(stack, recorded)), recorded

    ones = [1.0] * 2 * stack.n_layers
    post, recorded = measured("post", ones)
    pre, _ = measured("pre", ones)
    admin, _ = measured("admin", omegas(recorded))
    return [post, pre, admin]


def found(depths: list[int], measured: Tensor) -> list[Finding]:
    """The findings of `measured` [seed, placement, change or sum, depth]."""
    bands = {"post": (0.9, 1.25), "pre": (0.4, 0.7), "admin": (0.4, 0.7)}
    words = {
        "post": "about 1: linear in the depth",
        "pre": "well below 1: a + b log N",
        "admin": "like Pre-LN",
    }
    change = measured[:, :, 0]
    slopes = {
        p: [slope(depths, one) for one in change[:, i].tolist()] for i, p in enumerate(PLACEMENTS)
    }
    return [
        pooled(
            "constant_spread",
            constant_spread,
            measured,
            "C is one constant: its largest over its smallest is below 2",
            (1, 2),
        ),
        pooled(
            "sum_spread",
            lambda some: spread(some[:, :, 1].mean(0)),
            measured,
            "the sum alone spans more than a decade",
            (10, None),
        ),
        *(statistical(f"slope.{p}", slopes[p], words[p], bands[p]) for p in PLACEMENTS),
        statistical(
            "post_over_pre",
            (change[:, 0, -1] / change[:, 1, -1]).tolist(),
            f"above 4 after {depths[-1]} sub-layers",
            (4, None),
        ),
    ]


def constant_spread(measured: Tensor) -> float:
    """The spread of change / sum over the depths, from geometric means over the seeds. The
    geometric mean is used because the change of a narrow, deep Post-LN stack is sometimes ten times
    as large as that of the others.
    """
    change, total = measured.log().mean(0).exp().unbind(1)
    return spread(change / total)


def spread(values: Tensor) -> float:
    return (values.max() / values.min()).item()
