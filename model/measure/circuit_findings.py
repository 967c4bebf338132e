"""The findings about the paths and heads of /circuits-theory, with predictions and ranges."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from model.answers.laws import Band, Law, by_name
from model.answers.measurements import Finding, exact, pooled, statistical
from model.measure.initialised_stacks import HEADS

ZERO: Band = (0, 1e-10)
MAJORITY: Band = (0.5, None)
"""More than half of a logit or score."""
MORE_THAN_RANDOM = 1.15
"""Times the composition of random pairs, which stay within 15% of their mean."""
OVER_BASELINE: dict[str, tuple[str, Band]] = {
    "constructed": ("√(d_model/d_head) = 2", (1.9, 2.1)),
    "random": ("1: as large as for a random pair", (0.85, MORE_THAN_RANDOM)),
    "trained": ("clearly above 1: larger than for random pairs", (MORE_THAN_RANDOM, None)),
}
"""The predicted K-composition of the pair, divided by that of random pairs."""
CHANCE = 1 / 15  # letters


LAWS = by_name(
    Law(
        "out_error",
        "Difference between the sum of the 25 paths and the output of the forward pass",
        "0: the 25 paths add up to the output of the forward pass",
        ZERO,
    ),
    Law(
        "score_error",
        "Difference between the sum of the 25 terms and the score of the second head",
        "0: the 25 terms add up to the score of head {two}",
        ZERO,
    ),
    Law(
        "baseline",
        "Relative norm of the virtual weights of random pairs",
        "1/√d_model = 0.125",
        (0.12, 0.13),
    ),
    Law(
        "composition.k",
        "Relative norm of the virtual weights from the first head to the second head, through keys",
        "1/√d_head = 0.25",
        (0.25 - 1e-10, 0.25 + 1e-10),
    ),
    Law(
        "composition.q_and_v",
        "Relative norm of the virtual weights from the first head to the second head, through"
        " queries or values",
        "0: head {two} uses the output of head {one} through its keys alone",
        ZERO,
    ),
    Law(
        "over_baseline",
        "Norm of the virtual weights from the first head to the second head through keys, divided"
        " by the mean for random pairs",
        *OVER_BASELINE["constructed"],
    ),
    Law(
        "share.logit",
        "Fraction of the correct letter’s logit from the path through the second head alone",
        "more than half comes through head {two} alone",
        MAJORITY,
    ),
    Law(
        "share.layer_2",
        "Fraction of the correct letter’s logit from paths through layer 1 only",
        "more than half comes from paths through layer 1 only",
        MAJORITY,
    ),
    Law(
        "share.score",
        "Fraction of the second head’s score due to keys from the first head’s output",
        "more than half is due to keys computed from the output of head {one}",
        MAJORITY,
    ),
    Law(
        "share.frozen",
        "Fraction of the correct letter’s logit from the paths through the first head",
        "about 0: with the attention maps held fixed, head {one} adds little",
        (-0.1, 0.1),
    ),
    Law(
        "accuracy",
        "Accuracy on the repeated letters",
        "1: every letter of the repetition is predicted correctly",
        (0.98, None),
    ),
    Law(
        "ablated.1.0",
        "Accuracy on the repeated letters after removing the first head",
        "low: without head {one}, the network predicts few letters correctly",
        (None, 2 * CHANCE),
    ),
    Law(
        "ablated.2.0",
        "Accuracy on the repeated letters after removing the second head",
        "low: without head {two}, the network predicts few letters correctly",
        (None, 2 * CHANCE),
    ),
    Law(
        "ablated.other",
        "Lowest accuracy on the repeated letters after removing one of the other heads",
        "no other head is needed",
        (0.98, None),
    ),
)


def laws_of(weights: str) -> dict[str, Law]:
    """The predictions for a network with such weights. What the constructed network has by design
    is exact; for the others, the same is expected as far as possible.
    """
    text, band = OVER_BASELINE[weights]
    over_baseline = replace(LAWS["over_baseline"], text=text, band=band)
    right: Band = (0.9, None) if weights == "trained" else (0.98, None)
    lost: Band = (None, 2 * CHANCE) if weights == "constructed" else (None, 0.5)
    bands = {"accuracy": right, "ablated.1.0": lost, "ablated.2.0": lost, "ablated.other": right}
    laws = [replace(LAWS[name], band=band) for name, band in bands.items()]
    return LAWS | by_name(over_baseline, *laws)


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


def findings(weights: str, trials: list[Trial], pair: Pair) -> list[Finding]:
    """The findings from `trials` about a `pair` of heads. What the constructed network has by
    design is exact; for the others, the same is expected as far as possible.
    """
    first, two = names(pair)
    laws = {name: law.with_numbers(one=first, two=two) for name, law in laws_of(weights).items()}
    return [
        *sum_findings(trials, laws),
        *composition_findings(weights, trials, pair, laws),
        *path_findings(trials, pair, laws),
        *ablation_findings(trials, pair, laws),
    ]


def names(pair: Pair) -> tuple[str, str]:
    """The heads by layer and index, both counted from 0."""
    first, second = pair
    return f"L0H{first}", f"L1H{second}"


def sum_findings(trials: list[Trial], laws: dict[str, Law]) -> list[Finding]:
    """The findings about the sum of the paths."""
    return [
        exact(laws["out_error"], max(each.out_error for each in trials)),
        exact(laws["score_error"], max(each.score_error for each in trials)),
    ]


def composition_findings(
    weights: str, trials: list[Trial], pair: Pair, laws: dict[str, Law]
) -> list[Finding]:
    """The findings about how much the second head of the pair reads from the first."""
    first, second = pair
    pairs = torch.stack([each.composition[:, second, first] for each in trials])
    q, k, v = pairs.unbind(1)
    baseline = torch.stack([each.random.mean() for each in trials])
    designed = [
        exact(laws["composition.k"], k.mean()),
        exact(laws["composition.q_and_v"], torch.maximum(q, v).max()),
    ]
    return [
        statistical(laws["baseline"], baseline.tolist()),
        *(designed if weights == "constructed" else []),
        statistical(laws["over_baseline"], (k / baseline).tolist(), geometric=True),
    ]


def path_findings(trials: list[Trial], pair: Pair, laws: dict[str, Law]) -> list[Finding]:
    """The findings about the fractions of logit and score that come from paths through the pair."""
    first, second = pair
    return [
        past_layer_0(laws["share.logit"], trials, [1 + second]),
        past_layer_0(laws["share.layer_2"], trials, list(range(1, 1 + HEADS))),
        pooled(
            laws["share.score"],
            lambda paths: fraction(paths[..., 0, 1 + first], paths),
            torch.stack([each.score_paths for each in trials]),
        ),
        pooled(
            laws["share.frozen"],
            lambda paths: fraction(paths[..., 1 + first].sum(-1), paths),
            torch.stack([each.logit_paths for each in trials]),
        ),
    ]


def ablation_findings(trials: list[Trial], pair: Pair, laws: dict[str, Law]) -> list[Finding]:
    """The findings about the accuracy of the network, whole and without each of its heads."""
    first, second = pair
    ablated = [each.ablated for each in trials]
    in_pair = torch.tensor([[head == member for head in range(HEADS)] for member in pair])
    no_skill = (
        "The network predicts too few letters to tell which heads it needs."
        if mean_of(trials) < 0.5
        else None
    )
    without = {
        "ablated.1.0": [each[0, first].item() for each in ablated],
        "ablated.2.0": [each[1, second].item() for each in ablated],
        "ablated.other": [each[~in_pair].min().item() for each in ablated],
    }
    return [
        statistical(laws["accuracy"], [each.accuracy for each in trials]),
        *(statistical(laws[name], right, premise=no_skill) for name, right in without.items()),
    ]


def mean_of(trials: list[Trial]) -> float:
    return sum(each.accuracy for each in trials) / len(trials)


def past_layer_0(law: Law, trials: list[Trial], ways: list[int]) -> Finding:
    """The fraction of the logit from paths past layer 0 and through some `ways` of layer 1."""
    return pooled(
        law,
        lambda paths: fraction(paths[..., ways, 0].sum(-1), paths),
        torch.stack([each.logit_paths for each in trials]),
    )


def fraction(part: Float[Tensor, "..."], paths: Float[Tensor, "... way_2 way_1"]) -> float:
    """The sum of `part` over all positions, as a fraction of the sum of all paths."""
    return (part.sum() / paths.sum()).item()
