"""Heads: the role of every head, measured on held-out inputs and compared with chance, and the cost
of turning the head off.
"""

import math
from typing import Any

import torch
from torch import Tensor

from model.answers.answer import Answer, Axis, Labelled
from model.errors import InvalidInput
from model.inputs.input import Input
from model.inputs.text import TextTokenizer
from model.interpretability.attribution.agreement import spearman
from model.interpretability.heads.groups import Group, known
from model.interpretability.heads.measures import MARGIN, HeadMeasures, scores_of_run
from model.interpretability.heads.roles import EVERY
from model.interpretability.heads.survey import Survey, recorded_survey, survey
from model.runs.run import Run, size_axes
from model.runs.run_model import Runs, run_model
from model.training.drawn_inputs import inputs_of, most_inputs
from model.zoo.cards import SURVEYED
from model.zoo.head_record import read_head_record
from model.zoo.models import Model

SCORE = "mean over inputs of the mean over queries of the weight on the keys of the role"
CHANCE = "the same for uniform weights over the keys that each query may see"
COST = "mean over inputs of loss without the head (z = 0) - loss, loss = mean of -ln p, in nats"
ENDS = "{} end of the interval that holds 95% by Student’s t over the inputs"
UNASKED = Input()


@torch.inference_mode()
def heads(
    model: Model,
    input: Input,
    runs: Runs = run_model,
    *,
    role: str | None = None,
    examples: int | None = None,
    seed: int = 0,
) -> Answer:
    """`score`, its interval from `low` to `high`, `chance`, and `lift` [layer, head] of the role
    `role`, by default the role with the highest lift for each head. `lift` is 0 at chance and 1 for
    a head that attends to nothing else. `cost` and its interval are the increase of the loss
    without the head, in nats. `scores`, `lows`, and `highs` [role, layer, head] and `chances`
    [role, layer] have every role. Undefined numbers are null. If there is an input, `here` [role,
    layer, head] has the scores on it.

    The numbers were measured on held-out inputs before the model was released. With `examples` they
    are measured now, on so many inputs: newly sampled with `seed` if the model's inputs can be
    sampled, otherwise the first examples of its card.

    A head has a role if the interval of its score is more than MARGIN of the way from chance to 1
    above chance. `heads` describes each head, and `groups` has the cost of turning off all heads of
    one role. Raises InvalidInput for a role that does not apply to the model, and for more examples
    than there are.
    """
    record = read_head_record(model.id) if examples is None else None
    found = recorded_survey(record) if record else surveyed(model, examples, seed, runs)
    measures = found.measures
    check_role(model, role, measures)
    fields = {
        "role": role,
        "roles": [{"role": name, **EVERY[name].words(*signs_of(model))} for name in measures.roles],
        "margin": MARGIN,
        "inputs": measures.inputs,
        "of": found.of,
        "right": found.right,
        "measured_now": record is None,
        "most_examples": most_inputs(model),
        "heads": head_rows(found, shown_inputs(model)),
        "agreement": agreement(measures),
        "groups": [group_fields(group) for group in found.groups],
    }
    tensors, axes = by_head(measures, role) | by_role(measures), axes_of(model, measures)
    if input == UNASKED:
        return Answer(model.kind, axes, tensors, fields, model.id)
    run = runs(model, input)
    return Answer(model.kind, axes, tensors | on_this_input(run), fields, model.id, run.input)


def signs_of(model: Model) -> tuple[str, str]:
    """The special tokens before and after a text; "" if the model has none."""
    if not isinstance(model.tokenizer, TextTokenizer):
        return "", ""
    frame, label = model.tokenizer.frame, model.tokenizer.label
    last = [*frame.after, *sorted(frame.ends)]
    return label(frame.before[0]) if frame.before else "", label(last[0]) if last else ""


def surveyed(model: Model, examples: int | None, seed: int, runs: Runs) -> Survey:
    """The heads measured now, on so many inputs or on the first SURVEYED of the card."""
    count = examples or min(SURVEYED, most_inputs(model) or SURVEYED)
    return survey(model, inputs_of(model, count, seed), runs)


def check_role(model: Model, role: str | None, measures: HeadMeasures) -> None:
    """Raises InvalidInput for a role that does not apply to the model."""
    if role is not None and role not in measures.roles:
        raise InvalidInput(
            "no-such-role", field="role", given=role[:40], model=model.id, roles=measures.roles
        )


def axes_of(model: Model, measures: HeadMeasures) -> dict[str, Axis]:
    return {
        "role": Axis("step", len(measures.roles), list(measures.roles)),
        "layer": Axis("step", len(measures.layers), list(measures.layers)),
        "head": size_axes(model.config)["head"],
    }


def agreement(measures: HeadMeasures) -> float | None:
    """The rank correlation, over heads, of the lift of the closest role with the cost."""
    lift = measures.lift(measures.score.mean).nan_to_num(nan=-math.inf)
    return spearman(lift.amax(0).flatten(), measures.cost.mean.flatten())


def on_this_input(run: Run) -> dict[str, Labelled]:
    """The scores of every head for every role on one input."""
    *_, here, _ = scores_of_run(run)
    axes, formula = ("role", "layer", "head"), f"{SCORE}, on this input"
    return {"here": Labelled(axes, masked(here), formula, masked=True)}


def masked(numbers: Tensor) -> Tensor:
    """The numbers, with a marker for missing values instead of NaN."""
    return numbers.nan_to_num(nan=-math.inf)


def by_head(measures: HeadMeasures, role: str | None) -> dict[str, Labelled]:
    """The measures of each head for one role, and its cost."""
    chosen = (
        measures.closest
        if role is None
        else torch.full_like(measures.closest, measures.roles.index(role))
    )
    even = measures.chance[..., None].expand_as(measures.score.mean)
    values = {
        "score": (measures.score.mean, SCORE),
        "low": (measures.score.low, ENDS.format("lower")),
        "high": (measures.score.high, ENDS.format("upper")),
        "chance": (even, CHANCE),
        "lift": (measures.lift(measures.score.mean), "(score - chance) / (1 - chance)"),
    }
    costs = {
        "cost": (measures.cost.mean, COST),
        "cost_low": (measures.cost.low, ENDS.format("lower")),
        "cost_high": (measures.cost.high, ENDS.format("upper")),
    }
    axes = ("layer", "head")
    return {
        **{
            name: Labelled(axes, masked(value.gather(0, chosen[None])[0]), formula, masked=True)
            for name, (value, formula) in values.items()
        },
        **{
            name: Labelled(axes, masked(value), formula, masked=True)
            for name, (value, formula) in costs.items()
        },
    }


def by_role(measures: HeadMeasures) -> dict[str, Labelled]:
    """The scores of every head for every role."""
    axes, score = ("role", "layer", "head"), measures.score
    return {
        "scores": Labelled(axes, masked(score.mean), SCORE, masked=True),
        "lows": Labelled(axes, masked(score.low), ENDS.format("lower"), masked=True),
        "highs": Labelled(axes, masked(score.high), ENDS.format("upper"), masked=True),
        "chances": Labelled(("role", "layer"), masked(measures.chance), CHANCE, masked=True),
    }


def shown_inputs(model: Model) -> dict[str, dict[str, str]]:
    """The input of each example of the card by id; the id itself where it can be used as the
    input.
    """
    return {
        example["id"]: {
            name: example["id"] if name in ("image", "row") else value
            for name, value in example["input"].items()
        }
        for example in model.card["examples"]
    }


def head_rows(found: Survey, inputs: dict[str, dict[str, str]]) -> list[dict[str, Any]]:
    """Each head: its role, or else the closest one, with its numbers, its cost, and the input of
    the example that shows it best.
    """
    measures = found.measures
    lift, has = measures.lift(measures.score.mean), measures.has
    rows = []
    for i, (layer, row) in enumerate(zip(measures.layers, measures.role, strict=True)):
        for h, role in enumerate(row):
            r = int(measures.closest[i, h])
            at = (r, i, h)
            numbers = [measures.score.mean[at], measures.score.low[at], measures.score.high[at]]
            cost = [
                part[i, h] for part in (measures.cost.mean, measures.cost.low, measures.cost.high)
            ]
            score, low, high, cost_mean, cost_low, cost_high = known(torch.stack(numbers + cost))
            rows.append(
                {
                    "layer": layer,
                    "head": h,
                    "role": role,
                    "closest": measures.roles[r],
                    "roles": [role for k, role in enumerate(measures.roles) if has[k, i, h]],
                    "score": score,
                    "low": low,
                    "high": high,
                    "chance": measures.chance[r, i].item(),
                    "lift": lift[at].item(),
                    "cost": cost_mean,
                    "cost_low": cost_low,
                    "cost_high": cost_high,
                    "needed": bool(measures.needed[i, h]),
                    "shown": inputs[found.shown[i][h]],
                }
            )
    return rows


def group_fields(group: Group) -> dict[str, Any]:
    """The heads of one role as JSON."""
    return {
        "role": group.role,
        "heads": [{"layer": layer, "head": head} for layer, head in group.heads],
        "cost": group.cost,
        "cost_low": group.low,
        "cost_high": group.high,
        "alone": group.alone,
    }
