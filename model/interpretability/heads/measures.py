"""The roles of all heads of a model, measured over inputs: for each role and head, the mean score
with its interval, the score of chance, and the cost of turning the head off.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.answers.intervals import quantile
from model.inputs.input import Input
from model.interpretability.heads.attentions import Attention, attentions
from model.interpretability.heads.costs import Ids, costs
from model.interpretability.heads.roles import NAMES, chance, score
from model.runs.run import Run
from model.runs.run_model import Runs, run_model
from model.zoo.models import Model

MARGIN = 0.25
"""How far above chance the interval of a score must be for a head to have the role: a quarter of
the way from chance to 1.
"""

ByRole = Float[Tensor, "role layer head"]


@dataclass(frozen=True)
class Example:
    """An input, and the correct ids if the input does not determine them."""

    input: Input
    right: Ids | None = None


@dataclass(frozen=True)
class OneInput:
    """The results for one input: the `scores` of every head by role, NaN if no query counts, those
    of `chance`, and the `cost` of every head in nats.
    """

    layers: tuple[str, ...]
    roles: tuple[str, ...]
    scores: ByRole
    chance: Float[Tensor, "role layer"]
    cost: Float[Tensor, "layer head"]


@dataclass(frozen=True)
class Interval:
    """Means over inputs, and the ends of their 95% intervals by Student's t. NaN if no input
    counts; the mean of a single input has no interval.
    """

    mean: Tensor
    low: Tensor
    high: Tensor


@dataclass(frozen=True)
class HeadMeasures:
    """The results for `inputs` inputs, with others that count only for roles. `layers` are the
    names of the attention layers and `roles` those of the possible roles of their heads.
    """

    layers: tuple[str, ...]
    roles: tuple[str, ...]
    inputs: int
    score: Interval
    chance: Float[Tensor, "role layer"]
    cost: Interval

    def lift(self, scores: ByRole) -> ByRole:
        """The position of `scores` between chance, 0, and a perfect score, 1."""
        chance = self.chance[..., None]
        return (scores - chance) / (1 - chance)

    @property
    def has(self) -> Tensor:
        """Whether each head has each role [role, layer, head]: whether the interval of its score is
        more than MARGIN of the way above chance. False without an interval.
        """
        return self.lift(self.score.low) > MARGIN

    @property
    def closest(self) -> Tensor:
        """For each head, the index of the role with the highest lift: of those that it has, or else
        of all.
        """
        lift, has = self.lift(self.score.mean).nan_to_num(nan=-torch.inf), self.has
        return lift.masked_fill(has.any(0) & ~has, -torch.inf).argmax(0)

    @property
    def role(self) -> list[list[str | None]]:
        """The role of each head [layer][head], the closest of those that it has, or None."""
        closest, any_role = self.closest.tolist(), self.has.any(0).tolist()
        return [
            [self.roles[i] if known else None for i, known in zip(*row, strict=True)]
            for row in zip(closest, any_role, strict=True)
        ]

    @property
    def needed(self) -> Tensor:
        """Whether the interval of each head's cost is above 0 [layer, head]."""
        return self.cost.low > 0


def measure(
    model: Model,
    examples: Sequence[Example],
    runs: Runs = run_model,
    scored: Sequence[Example] = (),
) -> HeadMeasures:
    """Measures every head of `model` on `examples`, one progress step each. On `scored`, only roles
    are scored, which takes one run each instead of one per head.
    """
    measured = [measure_example(model, example, runs) for example in progress.steps(examples)]
    return together(measured, [score_example(model, example, runs) for example in scored])


@torch.inference_mode()
def measure_example(model: Model, example: Example, runs: Runs = run_model) -> OneInput:
    """The results of one input for every head of `model`."""
    run = runs(model, example.input)
    layers, roles, scores, even = scores_of_run(run)
    heads = run.config.n_heads
    every_head = [[(name, head)] for name in layers for head in range(heads)]
    cost = costs(run, example.input, every_head, example.right)
    return OneInput(layers, roles, scores, even, cost.unflatten(0, (len(layers), heads)))


@torch.inference_mode()
def score_example(model: Model, example: Example, runs: Runs = run_model) -> OneInput:
    """The role scores of the heads on one input; costs are NaN."""
    layers, roles, scores, even = scores_of_run(runs(model, example.input))
    return OneInput(layers, roles, scores, even, torch.full_like(scores[0], torch.nan))


def scores_of_run(run: Run) -> tuple[tuple[str, ...], tuple[str, ...], ByRole, Tensor]:
    """The names of a run's attention layers, their roles, and the scores and chance of each."""
    found = attentions(run)
    roles = tuple(name for name in NAMES if any(name in entry.roles for entry in found))
    by_layer = [scores_of(entry, roles) for entry in found]
    scores, even = (torch.stack(part, dim=1) for part in zip(*by_layer, strict=True))
    return tuple(entry.name for entry in found), roles, scores, even


def scores_of(attention: Attention, roles: tuple[str, ...]) -> tuple[Tensor, Tensor]:
    """The scores [role, head] of one attention layer's heads, and of chance [role]. NaN for a role
    that they cannot have.
    """
    scores = torch.full((len(roles), len(attention.pattern)), torch.nan, dtype=torch.float64)
    even = torch.full((len(roles),), torch.nan, dtype=torch.float64)
    for i, role in enumerate(roles):
        if role in attention.roles:
            keys = attention.roles[role].keys(attention.context)
            scores[i] = score(attention.pattern.double(), keys, attention.context.allowed)
            even[i] = chance(keys, attention.context.allowed)
    return scores, even


def together(measured: list[OneInput], scored: Sequence[OneInput] = ()) -> HeadMeasures:
    """Means and intervals over inputs. Each input counts once for every role that it has queries
    for; those in `scored` count only for roles.
    """
    found = [*measured, *scored]
    scores, even, cost = (
        torch.stack([getattr(row, name) for row in found]) for name in ("scores", "chance", "cost")
    )
    first = found[0]
    return HeadMeasures(
        first.layers,
        first.roles,
        len(measured),
        interval(scores, 1.0),
        even.nanmean(0),
        interval(cost),
    )


def interval(values: Tensor, most: float = torch.inf) -> Interval:
    """The mean over the first axis of values that are not NaN, with its interval. If scores have a
    maximum, the interval is clipped to [0, `most`].
    """
    count = values.isfinite().sum(0)
    mean = values.nanmean(0)
    deviation = ((values - mean).square().nansum(0) / (count - 1).clamp(min=1)).sqrt()
    t = torch.tensor([quantile(n) if n > 1 else torch.nan for n in count.flatten().tolist()])
    half = t.view_as(count) * deviation / count.sqrt()
    low, high = mean - half, mean + half
    if most < torch.inf:
        low, high = low.clamp(0, most), high.clamp(0, most)
    return Interval(mean, low, high)
