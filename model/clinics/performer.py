"""The Performer: attention with random features, the error of its map relative to the exact map,
and its number of operations (Choromanski et al. 2021).
"""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.laws import Law, by_name
from model.answers.measurements import Finding, analytic, exact, pooled, statistical
from model.checks import check_between, check_one_of
from model.layers import random_features as favor
from model.layers.attention_scores import softmax
from model.layers.random_features import FEATURES, Features, Vectors
from model.measure.initialised_stacks import by_seed, generator, seed_axis, slope
from model.measure.timing import NOTE, seconds

LAWS = by_name(
    Law(
        "relative_error",
        "Error of the estimated attention map, one sample per seed",
        "relative distance from the exact map",
    ),
    Law(
        "error_over_uniform",
        "Error / error of equal weights",
        "below 1: closer to the exact map than equal weights are",
        (None, 1),
    ),
    Law("uniform_error", "Error of a map of equal weights", "every weight is 1 / n"),
    Law(
        "times_as_many.1",
        "Features for equal error: norm 1 / norm 0.5",
        "above 1: with one projection, the relative variance is larger at norm 1 than at norm 0.5",
        (1, None),
    ),
    Law(
        "times_as_many.2",
        "Features for equal error: norm 2 / norm 1",
        "above 1: with one projection, the relative variance is larger at norm 2 than at norm 1",
        (1, None),
    ),
    Law(
        "slope",
        "Squared error: exponent in the number of features",
        "about -0.9 at norm 1: nearly 1 / m",
        (-1.1, -0.7),
    ),
    Law(
        "mse_over_law",
        "Mean square error / theory",
        "1 for norms up to 1; for larger norms, a few seeds underestimate the mean",
        (0.85, 1.15),
    ),
    Law(
        "error_at_norm_2",
        "Error at norm 2 with 512 features",
        "above 0.8: even 512 features are too few",
        (0.8, None),
    ),
    Law(
        "causal_difference",
        "Causal output: running sums minus masked map",
        "0: running sums over the keys give the same output as the masked map",
        (0, 1e-9),
    ),
    Law(
        "cheaper_from",
        "Length above which the Performer is cheaper",
        "the n at which full attention (2 n^2 d multiplications for d channels) costs as much as"
        " the Performer",
        unit="positions",
    ),
)
ORTHOGONAL = replace(
    LAWS["mse_over_law"],
    text="at most 1: orthogonal projections are no worse than independent ones",
    band=(None, 1.15),
)
"""The prediction for the mean squared error with orthogonal projections."""

D_HEAD = 16
COUNTS = [16, 32, 64, 128, 256, 512]
NORMS = (0.5, 1.0, 2.0)
REDRAWS = 4
ANGLES = 4001
"""The number of points for averaging over directions."""
PAIRS, PROJECTIONS = 64, 2**14
LENGTHS = [64, 128, 256, 512, 1024, 2048]
MIN_LENGTH, MAX_LENGTH, MAX_FEATURES = 4, 96, 512
MIN_NORM, MAX_NORM = 0.1, 3.0
ERRORS = {
    "positive": r"\tfrac{1}{m}\, e^{|x + y|^2}\, e^{2\, x \cdot y} \left(1 - e^{-|x + y|^2}\right)",
    "trigonometric": (
        r"\tfrac{1}{2m}\, e^{|x + y|^2}\, e^{-2\, x \cdot y} \left(1 - e^{-|x - y|^2}\right)^2"
    ),
}
SOURCE = "Choromanski et al. 2021, lemma 2; orthogonal projections: theorem 2"
INIT = (
    f"Queries and keys have d = {D_HEAD} channels; their directions are random and drawn anew for"
    " each seed. Their norm is measured after division by d^(1/4)"
)

Map = Float[Tensor, "query key"]


@dataclass(frozen=True)
class Estimator:
    """A random-feature estimator of the kernel exp(x · y)."""

    kernel: str
    orthogonal: bool

    def projections(
        self, count: int, m: int, draws: torch.Generator
    ) -> Float[Tensor, "count m d_head"]:
        return (favor.orthogonal if self.orthogonal else favor.independent)(count, m, D_HEAD, draws)

    def pair(self, x: Vectors, y: Vectors, w: Tensor) -> tuple[Features, Features]:
        return FEATURES[self.kernel](x, w), FEATURES[self.kernel](y, w)

    def law(self, x: Vectors, y: Vectors, m: int) -> Float[Tensor, " position"]:
        """The mean squared error of an estimate with m independent projections, for each pair of x
        and y.
        """
        plus, minus, dot = (x + y).square().sum(-1), (x - y).square().sum(-1), (x * y).sum(-1)
        if self.kernel == "positive":
            return (plus + 2 * dot).exp() * (1 - (-plus).exp()) / m
        return (plus - 2 * dot).exp() * (1 - (-minus).exp()).square() / (2 * m)


@torch.no_grad()
def performer(
    *,
    features: int = 256,
    length: int = 64,
    norm: float = 1.0,
    orthogonal: bool = False,
    kernel: str = "positive",
    measure: bool = False,
    seed: int = 0,
    seeds: int = 16,
) -> Answer:
    """`exact` and `approximate` [query, key] of the first seed; `error` [norm, features], means
    over the seeds; and `operations` [method, length].

    `features` is m, the number of projections, and `norm` the norm of queries and keys. With
    `measure`, the answer also has `time` [method, length] in seconds, which varies between
    measurements.
    """
    check_between("features", features, 1, MAX_FEATURES)
    check_between("length", length, MIN_LENGTH, MAX_LENGTH)
    check_between("norm", norm, MIN_NORM, MAX_NORM)
    check_one_of("kernel", kernel, tuple(FEATURES))
    estimator = Estimator(kernel, orthogonal)
    norms = sorted({*NORMS, norm})
    squares, maps, ratios = [], [], []
    for number in progress.trials(seeds, 0, 0.8 if measure else 1):
        squares.append([errors(estimator, norm, length, generator(seed, number)) for norm in norms])
        maps.append(two_maps(estimator, norm, length, features, generator(seed, number)))
        progress.checkpoint()
        ratios.append(ratio(estimator, norm, features, generator(seed, number)))
    squares = torch.tensor(squares)  # [seed, norm, features]
    at_norm = dict(zip(norms, squares.unbind(1), strict=True))
    tensors = tensors_of(maps[0], squares, operations(features, kernel))
    if measure:
        with progress.part(0.8, 1):
            time = clock(estimator, features)
        tensors["time"] = Labelled(
            ("method", "length"), time, "seconds, the shortest of three runs"
        )
    fields = {
        "law": ERRORS[kernel],
        "source": SOURCE,
        "init": INIT,
        "findings": [
            *map_findings(maps),
            *more_features(estimator),
            slope_finding(at_norm[norm], norm),
            over_law(estimator, ratios, norm),
            largest_norm_finding(at_norm[2.0]),
            causal_attention_finding(estimator, norm, length, features, seed),
            operation_finding(features, kernel),
        ],
    }
    return Answer(
        "random initialization",
        axes_of(length, norms, seeds),
        tensors,
        fields | {"notes": [NOTE]} if measure else fields,
    )


def axes_of(length: int, norms: list[float], seeds: int) -> dict[str, Axis]:
    """The positions of one map, and the axes of comparison: norms, numbers of features, methods,
    and sequence lengths.
    """
    return {
        "query": Axis("position", length),
        "key": Axis("position", length),
        "norm": numbered("step", norms, "length of queries and keys"),
        "features": numbered("step", COUNTS, "random features"),
        "method": Axis("step", 2, ["attention", "performer"]),
        "length": numbered("step", LENGTHS, "sequence length", "positions"),
        "seed": seed_axis(seeds),
    }


def operations(m: int, kernel: str) -> Int[Tensor, "method length"]:
    """The multiplications in both methods at each of `LENGTHS`."""
    return torch.tensor(
        [
            [attention_multiplications(n) for n in LENGTHS],
            [performer_multiplications(n, m, kernel) for n in LENGTHS],
        ]
    )


def tensors_of(
    maps: tuple[Map, Map],
    squares: Float[Tensor, "seed norm features"],
    counts: Int[Tensor, "method length"],
) -> dict[str, Labelled]:
    """The exact and the estimated map, the errors, given as squares, and the operation counts."""
    wanted, approximate = maps
    pooled = {
        "exact": Labelled(("query", "key"), wanted.float(), "softmax(q k^T / sqrt(d))"),
        "approximate": Labelled(
            ("query", "key"), approximate.float(), "phi(q) phi(k)^T, each row divided by its sum"
        ),
        "error": Labelled(
            ("norm", "features"),
            squares.mean(0).sqrt(),
            "|approximate - exact| / |exact|, Frobenius; root of the mean square",
        ),
        "operations": Labelled(("method", "length"), counts, "multiplications in one head"),
    }
    return pooled | by_seed(pooled, {"error": squares.sqrt()})


def vectors(
    count: int, length: int, norm: float, draws: torch.Generator
) -> Float[Tensor, "count length d_head"]:
    """Random vectors of norm `norm` with directions uniform on the sphere."""
    return norm * torch.nn.functional.normalize(
        torch.randn(count, length, D_HEAD, generator=draws, dtype=torch.float64), dim=-1
    )


def two_maps(
    estimator: Estimator, norm: float, length: int, m: int, draws: torch.Generator
) -> tuple[Map, Map]:
    """The exact and the estimated attention map. The scores are x · y without division by
    sqrt(d_head), because `norm` sets the norm of the vectors directly.
    """
    x, y = vectors(2, length, norm, draws)
    return softmax(x @ y.mT), favor.estimated_map(
        *estimator.pair(x, y, estimator.projections(1, m, draws)[0])
    )


def errors(estimator: Estimator, norm: float, length: int, draws: torch.Generator) -> list[float]:
    """The squared relative error of the estimated map for each number of features, averaged over
    new samples of the projections.
    """
    x, y = vectors(2, length, norm, draws)
    w = estimator.projections(REDRAWS, max(COUNTS), draws)
    wanted = softmax(x @ y.mT)
    maps = [favor.estimated_map(*estimator.pair(x, y, w[:, :m])) for m in COUNTS]
    return [
        ((found - wanted).square().sum((-2, -1)).mean() / wanted.square().sum()).item()
        for found in maps
    ]


def ratio(estimator: Estimator, norm: float, m: int, draws: torch.Generator) -> float:
    """The mean squared error of estimates divided by its predicted value, averaged over `PAIRS`
    pairs of x and y and over as many samples of projections as `PROJECTIONS` allows.
    """
    x, y = vectors(2, PAIRS, norm, draws)
    q, k = estimator.pair(x, y, estimator.projections(PROJECTIONS // m, m, draws))
    wanted = (x * y).sum(-1).exp()
    return (((q * k).sum(-1) - wanted).square().mean(0) / estimator.law(x, y, m)).mean().item()


def relative_variance(estimator: Estimator, norm: float) -> float:
    """The variance of an estimate by one projection, divided by the square of the true value:
    averaged over all directions of x and y with norm `norm`, by the trapezoidal rule over the
    cosine c of their angle, whose density is proportional to (1 - c^2)^((d - 3) / 2).
    """
    c = torch.linspace(-1, 1, ANGLES, dtype=torch.float64)
    x = torch.zeros(ANGLES, 2, dtype=torch.float64)
    x[:, 0] = norm
    y = norm * torch.stack([c, (1 - c.square()).sqrt()], -1)
    density = (1 - c.square()) ** ((D_HEAD - 3) / 2)
    relative = estimator.law(x, y, 1) / (2 * (x * y).sum(-1)).exp()
    return (torch.trapezoid(relative * density, c) / torch.trapezoid(density, c)).item()


def more_features(estimator: Estimator) -> list[Finding]:
    """The factor by which the number of features must grow to keep the relative error when norms
    double: the error of m projections is the variance of one, divided by m.
    """
    variance = [relative_variance(estimator, norm) for norm in NORMS]
    return [
        analytic(
            LAWS[f"times_as_many.{NORMS[i + 1]:g}"],
            variance[i + 1] / variance[i],
        )
        for i in range(len(NORMS) - 1)
    ]


def over_law(estimator: Estimator, ratios: list[float], norm: float) -> Finding:
    """The finding from `ratios`: for each seed, the mean squared error divided by its predicted
    value.
    """
    if estimator.orthogonal:
        return statistical(ORTHOGONAL, ratios)
    return statistical(
        LAWS["mse_over_law"],
        ratios,
        premise=None
        if norm <= 1
        else f"At norm {norm:g}, the mean depends on rare, very large errors.",
    )


def map_findings(maps: list[tuple[Map, Map]]) -> list[Finding]:
    """The findings about the error of each map, with the uniform map, whose weights are 1 / n, as
    the baseline.
    """
    found = [distance(approximate, wanted) for wanted, approximate in maps]
    null = [distance(torch.full_like(wanted, 1 / wanted.shape[-1]), wanted) for wanted, _ in maps]
    return [
        statistical(LAWS["relative_error"], found, geometric=True),
        statistical(
            LAWS["error_over_uniform"],
            [error / alike for error, alike in zip(found, null, strict=True)],
            geometric=True,
        ),
        statistical(LAWS["uniform_error"], null),
    ]


def slope_finding(squares: Float[Tensor, "seed features"], norm: float) -> Finding:
    """The finding about how the error at `norm` falls with the number of features."""
    return pooled(
        LAWS["slope"],
        slope_of_square,
        squares,
        premise=None
        if norm == 1
        else f"The slope is predicted for norm 1; here the norm is {norm:g}.",
    )


def largest_norm_finding(squares: Float[Tensor, "seed features"]) -> Finding:
    """The finding about the error at norm 2, where most numbers of features are too small."""
    return statistical(LAWS["error_at_norm_2"], squares[:, -1].sqrt().tolist())


def causal_attention_finding(
    estimator: Estimator, norm: float, length: int, m: int, seed: int
) -> Finding:
    return exact(LAWS["causal_difference"], causal_difference(estimator, norm, length, m, seed))


def operation_finding(m: int, kernel: str) -> Finding:
    return analytic(LAWS["cheaper_from"], cheaper_from(m, kernel))


def distance(a: Map, b: Map) -> float:
    return ((a - b).norm() / b.norm()).item()


def slope_of_square(squares: Float[Tensor, "seed features"]) -> float:
    return slope(COUNTS, squares.mean(0).tolist())


def causal_difference(estimator: Estimator, norm: float, length: int, m: int, seed: int) -> float:
    """The largest difference between causal attention computed with prefix sums and with the masked
    map, relative to the largest output.
    """
    draws = generator(seed, 0)
    x, y = vectors(2, length, norm, draws)
    q, k = estimator.pair(x, y, estimator.projections(1, m, draws)[0])
    v = vectors(1, length, 1.0, draws)[0]
    masked = favor.quadratic_attention(q, k, v, causal=True)
    return (
        (favor.causal_linear_attention(q, k, v) - masked).abs().max() / masked.abs().max()
    ).item()


def attention_multiplications(n: int) -> int:
    """The number of multiplications in exact attention: those of q k^T and A v."""
    return 2 * n * n * D_HEAD


def performer_multiplications(n: int, m: int, kernel: str) -> int:
    """The number of multiplications in the Performer: those of w x for queries and keys, of k^T v,
    of q (k^T v), and of q (k^T 1). The trigonometric kernel has two features per projection.
    """
    width = {"positive": 1, "trigonometric": 2}[kernel] * m
    return n * (2 * m * D_HEAD + 2 * width * D_HEAD + width)


def cheaper_from(m: int, kernel: str) -> float:
    """The sequence length at which exact attention and the Performer need equally many
    multiplications.
    """
    return performer_multiplications(1, m, kernel) / attention_multiplications(1)


def clock(estimator: Estimator, m: int) -> Float[Tensor, "method length"]:
    """The wall-clock time in seconds of one head in float32 without a mask, at each of
    `LENGTHS`.
    """
    w = estimator.projections(1, m, generator(0, 0))[0].float()
    return torch.tensor([timed(estimator, n, w) for n in progress.steps(LENGTHS)]).mT


def timed(estimator: Estimator, n: int, w: Tensor) -> list[float]:
    x, y, v = vectors(3, n, 1.0, generator(0, n)).float()
    return [
        seconds(lambda: softmax(x @ y.mT) @ v),
        seconds(lambda: favor.linear_attention(*estimator.pair(x, y, w), v)),
    ]
