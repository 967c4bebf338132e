"""Norms: the norm of the stream's vectors by depth and norm placement, and the properties of the
norm layers themselves.
"""

import math
from dataclasses import dataclass, replace
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.measurements import Finding, exact, pooled, statistical
from model.checks import check_between, check_one_of
from model.config import NormChoices
from model.layers.choice_names import AVERAGES_OVER, PLACEMENT_NAMES
from model.layers.norms import NORMS
from model.layers.stack import Stack
from model.measure.initialised_stacks import (
    HEADS,
    INIT,
    STACKS,
    Inputs,
    by_seed,
    check_width,
    generator,
    normal,
    profile,
    run_recorded,
    scales_of,
    seed_axis,
    set_scales,
    with_placement,
    zero_stack,
)
from model.measure.initialised_stacks import normalised as output_of
from model.measure.norm_properties import (
    POSITIONS,
    SEQUENCES,
    SOURCES,
    jacobians,
    leak,
    leak_findings,
    norm_findings,
)
from model.measure.norms_laws import LAWS, ROUNDING
from model.measure.stream_growth import SUBLAYERS, exponent, from_root, lemma, outside
from model.zoo.initialisation import initialise

TOKENS, MAX_DEPTH, MEMORY_LAYERS = 4, 64, 6
SCALES = (0.9, 1.1)
SCALED = 48
"""The number of sub-layers after which the findings evaluate lambda^n."""
LAW = r"\left(1 + \frac{l}{2}\right) d \le \mathbb{E}\,|x_l|^2 \le \left(1 + \frac{3l}{2}\right) d"
DECODER_LAW = LAW.replace("3l", "5l")
"""Lemma 2 is about encoders. Its argument also bounds a decoder: every attention layer adds between
0 and d to the mean square, and a decoder layer has two.
"""
STACK_INIT = (
    f"{INIT}; d_ff = d_model, as Lemma 2 assumes; {SEQUENCES} sequences of {POSITIONS} positions"
)
SOURCE = "Xiong et al. 2020, Lemmas 2 and 3; Ba et al. 2016; He et al. 2016"


@dataclass(frozen=True)
class Trial:
    """The measurement of one seed: E |x_n|^2 [placement, sublayer]; E |x + FFN(x)|^2 / d of each
    Post-LN layer; the largest relative difference of a Post-LN token's norm from sqrt(d), and the
    part of it due to the norm's epsilon.
    """

    squares: Tensor
    before_norm: Tensor
    largest_deviation: float
    by_epsilon: float


@dataclass(frozen=True)
class Pair:
    """Stacks that represent every placement: `plain` for all except Admin, and `admin` with the
    same weights, because Admin has scales of its own.
    """

    plain: Stack
    admin: Stack

    def draw(self, draws: torch.Generator) -> None:
        """Initializes both stacks with the same weights, and every omega with 1."""
        weights = initialise(self.plain, draws).state_dict()
        self.admin.load_state_dict(weights, strict=False)
        set_scales(self.admin, [1.0] * len(scales_of(self.admin)))

    def placed(self, placement: str) -> Stack:
        return self.admin if placement == "admin" else with_placement(self.plain, placement)


def norms(
    *,
    placement: str = "pre",
    norm: str = "layer",
    depth: int = 48,
    d_model: int = 64,
    shortcut: float = 1.0,
    stack: str = "encoder",
    seed: int = 0,
    seeds: int = 4,
) -> Answer:
    """`stream` [sublayer], the square root of E |x_n|^2 under `placement`; `stream.all` for all
    placements; and `lemma` [bound, layer], the bounds for Pre-LN (Xiong et al. 2020).

    `depth` is the number of sub-layers and `shortcut` is lambda; Admin has scales of its own. A
    decoder attends to the output of a six-layer encoder with the same placement. `path` [scale,
    sublayer] is lambda^n, measured on a stack whose sub-layers output zero. `singular` [channel]
    are the singular values of the norm's Jacobian, multiplied by sigma. `leak` [averages, source]
    is the change of a token when values elsewhere change.
    """
    check_one_of("placement", placement, tuple(PLACEMENT_NAMES))
    check_one_of("norm", norm, tuple(NORMS))
    check_one_of("stack", stack, STACKS)
    check_between("depth", depth, SUBLAYERS[stack], MAX_DEPTH)
    check_between("shortcut", shortcut, 0.5, 1.5)
    check_width(d_model)
    pair = pair_of(stack, norm, depth, d_model, shortcut)
    encoder = (
        None
        if stack == "encoder"
        else pair_of("encoder", norm, MEMORY_LAYERS * SUBLAYERS["encoder"], d_model, shortcut)
    )
    trials, leaks = [], []
    for number in progress.trials(seeds):
        trials.append(trial(pair, encoder, norm, depth, d_model, generator(seed, number)))
        leaks.append(leak(d_model, seed, number))
    squares, leaks = torch.stack([trial.squares for trial in trials]), torch.stack(leaks)
    scales = sorted({*SCALES, 1.0, shortcut})
    path = paths(scales)
    tokens = normal(TOKENS, d_model, draws=generator(seed, 0)) * 3 + 1
    singular = jacobians(norm, tokens)
    fields = {
        "law": LAW if stack == "encoder" else DECODER_LAW,
        "source": SOURCE,
        "init": STACK_INIT,
        "findings": [
            *stream_findings(placement, stack, d_model, shortcut, squares, trials),
            *norm_findings(norm, tokens, singular),
            *path_findings(dict(zip(scales, path, strict=True))),
            *leak_findings(leaks),
        ],
    }
    return Answer(
        "random initialization",
        axes_of(stack, depth, d_model, scales, seeds),
        tensors_of(placement, stack, squares, path, singular, leaks),
        fields,
    )


def axes_of(
    stack: str, depth: int, d_model: int, scales: list[float], seeds: int
) -> dict[str, Axis]:
    """The sub-layers and layers of a stack, and the axes of comparisons in it and between norms."""
    return {
        "sublayer": numbered("step", range(1, depth + 1), "sub-layer"),
        "placement": Axis("step", len(PLACEMENT_NAMES), list(PLACEMENT_NAMES)),
        "bound": Axis("step", 2, ["lower", "upper"]),
        "layer": numbered("step", range(1, depth // SUBLAYERS[stack] + 1), "layer"),
        "scale": numbered("step", scales, "scale of the shortcut"),
        "channel": numbered("step", range(1, d_model + 1), "rank of the singular value"),
        "seed": seed_axis(seeds),
        "averages": Axis("step", len(AVERAGES_OVER), list(AVERAGES_OVER)),
        "source": Axis("step", len(SOURCES), list(SOURCES)),
    }


def tensors_of(
    placement: str,
    stack: str,
    squares: Float[Tensor, "seed placement sublayer"],
    path: Float[Tensor, "scale most"],
    singular: Float[Tensor, "token channel"],
    leaks: Float[Tensor, "seed averages source"],
) -> dict[str, Labelled]:
    """The norms of the stream with their bounds, the singular values for the first token, and means
    over the seeds, with those of each seed. `path` extends to the largest depth.
    """
    chosen = list(PLACEMENT_NAMES).index(placement)
    depth, d_model = squares.shape[-1], singular.shape[-1]
    stream, streams = squares.mean(0).sqrt(), squares.sqrt()
    pooled = {
        "stream": Labelled(("sublayer",), stream[chosen], "sqrt(E |x_n|^2)"),
        "stream.all": Labelled(("placement", "sublayer"), stream, "sqrt(E |x_n|^2)"),
        "lemma": Labelled(
            ("bound", "layer"),
            (lemma(depth // SUBLAYERS[stack], stack) * d_model).sqrt(),
            f"sqrt((1 + l/2) d), sqrt((1 + {'3' if stack == 'encoder' else '5'}l/2) d)",
        ),
        "path": Labelled(
            ("scale", "sublayer"), path[:, :depth], "|x_n| / |x_0| where every f is 0"
        ),
        "singular": Labelled(
            ("channel",), singular[0], "singular values of dy/dx, times sigma, for one token"
        ),
        "leak": Labelled(
            ("averages", "source"),
            leaks.mean(0),
            "largest change of a token's channels when elsewhere changes",
        ),
    }
    each = {"stream": streams[:, chosen], "stream.all": streams, "leak": leaks}
    return pooled | by_seed(pooled, each)


def pair_of(stack: str, norm: str, depth: int, d_model: int, shortcut: float) -> Pair:
    return Pair(
        scaled(stack_of("none", norm, depth, d_model, stack), shortcut),
        stack_of("admin", norm, depth, d_model, stack),
    )


def stack_of(placement: str, norm: str, depth: int, d_model: int, stack: str = "encoder") -> Stack:
    """A stack of at least `depth` sub-layers with weights of zero."""
    layers = math.ceil(depth / SUBLAYERS[stack])
    return zero_stack(stack, placement, layers, d_model, d_ff=d_model, norm=norm)


def scaled(stack: Stack, shortcut: float) -> Stack:
    """`stack` with the same weights and the scale lambda on every residual connection."""
    for block in stack.blocks:
        block.shortcut = shortcut
    return stack


@torch.no_grad()
def trial(
    pair: Pair, encoder: Pair | None, norm: str, depth: int, d_model: int, draws: torch.Generator
) -> Trial:
    """Measures every placement with the same weights and input. Admin's omegas are profiled. A
    decoder attends to the output of `encoder` under the same placement.
    """
    x = normal(SEQUENCES, POSITIONS, d_model, draws=draws)
    pair.draw(draws)
    memories = dict.fromkeys(PLACEMENT_NAMES) if encoder is None else memories_of(encoder, x, draws)
    profile(pair.admin, x, memories["admin"])
    recordings = {
        name: run_recorded(pair.placed(name), x, memories[name])
        for name in progress.steps(list(PLACEMENT_NAMES))
    }
    post, scales = recordings["post"], scales_of(pair.plain)
    squares = torch.tensor(
        [
            [mean_square(after) for after in recorded.after[:depth]]
            for recorded in recordings.values()
        ]
    )
    size = len(pair.plain[0].names)  # the feed-forward network is the last sub-layer of a layer
    sums = [scale * x + f for x, f, scale in zip(post.before, post.outputs, scales, strict=True)]
    before_norm = [mean_square(total) / d_model for total in sums[size - 1 :: size]]
    exact = NORMS[norm].module(d_model, NormChoices.epsilon).double()
    return Trial(
        squares,
        torch.tensor(before_norm),
        largest_deviation(post.after),
        largest_deviation([exact(total) for total in sums]),
    )


def largest_deviation(normalised: list[Tensor]) -> float:
    """The largest relative difference of a token's norm from sqrt(d)."""
    return max((x.norm(dim=-1) / math.sqrt(x.shape[-1]) - 1).abs().max().item() for x in normalised)


def memories_of(encoder: Pair, x: Inputs, draws: torch.Generator) -> dict[str, Inputs]:
    """The memory of a decoder under each placement: the normalized output of a fresh encoder for
    another input of the size of `x`.
    """
    source = normal(*x.shape, draws=draws)
    encoder.draw(draws)
    profile(encoder.admin, source)
    return {
        name: output_of(run_recorded(encoder.placed(name), source).after[-1])
        for name in PLACEMENT_NAMES
    }


def mean_square(x: Inputs) -> float:
    """E |x|^2: the mean squared norm of a token's vector."""
    return x.square().sum(-1).mean().item()


def paths(scales: list[float]) -> Float[Tensor, "scale sublayer"]:
    """|x_n| / |x_0| along the residual connections alone, for each factor in `scales`. The weights
    of the stack are zero, so all sub-layers output zero.
    """
    x = torch.ones(1, 1, HEADS, dtype=torch.float64)
    stack = stack_of("none", "layer", MAX_DEPTH, HEADS)
    recordings = [run_recorded(scaled(stack, scale), x) for scale in scales]
    return torch.stack(
        [
            torch.stack([after.norm() / x.norm() for after in recorded.after])
            for recorded in recordings
        ]
    )


def stream_findings(
    placement: str,
    stack: str,
    d_model: int,
    shortcut: float,
    squares: Tensor,
    trials: list[Trial],
) -> list[Finding]:
    """The findings from `squares` [seed, placement, sublayer]. Lemma 2 and the exponents of
    unnormalized streams require residual connections with scale 1.
    """
    size = SUBLAYERS[stack]
    by_placement = dict(zip(PLACEMENT_NAMES, squares.unbind(1), strict=True))
    plain = (
        None
        if shortcut == 1
        else f"Every residual connection is scaled by λ = {shortcut:g}; the bounds and the"
        " exponent hold only for λ = 1."
    )
    sums = [trial.before_norm.mean().item() for trial in trials]
    rounded = max(trial.by_epsilon for trial in trials) + ROUNDING
    return [
        exponent(placement, stack, by_placement[placement], plain),
        pooled(
            LAWS["lemma_2"],
            partial(outside, stack=stack),
            by_placement["pre"][:, size - 1 :: size] / d_model,
            premise=plain,
            logarithms=True,
        ),
        statistical(LAWS["lemma_2.post"], sums, premise=plain),
        exact(
            replace(LAWS["stream.post"], band=(0, rounded)),
            max(trial.largest_deviation for trial in trials),
        ),
        pooled(
            LAWS["stream.branch"],
            from_root,
            by_placement["branch"] / d_model,
            premise=plain,
            logarithms=True,
        ),
    ]


def path_findings(path: dict[float, Tensor]) -> list[Finding]:
    return [exact(LAWS[f"path.{scale}"], path[scale][SCALED - 1].item()) for scale in SCALES]
