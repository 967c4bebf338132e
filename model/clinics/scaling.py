"""Scaling: the variance of q . k with and without division by sqrt(d_head), and its effect on the
softmax and its gradient (Vaswani et al. 2017, section 3.2.1).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.laws import Law, by_name
from model.answers.measurements import Finding, over_draws, pooled, statistical
from model.checks import check_between
from model.layers.attention_scores import SCORES, softmax
from model.measure.initialised_stacks import by_seed, generator, seed_axis, slope
from model.measure.softmax_jacobian import jacobian

FEW = 4  # components; with fewer, a product is far from normal

LAWS = by_name(
    Law(
        "variance_over_d_head",
        "Variance of q·k divided by dₖ",
        "1 if q and k are independent",
        (0.95, 1.05),
    ),
    Law(
        "variance_over_law",
        "Variance of q·k divided by (1 + c²) dₖ",
        "1: with correlation c, Var(q . k) = (1 + c^2) d_head",
        (0.95, 1.05),
    ),
    Law(
        "mean_over_sqrt_d_head",
        "Mean of q·k divided by √dₖ",
        "0 if q and k are independent; c sqrt(d_head) with correlation c",
        (-0.1, 0.1),
    ),
    Law(
        "largest.unscaled",
        "Largest unscaled weight",
        "at least 0.8 on average: one key gets nearly all the weight",
        (0.8, 1),
    ),
    Law(
        "entropy.unscaled",
        "Unscaled entropy",
        "at most the scaled entropy",
        unit="× ln n",
    ),
    Law(
        "entropy.scaled",
        "Scaled entropy",
        "at least 1 - (1 - 1/n) / (2 ln n) - 0.01 for n keys, at every d_head",
        unit="× ln n",
    ),
    Law(
        "entropy_slope.unscaled",
        "Unscaled entropy: exponent of dₖ",
        "about -1/2: the entropy falls as 1 / sqrt(d_head)",
        (-0.65, -0.45),
    ),
    Law(
        "entropy_spread.scaled",
        f"Scaled entropy: range over dₖ ≥ {FEW}",
        "near 0: from d_head = {few} on, the entropy is about the same",
        (0, 0.05),
        "× ln n",
    ),
    Law(
        "jacobian_median.unscaled",
        "Median norm of the gradient, unscaled",
        "at most a fifth of the scaled median: the gradient vanishes",
    ),
    Law(
        "jacobian_median.scaled",
        "Median norm of the gradient, scaled",
        "sqrt(n - 1) / n (the value for n equal weights), within a factor of two",
    ),
    Law(
        "jacobian_mean.unscaled",
        "Mean norm of the gradient, unscaled",
        "more than five times the median whenever the median is nearly 0",
    ),
)
NARROW = replace(LAWS["jacobian_median.unscaled"], text="nearly 0 from d_head = {vanished} on")
"""The prediction for heads in which it has not vanished yet."""

WIDTHS = [1, 4, 16, 64, 256, 1024]
FALLING = [64, 256, 1024]
LABELS = ["unscaled", "scaled"]
FUNCTIONS = ("dot", "scaled_dot")  # q k^T, and q k^T / sqrt(d_head)
STATISTICS = ["10%", "median", "90%", "mean"]
QUERIES = 1024  # over all seeds
NOTHING = 1e-30  # smaller entropies are excluded from the slope
VANISHED = 256  # the d_head from which one key has nearly all the weight
BLOCK = 2**18  # numbers sampled at a time
MAX_D_HEAD, MAX_KEYS, MIN_PAIRS, MAX_PAIRS = 1024, 64, 1000, 20_000
LAW = r"\operatorname{Var}(q \cdot k) = d_k"
SOURCE = "Vaswani et al. 2017, section 3.2.1, footnote 4"
INIT = (
    "The components of q and k are drawn from N(0, 1), anew for each seed; key 1 is"
    " c q + √(1 − c²) ε, with ε drawn from N(0, 1), so its correlation with q is c"
)

Products = Float[Tensor, "score query key"]


@dataclass(frozen=True)
class Trial:
    """The measurement of one seed: `products` of random pairs with `d_head` components, and for
    each width the variance of the scores of a query and its own key, the largest weight, the
    entropy as a fraction of ln(keys), and the Frobenius norm of the softmax's Jacobian. Stacked,
    the measurements of all seeds.
    """

    products: Float[Tensor, "*seed pair"]
    pattern: Float[Tensor, "*seed score key"]
    variance: Float[Tensor, "*seed width score"]
    largest: Float[Tensor, "*seed width score query"]
    entropy: Float[Tensor, "*seed width score query"]
    jacobian: Float[Tensor, "*seed width score query"]


def scaling(
    *,
    d_head: int = 1024,
    keys: int = 16,
    pairs: int = MAX_PAIRS,
    correlation: float = 0.0,
    seed: int = 0,
    seeds: int = 4,
) -> Answer:
    """`products` [seed, pair], `pattern` [score, key] of one query, `variance` and `entropy`
    [score, d_head], and `jacobian` [score, statistic, d_head].

    `pairs` is the total number of pairs (q, k) over all seeds; the queries for entropy and Jacobian
    are divided among the seeds too. `correlation` is the correlation of a query with its own key:
    with 1 they are equal.
    """
    check_between("d_head", d_head, 1, MAX_D_HEAD)
    check_between("keys", keys, 2, MAX_KEYS)
    check_between("pairs", pairs, MIN_PAIRS, MAX_PAIRS)
    check_between("correlation", correlation, 0, 1)
    widths = sorted({*WIDTHS, d_head})
    trials = [
        trial(
            d_head,
            widths,
            keys,
            (pairs // seeds, QUERIES // seeds),
            correlation,
            generator(seed, number),
        )
        for number in progress.trials(seeds)
    ]
    every = stacked(trials)
    axes = {
        "seed": seed_axis(seeds),
        "pair": Axis("step", every.products.shape[1]),
        "score": Axis("step", len(LABELS), LABELS),
        "key": Axis("step", keys),
        "d_head": numbered("step", widths, "d_head", "components"),
        "statistic": Axis("step", len(STATISTICS), STATISTICS),
    }
    measured = findings(every, d_head, widths, keys, correlation)
    return Answer(
        "random initialization",
        axes,
        tensors_of(every),
        {"law": LAW, "source": SOURCE, "init": INIT, "findings": measured},
    )


def stacked(trials: list[Trial]) -> Trial:
    """The measurements of all seeds as one, with the seed as the first axis."""
    return Trial(
        *(torch.stack([getattr(trial, field.name) for trial in trials]) for field in fields(Trial))
    )


def tensors_of(every: Trial) -> dict[str, Labelled]:
    """The tensors of all seeds, their means, and the numbers of each seed."""
    gradient = every.jacobian
    tensors = {
        "products": Labelled(("seed", "pair"), every.products, "q k^T"),
        "pattern": Labelled(
            ("score", "key"), every.pattern[0], "softmax(q k^T), softmax(q k^T / sqrt(d_head))"
        ),
        "variance": Labelled(
            ("score", "d_head"),
            every.variance.mean(0).mT,
            "variance of q k^T, of q k^T / sqrt(d_head)",
        ),
        "entropy": Labelled(
            ("score", "d_head"), every.entropy.mean((0, 3)).mT, "mean of - sum p ln p / ln keys"
        ),
        "jacobian": Labelled(
            ("score", "statistic", "d_head"), quantiles(gradient), "|diag(p) - p p^T|, Frobenius"
        ),
    }
    each = {
        "variance": every.variance.mT,
        "entropy": every.entropy.mean(3).mT,
        "jacobian": torch.stack([quantiles(row[None]) for row in gradient]),
    }
    return tensors | by_seed(tensors, each)


@torch.no_grad()
def trial(
    d_head: int,
    widths: list[int],
    keys: int,
    sizes: tuple[int, int],
    correlation: float,
    draws: torch.Generator,
) -> Trial:
    """Measures one seed; `sizes` are its numbers of pairs and queries."""
    pairs, queries = sizes
    shapes = [(pairs, 1, d_head), *((queries, keys, width) for width in widths)]
    numbers = [math.prod(shape) for shape in shapes]
    drawing = sum(numbers) / (sum(numbers) + 4 * len(widths) * queries * keys**2)  # of the time
    (dot, _), *by_width = [
        scores(*shape, correlation, draws)
        for shape in progress.steps(shapes, 0, drawing, costs=numbers)
    ]
    by_width = [some.double() for some in by_width]
    variances = torch.stack([some[..., 0].var(-1) for some in by_width])
    patterns = [softmax(some) for some in by_width]
    entropies = torch.stack([torch.special.entr(p).sum(-1) / math.log(keys) for p in patterns])
    largest = torch.stack([p.amax(-1) for p in patterns])
    norms = torch.stack([jacobian(p).norm(dim=(-2, -1)) for p in progress.steps(patterns, drawing)])
    pattern = patterns[widths.index(d_head)][:, 0]
    return Trial(dot.squeeze(-1), pattern, variances, largest, entropies, norms)


def scores(
    queries: int, keys: int, d_head: int, correlation: float, draws: torch.Generator
) -> Products:
    """The scores of FUNCTIONS for each query and `keys` keys of its own. The vectors are sampled in
    blocks, because allocating memory takes longer than sampling.
    """
    block = min(queries, max(1, BLOCK // (keys * d_head)))
    q, k = torch.empty(block, 1, d_head), torch.empty(block, keys, d_head)
    done = []
    for _ in progress.steps(range(0, queries, block)):
        q.normal_(generator=draws)
        k.normal_(generator=draws)
        k[:, :1] = correlation * q + math.sqrt(1 - correlation**2) * k[:, :1]
        done.append(torch.stack([SCORES[name](q, k) for name in FUNCTIONS]).squeeze(-2))
    return torch.cat(done, dim=1)[:, :queries]


def quantiles(
    gradient: Float[Tensor, "seed width score query"],
) -> Float[Tensor, "score statistic width"]:
    every = gradient.permute(2, 1, 0, 3).flatten(2)  # [score, width, query]
    shares = torch.tensor([0.1, 0.5, 0.9], dtype=every.dtype)
    return torch.stack([*every.quantile(shares, dim=-1), every.mean(-1)], dim=1)


def related(correlation: float) -> str | None:
    """Why predictions for independent vectors do not apply, or None if they do."""
    if not correlation:
        return None
    return (
        f"The first key is correlated with its query ({correlation:g}); the prediction is for"
        " independent queries and keys."
    )


def findings(
    every: Trial, d_head: int, widths: list[int], keys: int, correlation: float
) -> list[Finding]:
    """The findings over all seeds; entropy and Jacobian are evaluated at the width `d_head`."""
    at, premise = widths.index(d_head), related(correlation)
    return [
        *product_findings(every.products, d_head, correlation),
        statistical(
            LAWS["largest.unscaled"], every.largest[:, at, 0].mean(-1).tolist(), premise=premise
        ),
        *entropy_findings(every.entropy[:, at].mean(-1), every.entropy, widths, keys, premise),
        *jacobian_findings(every.jacobian[:, at], d_head, keys, premise),
    ]


def product_findings(
    products: Float[Tensor, "seed pair"], d_head: int, correlation: float
) -> list[Finding]:
    """The findings from `products` [seed, pair], whose variance is (1 + correlation^2) d_head. They
    are predictions about pairs, and evaluated on all pairs.
    """
    scaled = products.double() / math.sqrt(d_head)
    squares = (scaled - scaled.mean()).square() * scaled.numel() / (scaled.numel() - 1)
    law, premise = 1 + correlation**2, related(correlation)
    return [
        over_draws(LAWS["variance_over_d_head"], squares, premise=premise),
        over_draws(LAWS["variance_over_law"], squares / law),
        over_draws(LAWS["mean_over_sqrt_d_head"], scaled, premise=premise),
    ]


def entropy_findings(
    at: Float[Tensor, "seed score"],
    entropy: Float[Tensor, "seed width score query"],
    widths: list[int],
    keys: int,
    premise: str | None,
) -> list[Finding]:
    """The findings about the entropy. For small scores, the second-order expansion is H = ln n -
    Var(s) / 2; for large scores, only the two largest count, and H is proportional to 1 / spread.
    """
    soft = 1 - (1 - 1 / keys) / (2 * math.log(keys))
    unscaled, scaled = at.T.tolist()
    falling = [widths.index(width) for width in FALLING]

    def fall(some: Tensor) -> float:
        return slope(FALLING, some[:, falling, 0].mean((0, 2)).clamp_min(NOTHING).tolist())

    def spread(some: Tensor) -> float:
        means = some[:, [width >= FEW for width in widths], 1].mean((0, 2))
        return (means.max() - means.min()).item()

    return [
        statistical(
            replace(LAWS["entropy.unscaled"], band=(0, sum(scaled) / len(scaled))),
            unscaled,
            premise=premise,
        ),
        statistical(
            replace(LAWS["entropy.scaled"], band=(soft - 0.01, 1)), scaled, premise=premise
        ),
        pooled(LAWS["entropy_slope.unscaled"], fall, entropy, premise=premise),
        pooled(
            LAWS["entropy_spread.scaled"].with_numbers(few=FEW), spread, entropy, premise=premise
        ),
    ]


def jacobian_findings(
    gradient: Float[Tensor, "seed score query"], d_head: int, keys: int, premise: str | None
) -> list[Finding]:
    """The findings about the Frobenius norm |J| of the softmax's Jacobian. It is at most 1/2, when
    two keys share all the weight; sqrt(n - 1) / n for a uniform softmax; and 0 when one key has all
    the weight.
    """
    uniform = math.sqrt(keys - 1) / keys
    unscaled, scaled = (median(score)(gradient) for score in range(len(LABELS)))
    law = LAWS["jacobian_median.unscaled"]
    least, most = 5 * unscaled, scaled / 5
    if d_head < VANISHED:
        law, least, most = NARROW.with_numbers(vanished=VANISHED), 0, 0.5
    return [
        pooled(
            replace(law, band=(0, most)),
            median(0),
            gradient,
            premise=premise,
            logarithms=True,
        ),
        pooled(
            replace(LAWS["jacobian_median.scaled"], band=(uniform / 2, uniform * 2)),
            median(1),
            gradient,
            premise=premise,
        ),
        pooled(
            replace(LAWS["jacobian_mean.unscaled"], band=(least, 0.5)),
            lambda some: some[:, 0].mean().item(),
            gradient,
            premise=premise,
        ),
    ]


def median(score: int) -> Callable[[Tensor], float]:
    return lambda some: some[:, score].median().item()
