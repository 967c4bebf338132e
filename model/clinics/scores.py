"""Scores: six score functions on the same queries and keys; hard versus soft and local versus
global attention.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from model import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.laws import Law, by_name
from model.answers.measurements import Finding, exact, pooled, statistical
from model.checks import check_between
from model.layers import masks
from model.layers.attention_scores import (
    KEY,
    SCORES,
    Scores,
    cosine,
    dot,
    general,
    scaled_dot,
    softmax,
)
from model.layers.choice_names import SCORE_NAMES
from model.measure.initialised_stacks import by_seed, generator, seed_axis, slope
from model.measure.softmax_jacobian import jacobian

MIN_GRADIENT = 1e-300  # smaller gradients underflow to 0 in float64
ZERO = 1e-10
SMALLEST, LARGEST = (
    f"Gradient of the weights with respect to the keys, {extreme} over the seeds"
    for extreme in ("smallest", "largest")
)
MOVES = "more than 0 in every seed: the weights change with the keys"

LAWS = by_name(
    Law(
        "general_is_dot",
        "Difference between the general score (W = I) and the dot product",
        "0: q W k^T = q k^T if W = I",
        (0, ZERO),
    ),
    Law(
        "scaled_is_temperature",
        "Difference between the scaled dot product and the dot product at T √dₖ",
        "0: at temperature T, the scaled dot product is the dot product at temperature"
        " T sqrt(d_head)",
        (0, ZERO),
    ),
    Law(
        "cosine_largest",
        "Largest weight of the cosine score",
        "at most e^(2/T) / (e^(2/T) + n - 1) for n keys",
    ),
    Law(
        "cosine_bound",
        "Cosine score: difference between the bound and the largest weight reached",
        "0: reached if one key is q and all others are -q",
        (0, ZERO),
    ),
    *(
        Law(f"reach.{name}", f"{SMALLEST}: {called}", MOVES, (MIN_GRADIENT, None))
        if KEY in SCORES[name].operands
        else Law(
            f"reach.{name}",
            f"{LARGEST}: {called}",
            f"0: the {called} score does not depend on the keys",
            (0, 0),
        )
        for name, called in SCORE_NAMES.items()
    ),
    Law(
        "hard_reach",
        f"{LARGEST}: hard attention",
        "0, whether global or local: a small change leaves the best key the same",
        (0, 0),
    ),
    Law("soft_reach", f"{SMALLEST}: soft attention", MOVES, (MIN_GRADIENT, None)),
    Law(
        "local_outside",
        "Weight outside the window",
        "0: local attention ignores keys outside its window, soft or hard",
        (0, 0),
    ),
    Law(
        "cold_is_arg_max",
        "Softmax as T → 0: difference from the best key’s value",
        "0: attention returns the value of the best key",
        (0, ZERO),
    ),
    Law(
        "sampling_over_law",
        "Sampling error / theory",
        "1: for a soft weight p, the mean of N hard samples is off by about sqrt(p (1 - p) / N)",
        (0.8, 1.2),
    ),
    Law(
        "sampling_slope",
        "Sampling error: exponent in N, the number of samples",
        "about -1/2: the error falls like 1 / sqrt(N)",
        (-0.56, -0.44),
    ),
)
STILL = {
    name: replace(
        law,
        title=law.title.replace(SMALLEST, LARGEST),
        text="0 in every seed: a small change leaves the best key the same",
        band=(0, 0),
    )
    for name, law in LAWS.items()
    if law.text == MOVES
}
"""The predictions at a temperature of 0 for weights that otherwise move with the keys."""

FUNCTIONS = tuple(SCORES)
OF_CONTENT = [name for name, score in SCORES.items() if KEY in score.operands]
FORMULAS = {name: SCORES[name].formula for name in FUNCTIONS}
CHOICES, SPANS = ["soft", "hard"], ["global", "local"]
WINDOW = 3
DRAWS = [1, 10, 100, 1000, 10_000]
# the smallest gap between the two best scores, in temperatures, for testing the limit 0: e^-40
# vanishes in float64
COLD = 40
MAX_D_HEAD, MIN_KEYS, MAX_KEYS, MAX_TEMPERATURE = 256, 4, 16, 100
LAW = r"\alpha_{ij} = \operatorname{softmax}_j\!\left(\frac{a(q_i, k_j)}{T}\right)"
SOURCE = (
    "Graves et al. 2014; Bahdanau et al. 2015; Luong et al. 2015; Xu et al. 2015; Vaswani et al."
    " 2017"
)
INIT = (
    "There are as many queries as keys. The components of queries and keys are drawn from N(0, 1),"
    " those of W, U and v from N(0, 1/dₖ), anew for each seed"
)

Vectors = Float[Tensor, "position d_head"]
Weights = Float[Tensor, "query key"]
Score = Callable[[Vectors, Vectors], Weights]


@dataclass(frozen=True)
class Trial:
    """The measurement of one seed, in float64: `weights` and `reach` by score function, and
    `choices` by hard or soft and by global or local attention. `values` are the value vectors.
    """

    weights: dict[str, Weights]
    reach: dict[str, float]
    choices: Float[Tensor, "choice span query key"]
    choice_reach: Float[Tensor, "choice span"]
    sampling_error: list[float]
    sampling_law: list[float]
    sampling_over_law: float
    identities: dict[str, float]
    values: Vectors

    @property
    def looked_up(self) -> Vectors:
        """The output of each query under scaled dot-product attention."""
        return self.weights["scaled_dot"] @ self.values


def scores(
    *, d_head: int = 64, keys: int = 8, temperature: float = 1.0, seed: int = 0, seeds: int = 4
) -> Answer:
    """The weights of each score function [query, key] and each kind of attention [choice, span,
    query, key], `values` [key, component], and `looked_up` [query, component], the output of scaled
    dot-product attention, all for the first seed.

    `reach` [function] and `choice_reach` [choice, span] are Frobenius norms of d weights / d keys,
    averaged over queries and seeds. `sampling_error` [draws] is the distance between the mean of so
    many samples of hard attention and the weights of soft attention (Xu et al. 2015), and
    `sampling_law` [draws] the distance expected from their variance p (1 - p) / N.
    """
    check_between("d_head", d_head, 1, MAX_D_HEAD)
    check_between("keys", keys, MIN_KEYS, MAX_KEYS)
    check_between("temperature", temperature, 0, MAX_TEMPERATURE)
    trials = [
        trial(d_head, keys, temperature, generator(seed, number))
        for number in progress.trials(seeds)
    ]
    axes = {
        "query": Axis("position", keys),
        "key": Axis("position", keys),
        "function": Axis("step", len(FUNCTIONS), list(FUNCTIONS)),
        "choice": Axis("step", len(CHOICES), CHOICES),
        "span": Axis("step", len(SPANS), SPANS),
        "draws": numbered("step", DRAWS, "draws"),
        "component": numbered("step", range(1, d_head + 1), "component of a value"),
        "seed": seed_axis(seeds),
    }
    reached = torch.tensor([[trial.reach[name] for name in FUNCTIONS] for trial in trials])
    choosing = torch.stack([trial.choice_reach for trial in trials])
    spread = torch.tensor([trial.sampling_error for trial in trials])
    tensors = {
        **by_function(trials[0], reached.mean(0)),
        **by_choice(trials[0], choosing.mean(0)),
        **by_draws(spread.mean(0), torch.tensor([trial.sampling_law for trial in trials]).mean(0)),
    }
    each = {"reach": reached, "choice_reach": choosing, "sampling_error": spread}
    tensors |= by_seed(tensors, each)
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": INIT,
        "formulas": FORMULAS,
        "findings": findings(trials, keys, temperature),
    }
    return Answer("random initialization", axes, tensors, fields)


def by_function(trial: Trial, reached: Float[Tensor, " function"]) -> dict[str, Labelled]:
    """The weights of each score function and the outputs for one seed, and the reach."""
    return {
        **{
            name: Labelled(("query", "key"), trial.weights[name], f"softmax({FORMULAS[name]} / T)")
            for name in FUNCTIONS
        },
        "values": Labelled(("key", "component"), trial.values, "V"),
        "looked_up": Labelled(
            ("query", "component"), trial.looked_up, "softmax(q k^T / sqrt(d_head) / T) V"
        ),
        "reach": Labelled(
            ("function",), reached, "|d weights / d K|, Frobenius, mean over queries"
        ),
    }


def by_choice(trial: Trial, reached: Float[Tensor, "choice span"]) -> dict[str, Labelled]:
    """The weights of soft and hard, global and local attention for one seed, and their reach."""
    keys = trial.choices.shape[-1]
    return {
        "choices": Labelled(
            ("choice", "span", "query", "key"),
            trial.choices,
            "softmax or arg max of scaled dot / T + mask",
        ),
        "allowed": Labelled(
            ("span", "query", "key"),
            torch.stack([masks.full(keys), masks.window(keys, WINDOW)]),
            "1 where seen",
        ),
        "choice_reach": Labelled(("choice", "span"), reached, "|d weights / d K|"),
    }


def by_draws(error: Float[Tensor, " draws"], law: Float[Tensor, " draws"]) -> dict[str, Labelled]:
    """The distance between the mean of hard samples and soft attention, measured and expected."""
    return {
        "sampling_error": Labelled(
            ("draws",), error, "root mean square of mean of draws - softmax"
        ),
        "sampling_law": Labelled(("draws",), law, "sqrt(mean of p (1 - p) / N)"),
    }


@torch.no_grad()
def trial(d_head: int, keys: int, temperature: float, draws: torch.Generator) -> Trial:
    """Measures one seed: the weights of every score function on the same queries and keys."""
    q, k, v = torch.randn(3, keys, d_head, dtype=torch.float64, generator=draws)
    functions = with_parameters(d_head, keys, draws)
    outside = ~masks.window(keys, WINDOW)
    spans = [scaled_dot, lambda q, k: scaled_dot(q, k).masked_fill(outside, -torch.inf)]
    choices = torch.stack(
        [torch.stack([weights(span(q, k), t) for span in spans]) for t in (temperature, 0.0)]
    )
    moved = [[reach(span, q, k, t) for span in spans] for t in (temperature, 0.0)]
    soft = softmax(scaled_dot(q, k))
    errors = [distance(sampled(soft, n, draws), soft) for n in DRAWS]
    law = [math.sqrt((soft * (1 - soft)).mean().item() / n) for n in DRAWS]
    return Trial(
        weights={name: weights(score(q, k), temperature) for name, score in functions.items()},
        reach={name: reach(score, q, k, temperature) for name, score in functions.items()},
        choices=choices,
        choice_reach=torch.tensor(moved, dtype=torch.float64),
        sampling_error=errors,
        sampling_law=law,
        sampling_over_law=over_law(errors, law),
        identities=identities(q, k, v, temperature),
        values=v,
    )


def with_parameters(d_head: int, keys: int, draws: torch.Generator) -> dict[str, Score]:
    """Every score function that depends only on q and k, with parameters sampled from N(0,
    1/d_head).
    """

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, dtype=torch.float64, generator=draws) / math.sqrt(d_head)

    def parameters(name: str) -> dict[str, Tensor]:
        shapes = SCORES[name].parameters(d_head, keys)
        return {name: normal(*shape) for name, shape in shapes.items()}

    return {name: partial(SCORES[name], **parameters(name)) for name in FUNCTIONS}


def weights(scores: Weights, temperature: float) -> Weights:
    """softmax(scores / temperature), and its limit at temperature 0. The largest score is
    subtracted first, so that small temperatures do not overflow.
    """
    return (
        softmax((scores - scores.amax(-1, keepdim=True)) / temperature)
        if temperature
        else hard(scores)
    )


def hard(scores: Scores) -> Scores:
    """1 for the key with the largest score (the first if tied) and 0 for the others: softmax at
    temperature 0 (Xu et al. 2015).
    """
    return functional.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)


def reach(score: Score, q: Vectors, k: Vectors, temperature: float) -> float:
    """The Frobenius norm |d weights / d K|, averaged over the queries. It equals that of J ds/dk,
    because a key's score does not depend on the other keys.
    """
    steps = torch.autograd.functional.jacobian(
        lambda k: score(q, k).nan_to_num(neginf=0.0).sum(-1), k
    )  # [query, key, d_head]
    by_score = jacobian(weights(score(q, k), temperature)) / (temperature or 1)
    return (
        (by_score.square() @ steps.square().sum(-1).unsqueeze(-1))
        .sum((-2, -1))
        .sqrt()
        .mean()
        .item()
    )


def sampled(p: Weights, n: int, draws: torch.Generator) -> Weights:
    """The mean of n samples of hard attention, each selecting a key with probability p (Xu et al.
    2015, section 4.1).
    """
    chosen = torch.multinomial(p, n, replacement=True, generator=draws)
    return torch.zeros_like(p).scatter_add(
        -1, chosen, torch.full(chosen.shape, 1 / n, dtype=p.dtype)
    )


def over_law(errors: list[float], law: list[float]) -> float:
    """The root mean square of the errors, each divided by the expected standard deviation of such a
    mean.
    """
    ratios = [error / expected for error, expected in zip(errors, law, strict=True)]
    return math.sqrt(sum(ratio**2 for ratio in ratios) / len(ratios))


def distance(a: Tensor, b: Tensor) -> float:
    return (a - b).square().mean().sqrt().item()


def identities(q: Vectors, k: Vectors, v: Vectors, temperature: float) -> dict[str, float]:
    """Numbers determined by identities: `cosine_largest` is at most `bound`, `cosine_bound` equals
    `bound`, and all others are 0.
    """
    d_head = q.shape[-1]
    root, t = math.sqrt(d_head), temperature
    scaled = scaled_dot(q, k)
    best, second = scaled.topk(2).values.unbind(-1)
    cold = (best - second).min().item() / COLD
    first = q[:1]
    opposed = torch.cat([first, -first.expand(len(k) - 1, -1)])
    return {
        "general_is_dot": largest(general(q, k, torch.eye(d_head, dtype=q.dtype)) - dot(q, k)),
        "scaled_is_temperature": largest(weights(scaled, t) - weights(dot(q, k), t * root)),
        "cosine_largest": largest(weights(cosine(q, k), t)),
        "cosine_bound": largest(weights(cosine(first, opposed), t)),
        "cold_is_arg_max": largest(weights(scaled, cold) @ v - v[scaled.argmax(-1)]),
    }


def largest(values: Tensor) -> float:
    return values.abs().max().item()


def bound(keys: int, temperature: float) -> float:
    """The largest possible weight with cosine scores: e^(2/T) / (e^(2/T) + n - 1), reached by one
    cosine of 1 among n - 1 cosines of -1.
    """
    return 1 / (1 + (keys - 1) * math.exp(-2 / temperature)) if temperature else 1.0


def findings(trials: list[Trial], keys: int, temperature: float) -> list[Finding]:
    """The findings from `trials`."""
    worst = {name: max(trial.identities[name] for trial in trials) for name in trials[0].identities}
    outside = torch.stack([trial.choices[:, 1] for trial in trials]).masked_fill(
        masks.window(keys, WINDOW), 0
    )
    return [
        *function_findings(worst, bound(keys, temperature)),
        *reach_findings(trials, temperature),
        exact(LAWS["local_outside"], largest(outside)),
        exact(LAWS["cold_is_arg_max"], worst["cold_is_arg_max"]),
        statistical(LAWS["sampling_over_law"], [trial.sampling_over_law for trial in trials]),
        pooled(
            LAWS["sampling_slope"],
            lambda some: slope(DRAWS, some.mean(0).tolist()),
            torch.tensor([trial.sampling_error for trial in trials]),
        ),
    ]


def function_findings(worst: dict[str, float], most: float) -> list[Finding]:
    """The findings about relations between score functions, and about `most`, the largest possible
    weight with cosine scores.
    """
    return [
        exact(LAWS["general_is_dot"], worst["general_is_dot"]),
        exact(LAWS["scaled_is_temperature"], worst["scaled_is_temperature"]),
        exact(replace(LAWS["cosine_largest"], band=(0, most + ZERO)), worst["cosine_largest"]),
        exact(LAWS["cosine_bound"], abs(worst["cosine_bound"] - most)),
    ]


def reach_findings(trials: list[Trial], temperature: float) -> list[Finding]:
    """The findings about |d weights / d K|: which weights move with the keys, and which do not. If
    a softmax is so sharp that it is hard in float64, there is no gradient to evaluate.
    """
    reached = {name: [trial.reach[name] for trial in trials] for name in FUNCTIONS}
    soft, hardly = (
        [trial.choice_reach[choice].max().item() for trial in trials] for choice in range(2)
    )
    extreme, laws = (min, LAWS) if temperature else (max, STILL)

    def moving(name: str, values: list[float], maps: list[Tensor]) -> Finding:
        sharp = any(
            value < MIN_GRADIENT and is_hard(w) for value, w in zip(values, maps, strict=True)
        )
        premise = (
            f"At temperature {temperature:g}, some samples give one key all the weight up to"
            " rounding, so no gradient is left."
        )
        return exact(
            laws[name], extreme(values), premise=premise if sharp and temperature else None
        )

    return [
        *(
            exact(LAWS[f"reach.{name}"], max(reached[name]))
            for name in FUNCTIONS
            if name not in OF_CONTENT
        ),
        *(
            moving(f"reach.{name}", reached[name], [trial.weights[name] for trial in trials])
            for name in OF_CONTENT
        ),
        exact(LAWS["hard_reach"], max(hardly)),
        moving("soft_reach", soft, [trial.choices[0] for trial in trials]),
    ]


def is_hard(weights: Tensor) -> bool:
    """Whether every query gives all its weight to one key, in float64."""
    return bool((weights.amax(-1) == 1).all())
