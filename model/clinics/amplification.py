"""Amplification: how much a small change of the weights changes the output, by depth and norm
placement.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from safetensors.torch import load_file
from torch import Tensor

from model import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.laws import OPEN, Law, by_name, each
from model.answers.measurements import Finding, pooled
from model.checks import check_between, check_one_of
from model.layers.choice_names import PLACEMENT_NAMES
from model.layers.stack import Stack
from model.measure.initialised_stacks import (
    INIT,
    STACKS,
    Inputs,
    by_seed,
    check_width,
    compared,
    dependency,
    distance,
    fresh_encoder,
    fresh_stack,
    generator,
    geometric_mean,
    normal,
    normalised,
    omegas,
    perturb,
    profile,
    run_recorded,
    scales_of,
    seed_axis,
    set_scales,
    slope,
    with_placement,
)
from model.measure.recorded_amplification import (
    MAX_DEPTH,
    RECORDED,
    RECORDED_SEEDS,
    USUAL_DEPTHS,
    is_recorded,
)
from model.zoo.initialisation import initialise

LAWS = by_name(
    Law(
        "constant_spread",
        "C: largest / smallest",
        "C is nearly constant: its largest value is less than twice its smallest",
        (1, 2),
    ),
    Law(
        "proportional",
        "Log-log slope: change against sum of contributions",
        "1: the change is proportional to the sum of contributions",
        (0.8, 1.25),
    ),
    Law(
        "sum_spread",
        "Sum of contributions: largest / smallest",
        "the largest sum of contributions is more than ten times the smallest",
        (10, None),
    ),
    *each(
        PLACEMENT_NAMES,
        Law("slope.{}", "Log-log slope: change against depth, {}", "the paper makes no prediction"),
        {
            "post": ("about 1: linear in depth", (0.9, 1.25)),
            "pre": ("well below 1: the change grows like a + b log N", (0.4, 0.7)),
            "admin": ("as with Pre-LN: the change grows like a + b log N", (0.4, 0.7)),
        },
    ),
    Law(
        "post_over_pre",
        "Change: Post-LN / Pre-LN",
        "after {depth} sub-layers, the Post-LN change is more than 3 times the Pre-LN change",
        (3, None),
    ),
    *each(
        PLACEMENT_NAMES,
        Law(
            "share.{}",
            "Mean fraction of variance: {}",
            "the mean contribution of the {depth} sub-layers",
        ),
    ),
)

COMPARED = ("post", "pre", "admin")
"""The placements measured in addition to the requested one."""
SEQUENCES, POSITIONS = 4, 8
SEEDS, MEMORY_LAYERS = 16, 6
MIN_DEPTH = 32
"""The minimum number of sub-layers for which findings are evaluated."""
LAW = r"\mathbb{E}\,|F(x, W) - F(x, W^*)|^2 \approx C \sum_{i=1}^{N} \beta_{ii}^2"
SOURCE = "Liu et al. 2020, Theorem 2 and Corollaries 1 and 2"


@dataclass(frozen=True)
class Trial:
    """The measurement of one seed and one placement: for each sub-layer, the distance between the
    perturbed and the original output, and the sub-layer's dependency beta_ii^2.
    """

    change: list[float]
    dependency: list[float]

    def at(self, depths: list[int]) -> tuple[list[float], list[float]]:
        """The change of the output and the sum of the dependencies after each number of sub-layers
        in `depths`.
        """
        return [self.change[n - 1] for n in depths], [
            math.fsum(self.dependency[:n]) for n in depths
        ]


def amplification(
    *,
    depths: list[int] | None = None,
    noise: float = 0.01,
    d_model: int = 64,
    placement: str = "post",
    stack: str = "encoder",
    seed: int = 0,
    seeds: int = SEEDS,
) -> Answer:
    """`change`, `sum`, `constant`, and `share` [placement, depth], geometric means over the seeds
    (Liu et al. 2020). `sum` is the sum of beta_ii^2 over the sub-layers up to a depth, `constant`
    is change / sum, and `share` is sum / depth, a sub-layer's average contribution. `fit` is the
    predicted curve of each placement, fitted to its changes; it is masked for placements without a
    prediction in the paper.

    `noise` is the standard deviation of the perturbation, relative to that of each weight matrix.
    `depths` are numbers of sub-layers. All depths are measured on the deepest stack, whose first n
    sub-layers are a stack of depth n. A change is the mean square per channel between two outputs
    normalized to variance 1. The placements are COMPARED and `placement`. A decoder attends to the
    output of a six-layer encoder, which is not perturbed. With default settings, up to
    RECORDED_SEEDS seeds are read from recorded trials.
    """
    depths = sorted(set(depths or USUAL_DEPTHS))
    check_between("depths", len(depths), 3, 16)
    for depth in depths:
        check_between("depths", depth, 1, MAX_DEPTH)
    check_between("noise", noise, 1e-4, 0.1)
    check_one_of("placement", placement, tuple(PLACEMENT_NAMES))
    check_one_of("stack", stack, STACKS)
    check_width(d_model)
    names = compared(COMPARED, placement)
    question: dict[str, Any] = {"noise": noise, "d_model": d_model, "stack": stack, "seed": seed}
    recorded = is_recorded(depths[-1], **question) and seeds <= RECORDED_SEEDS
    all_trials = (
        recorded_trials(names, seeds)
        if recorded
        else trials(names, depths[-1], progress.trials(seeds), **question)
    )
    measured = torch.tensor(
        [[trial.at(depths) for trial in placements] for placements in all_trials]
    )  # [seed, placement, change or sum, depth]
    axes = {
        "placement": Axis("step", len(names), list(names)),
        "depth": numbered("step", depths, "depth", "sub-layers"),
        "seed": seed_axis(len(measured)),
    }
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": f"{INIT}. Measured in advance; the results are stored" if recorded else INIT,
        "findings": findings(names, placement, stack, depths, measured),
    }
    return Answer("random initialization", axes, by_depth(names, depths, measured), fields)


def recorded_trials(names: tuple[str, ...], seeds: int) -> Iterator[list[Trial]]:
    """The recorded trials of the first `seeds` seeds."""
    trials = load_file(RECORDED)["trials"]  # [seed, placement, change or dependency, sub-layer]
    chosen = [list(PLACEMENT_NAMES).index(name) for name in names]
    for placements in trials[:seeds, chosen].tolist():
        yield [Trial(change, shares) for change, shares in placements]


def trials(
    names: tuple[str, ...],
    deepest: int,
    seeds: Iterable[int],
    *,
    noise: float,
    d_model: int,
    stack: str,
    seed: int,
) -> Iterator[list[Trial]]:
    """Measures every placement in `names` on stacks of `deepest` sub-layers, seed by seed."""
    pair = pair_of(stack, deepest, d_model, seed)
    for number in seeds:
        yield trial(pair, names, d_model, noise, generator(seed, number))


@dataclass(frozen=True)
class Pair:
    """The stack to measure, another for its perturbed weights, and the encoder that a decoder
    attends to. All have Admin's scale parameters, so that they can represent every placement.
    """

    stack: Stack
    other: Stack
    encoder: Stack | None


def pair_of(stack: str, depth: int, d_model: int, seed: int) -> Pair:
    """Stacks of at least `depth` sub-layers: an encoder layer has two, a decoder layer three."""
    layers = math.ceil(depth / (2 if stack == "encoder" else 3))
    return Pair(
        *(fresh_stack(stack, "admin", layers, d_model, generator(seed, n)) for n in range(2)),
        encoder=None
        if stack == "encoder"
        else fresh_encoder("admin", MEMORY_LAYERS, d_model, generator(seed, 0)),
    )


@torch.inference_mode()
def trial(
    pair: Pair, names: tuple[str, ...], d_model: int, size: float, draws: torch.Generator
) -> list[Trial]:
    """Measures every placement with the same weights, perturbation, and input. Admin's omegas are
    profiled on the Post-LN network.
    """
    stack, other = pair.stack, pair.other
    x = normal(SEQUENCES, POSITIONS, d_model, draws=draws)
    other.load_state_dict(initialise(stack, draws).state_dict())
    progress.checkpoint()
    perturb(other, size, draws)
    source = None if pair.encoder is None else normal(*x.shape, draws=draws)
    if pair.encoder is not None:
        initialise(pair.encoder, draws)
    ones = [1.0] * len(scales_of(stack))

    def memory(placement: str) -> Inputs | None:
        if pair.encoder is None or source is None:
            return None
        encoder = pair.encoder
        set_scales(with_placement(encoder, "post"), [1.0] * len(scales_of(encoder)))
        if placement == "admin":
            profile(encoder, source)
        return normalised(run_recorded(with_placement(encoder, placement), source).after[-1])

    def measured(placement: str) -> Trial:
        progress.checkpoint()
        looked_at, scales = memory(placement), ones
        if placement == "admin":
            set_scales(with_placement(stack, "post"), ones)
            scales = omegas(run_recorded(stack, x, looked_at))
        for net in (stack, other):
            set_scales(with_placement(net, placement), scales)
        recorded, disturbed = (run_recorded(net, x, looked_at) for net in (stack, other))
        changes = [distance(a, b) for a, b in zip(recorded.after, disturbed.after, strict=True)]
        return Trial(changes, dependency(stack, recorded))

    return [measured(name) for name in names]


FORMULAS = {
    "change": "mean |F(x, W) - F(x, W*)|^2 / d_model",
    "sum": "sum over the first N sub-layers of Var f / Var(x + f)",
    "constant": "change / sum",
    "share": "sum / N",
}


def by_depth(names: tuple[str, ...], depths: list[int], measured: Tensor) -> dict[str, Labelled]:
    """The tensors [placement, depth] computed from `measured` [seed, placement, change or sum,
    depth], and those of each seed.
    """
    changes, sums = measured.unbind(2)
    each = {
        "change": changes,
        "sum": sums,
        "constant": changes / sums,
        "share": sums / torch.tensor(depths),
    }
    axes = ("placement", "depth")
    tensors = {
        name: Labelled(
            axes, geometric_mean(each[name]), f"{formula}; geometric mean over the seeds"
        )
        for name, formula in FORMULAS.items()
    }
    tensors["fit"] = Labelled(
        axes,
        fits(names, depths, tensors["change"].data),
        "c N for Post-LN; a + b ln N for Pre-LN and Admin; the paper has none for the others",
        masked=True,
    )
    return tensors | by_seed(tensors, each)


def fits(
    names: tuple[str, ...], depths: list[int], change: Float[Tensor, "placement depth"]
) -> Float[Tensor, "placement depth"]:
    """The curves of Corollaries 1 and 2: c N for Post-LN, with c the geometric mean of change / N,
    and the least-squares fit a + b ln N for Pre-LN and Admin. -inf if the paper has no curve.
    """
    # In float32, the last digit of least squares differs from one
    # question to the next, depending on memory alignment.
    change, n = change.double(), torch.tensor(depths, dtype=torch.float64)
    design = torch.stack([torch.ones_like(n), n.log()], -1)
    curves = torch.full_like(change, -math.inf)
    for i, name in enumerate(names):
        if name == "post":
            curves[i] = (change[i] / n).log().mean().exp() * n
        elif name in COMPARED:
            weighed = design / change[i, :, None]  # errors relative to the change
            curves[i] = design @ torch.linalg.lstsq(weighed, torch.ones_like(n)).solution
    return curves.float()


def findings(
    names: tuple[str, ...], placement: str, stack: str, depths: list[int], measured: Tensor
) -> list[Finding]:
    """The findings from `measured` [seed, placement, change or sum, depth]. Comparisons of
    placements use COMPARED.
    """
    change, sums = measured.unbind(2)
    off = premise_of(stack, depths[-1])
    return [
        *dependency_findings(measured[:, : len(COMPARED)], off),
        *(
            pooled(
                law,
                lambda some, i=i: slope(depths, geometric_mean(some[:, i]).tolist()),
                change,
                premise=None if law.band == OPEN else off,
            )
            for i, name in enumerate(names)
            for law in [LAWS[f"slope.{name}"]]
        ),
        pooled(
            LAWS["post_over_pre"].with_numbers(depth=depths[-1]),
            lambda some: geometric_mean(some[:, 0] / some[:, 1]),
            change[..., -1],
            premise=off,
            logarithms=True,
        ),
        *(
            pooled(
                LAWS[f"share.{name}"].with_numbers(depth=depths[-1]),
                lambda some, i=i: geometric_mean(some[:, i]),
                sums[..., -1] / depths[-1],
                logarithms=True,
            )
            for i, name in enumerate(names)
        ),
    ]


def premise_of(stack: str, deepest: int) -> str | None:
    """Why the predictions are not evaluated, or None if they are."""
    if stack == "decoder":
        return "The paper’s theorem, and so the expected range, is about encoders."
    if deepest < MIN_DEPTH:
        return f"The prediction needs stacks of at least {MIN_DEPTH} sub-layers."
    return None


def dependency_findings(known: Tensor, premise: str | None) -> list[Finding]:
    """The findings about the main prediction: over all placements and depths, the change is
    proportional to the sum of the dependencies. `known` is [seed, placement, change or sum, depth].
    """
    return [
        pooled(LAWS["constant_spread"], constant_spread, known, premise=premise, logarithms=True),
        pooled(LAWS["proportional"], exponent_in_sum, known, premise=premise),
        pooled(
            LAWS["sum_spread"],
            lambda some: spread(geometric_mean(some[:, :, 1])),
            known,
            premise=premise,
            logarithms=True,
        ),
    ]


def constant_spread(measured: Tensor) -> float:
    """The ratio of the largest to the smallest change / sum, over all depths and placements."""
    change, total = geometric_mean(measured).unbind(1)
    return spread(change / total)


def exponent_in_sum(measured: Tensor) -> float:
    """The exponent of the change as a power of the sum of dependencies, over all depths and
    placements.
    """
    change, total = geometric_mean(measured).unbind(1)
    return slope(total.flatten().tolist(), change.flatten().tolist())


def spread(values: Tensor) -> float:
    return (values.max() / values.min()).item()
