"""What was found of the paths and heads of /circuits-theory: each finding with its law and its
band.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model.answers.intervals import Band
from model.answers.measurements import Finding, exact, pooled, statistical
from model.clinics._shared.attention_only import LONGEST
from model.clinics._shared.initialised_stacks import HEADS

CHANCE, ZERO = 1 / LONGEST, 1e-10
MOST: Band = (0.5, None)
"""More than half of a logit or of a score."""
MORE_THAN_RANDOM = 1.15
"""Times the composition of random pairs: their pairs lie within 15 % of their mean."""
OVER_BASELINE: dict[str, tuple[str, Band]] = {
    "constructed": ("√(d_model/d_head) = 2", (1.9, 2.1)),
    "random": ("1: as large as for a random pair", (0.85, MORE_THAN_RANDOM)),
    "trained": ("clearly above 1: larger than for random pairs", (MORE_THAN_RANDOM, None)),
}
"""What the composition of the pair through keys is, divided by that of random pairs."""

Pair = tuple[int, int]
Pairs = Float[Tensor, "composition second first"]


@dataclass(frozen=True)
class Trial:
    """The measurement of one seed: the composition of all pairs of heads and of random matrices,
    the paths of the first sequence, and the accuracy of the model.
    """

    composition: Pairs
    random: Pairs
    letters: str
    period: int
    logit_paths: Float[Tensor, "position way_2 way_1"]
    score_paths: Float[Tensor, "position way_q way_k"]
    out_error: float
    score_error: float
    accuracy: float
    ablated: Float[Tensor, "layer head"]


def found(weights: str, trials: list[Trial], pair: Pair) -> list[Finding]:
    """The findings of `trials` about a `pair` of heads. What the constructed network has by design
    is exact; of the others the same is asked as far as it can be asked.
    """
    return [
        *of_sums(trials, pair),
        *of_composition(weights, trials, pair),
        *of_paths(trials, pair),
        *of_ablations(weights, trials, pair),
    ]


def names(pair: Pair) -> tuple[str, str]:
    """The heads as layer.head, the layers counted from 1."""
    first, second = pair
    return f"1.{first}", f"2.{second}"


def of_sums(trials: list[Trial], pair: Pair) -> list[Finding]:
    """The findings of what the paths add up to."""
    _, two = names(pair)
    return [
        exact(
            "out_error",
            max(each.out_error for each in trials),
            "the 25 paths add up to the forward pass",
            (0, ZERO),
        ),
        exact(
            "score_error",
            max(each.score_error for each in trials),
            f"the 25 terms add up to the score of {two}",
            (0, ZERO),
        ),
    ]


def of_composition(weights: str, trials: list[Trial], pair: Pair) -> list[Finding]:
    """The findings of how much the second head of the pair reads of what the first one writes."""
    first, second = pair
    one, two = names(pair)
    pairs = torch.stack([each.composition[:, second, first] for each in trials])
    q, k, v = pairs.unbind(1)
    baseline = torch.stack([each.random.mean() for each in trials])
    designed = [
        exact("composition.k", k.mean(), "1/√d_head = 0.25", (0.25 - ZERO, 0.25 + ZERO)),
        exact(
            "composition.q_and_v",
            torch.maximum(q, v).max(),
            f"0: {two} reads {one} through its keys alone",
            (0, ZERO),
        ),
    ]
    return [
        statistical("baseline", baseline.tolist(), "1/√d_model = 0.125", (0.12, 0.13)),
        *(designed if weights == "constructed" else []),
        statistical("over_baseline", (k / baseline).tolist(), *OVER_BASELINE[weights]),
    ]


def of_paths(trials: list[Trial], pair: Pair) -> list[Finding]:
    """The findings of the shares that paths through the pair have of the logit and of the score."""
    first, second = pair
    one, two = names(pair)
    return [
        shares(
            "share.logit",
            f"more than half comes through {two} alone",
            MOST,
            trials,
            second,
            one_head=True,
        ),
        shares(
            "share.layer_2",
            "more than half comes through one head of layer 2 alone",
            MOST,
            trials,
            second,
        ),
        pooled(
            "share.score",
            lambda paths: share(paths[..., 0, 1 + first], paths),
            torch.stack([each.score_paths for each in trials]),
            f"more than half comes from keys through {one}",
            MOST,
        ),
        pooled(
            "share.frozen",
            lambda paths: share(paths[..., 1 + first].sum(-1), paths),
            torch.stack([each.logit_paths for each in trials]),
            f"0: with the patterns held fixed, {one} adds nothing",
            (-0.1, 0.1),
        ),
    ]


def of_ablations(weights: str, trials: list[Trial], pair: Pair) -> list[Finding]:
    """The findings of the accuracy of the network, whole and without each of its heads."""
    first, second = pair
    one, two = names(pair)
    ablated = [each.ablated for each in trials]
    kept = torch.tensor([[head == own for head in range(HEADS)] for own in pair])
    right = (0.9, None) if weights == "trained" else (0.98, None)
    lost = (None, 2 * CHANCE) if weights == "constructed" else (None, 0.5)
    no_skill = (
        "The network predicts too few letters to ask which of its heads it needs."
        if mean_of(trials) < 0.5
        else None
    )
    return [
        statistical(
            "accuracy",
            [each.accuracy for each in trials],
            "1: every letter of the repetition is predicted",
            right,
        ),
        statistical(
            "ablated.1.0",
            [each[0, first].item() for each in ablated],
            f"without {one} the network predicts little",
            lost,
            premise=no_skill,
        ),
        statistical(
            "ablated.2.0",
            [each[1, second].item() for each in ablated],
            f"without {two} the network predicts little",
            lost,
            premise=no_skill,
        ),
        statistical(
            "ablated.other",
            [each[~kept].min().item() for each in ablated],
            "no other head is needed",
            right,
            premise=no_skill,
        ),
    ]


def mean_of(trials: list[Trial]) -> float:
    return sum(each.accuracy for each in trials) / len(trials)


def shares(
    name: str, law: str, band: Band, trials: list[Trial], head: int, one_head: bool = False
) -> Finding:
    """The share of the logit that comes past layer 1 and through `head` of layer 2, or through any
    head of layer 2.
    """
    ways = [1 + head] if one_head else list(range(1, 1 + HEADS))
    return pooled(
        name,
        lambda paths: share(paths[..., ways, 0].sum(-1), paths),
        torch.stack([each.logit_paths for each in trials]),
        law,
        band,
    )


def share(part: Float[Tensor, "..."], paths: Float[Tensor, "... way_2 way_1"]) -> float:
    """The sum of `part` over all positions, as a share of the sum of all paths."""
    return (part.sum() / paths.sum()).item()
