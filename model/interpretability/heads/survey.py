"""A survey of a model's heads: their roles and costs over inputs, the heads of each role together,
and the example that shows each head best. It can be saved to and loaded from a record.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from model.inputs.input import Input
from model.interpretability.heads.groups import Group, groups
from model.interpretability.heads.measures import (
    Example,
    HeadMeasures,
    Interval,
    measure,
    scores_of_run,
)
from model.runs.run_model import Runs, run_model
from model.zoo.head_record import HeadRecord, Nested
from model.zoo.models import Model

DIGITS = 5  # per number in a record


@dataclass(frozen=True)
class Inputs:
    """The examples on which heads are measured, their name, and in words which ids are correct, for
    the loss, the mean of -ln p. On those that are `scored`, only roles are measured.
    """

    examples: Sequence[Example]
    of: str
    right: str
    scored: Sequence[Example] = ()


@dataclass(frozen=True)
class Survey:
    """The measurements, the inputs they were made on, and the id of the best example for each
    head.
    """

    measures: HeadMeasures
    groups: list[Group]
    of: str
    right: str
    shown: list[list[str]]


def survey(model: Model, inputs: Inputs, runs: Runs = run_model) -> Survey:
    """Measures the heads of `model` on `inputs`."""
    measures = measure(model, inputs.examples, runs, inputs.scored)
    return Survey(
        measures,
        groups(model, measures, inputs.examples, runs),
        inputs.of,
        inputs.right,
        best_examples(model, measures, runs),
    )


def best_examples(model: Model, measures: HeadMeasures, runs: Runs = run_model) -> list[list[str]]:
    """For each head, the example of the card with the highest lift for its role, or the closest
    role; the first if no example has queries for it.
    """
    lifts = []
    for example in model.card["examples"]:
        _, roles, scores, even = scores_of_run(runs(model, Input(**example["input"])))
        assert roles == measures.roles, "the roles of a model do not depend on the input"
        lifts.append((scores - even[..., None]).nan_to_num(nan=-math.inf))
    ids = [example["id"] for example in model.card["examples"]]
    best = torch.stack(lifts).argmax(0)
    chosen = best.gather(0, measures.closest[None])[0]
    return [[ids[i] for i in row] for row in chosen.tolist()]


def to_record(found: Survey, weights_sha256: str) -> HeadRecord:
    """The survey as the content of heads.json."""
    measures = found.measures
    return HeadRecord(
        weights_sha256=weights_sha256,
        inputs=measures.inputs,
        of=found.of,
        right=found.right,
        layers=list(measures.layers),
        roles=list(measures.roles),
        score=rounded(measures.score.mean),
        low=rounded(measures.score.low),
        high=rounded(measures.score.high),
        chance=rounded(measures.chance),
        cost=rounded(measures.cost.mean),
        cost_low=rounded(measures.cost.low),
        cost_high=rounded(measures.cost.high),
        groups=[asdict(group) for group in found.groups],
        shown=found.shown,
    )


def recorded_survey(record: HeadRecord) -> Survey:
    """The survey saved in a record."""
    measures = HeadMeasures(
        tuple(record.layers),
        tuple(record.roles),
        record.inputs,
        Interval(*(unrounded(part) for part in (record.score, record.low, record.high))),
        unrounded(record.chance),
        Interval(*(unrounded(part) for part in (record.cost, record.cost_low, record.cost_high))),
    )
    found = [
        Group(
            group["role"],
            [(name, head) for name, head in group["heads"]],
            group["cost"],
            group["low"],
            group["high"],
            group["alone"],
        )
        for group in record.groups
    ]
    return Survey(measures, found, record.of, record.right, record.shown)


def rounded(numbers: Tensor) -> Any:
    """The numbers as nested lists, with None instead of NaN."""
    if numbers.ndim:
        return [rounded(number) for number in numbers]
    value = numbers.item()
    return None if math.isnan(value) else round(value, DIGITS)


def unrounded(numbers: Nested) -> Tensor:
    """The tensor of nested lists, with NaN instead of None."""

    def filled(value: Nested | float | None) -> Nested | float:
        if isinstance(value, list):
            return [filled(item) for item in value]
        return math.nan if value is None else value

    return torch.tensor(filled(numbers), dtype=torch.float64)
