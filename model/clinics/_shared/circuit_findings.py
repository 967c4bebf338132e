"""What was found of the paths and heads of /circuits-theory: each finding with its law and its
band.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model.answers.measurements import Finding, exact, pooled, statistical
from model.clinics._shared.initialised_stacks import HEADS
from model.laws import Law
from model.laws.circuits_theory import of_weights

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
    one, two = names(pair)
    laws = {name: law.of(one=one, two=two) for name, law in of_weights(weights).items()}
    return [
        *of_sums(trials, laws),
        *of_composition(weights, trials, pair, laws),
        *of_paths(trials, pair, laws),
        *of_ablations(trials, pair, laws),
    ]


def names(pair: Pair) -> tuple[str, str]:
    """The heads as layer.head, the layers counted from 1."""
    first, second = pair
    return f"1.{first}", f"2.{second}"


def of_sums(trials: list[Trial], laws: dict[str, Law]) -> list[Finding]:
    """The findings of what the paths add up to."""
    return [
        exact(laws["out_error"], max(each.out_error for each in trials)),
        exact(laws["score_error"], max(each.score_error for each in trials)),
    ]


def of_composition(
    weights: str, trials: list[Trial], pair: Pair, laws: dict[str, Law]
) -> list[Finding]:
    """The findings of how much the second head of the pair reads of what the first one writes."""
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
        statistical(laws["over_baseline"], (k / baseline).tolist()),
    ]


def of_paths(trials: list[Trial], pair: Pair, laws: dict[str, Law]) -> list[Finding]:
    """The findings of the shares that paths through the pair have of the logit and of the score."""
    first, second = pair
    return [
        past_layer_1(laws["share.logit"], trials, [1 + second]),
        past_layer_1(laws["share.layer_2"], trials, list(range(1, 1 + HEADS))),
        pooled(
            laws["share.score"],
            lambda paths: share(paths[..., 0, 1 + first], paths),
            torch.stack([each.score_paths for each in trials]),
        ),
        pooled(
            laws["share.frozen"],
            lambda paths: share(paths[..., 1 + first].sum(-1), paths),
            torch.stack([each.logit_paths for each in trials]),
        ),
    ]


def of_ablations(trials: list[Trial], pair: Pair, laws: dict[str, Law]) -> list[Finding]:
    """The findings of the accuracy of the network, whole and without each of its heads."""
    first, second = pair
    ablated = [each.ablated for each in trials]
    kept = torch.tensor([[head == own for head in range(HEADS)] for own in pair])
    no_skill = (
        "The network predicts too few letters to ask which of its heads it needs."
        if mean_of(trials) < 0.5
        else None
    )
    without = {
        "ablated.1.0": [each[0, first].item() for each in ablated],
        "ablated.2.0": [each[1, second].item() for each in ablated],
        "ablated.other": [each[~kept].min().item() for each in ablated],
    }
    return [
        statistical(laws["accuracy"], [each.accuracy for each in trials]),
        *(statistical(laws[name], right, premise=no_skill) for name, right in without.items()),
    ]


def mean_of(trials: list[Trial]) -> float:
    return sum(each.accuracy for each in trials) / len(trials)


def past_layer_1(law: Law, trials: list[Trial], ways: list[int]) -> Finding:
    """The share of the logit that comes past layer 1 and through some `ways` of layer 2."""
    return pooled(
        law,
        lambda paths: share(paths[..., ways, 0].sum(-1), paths),
        torch.stack([each.logit_paths for each in trials]),
    )


def share(part: Float[Tensor, "..."], paths: Float[Tensor, "... way_2 way_1"]) -> float:
    """The sum of `part` over all positions, as a share of the sum of all paths."""
    return (part.sum() / paths.sum()).item()
