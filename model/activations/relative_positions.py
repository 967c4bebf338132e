"""Relative positions: the rotation of queries and keys, or the bias of a score, that each scheme
computes from positions.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from model.activations.attention_scores import scaled_dot
from model.activations.derivation import Cell, Rule, Step, number, rule
from model.layers.positional_encodings import frequencies
from model.layers.relative_positions import (
    BUCKETS,
    CLIPPED,
    FARTHEST,
    alibi_slopes,
    shaw_index,
    t5_bucket,
)
from model.layers.rotary_positions import Slowing


@rule
def turned(cell: Cell, x: Tensor, weight: Tensor, bias: Tensor | float = 0.0) -> list[Step]:
    """One channel of a rotated query or key: the pair of channels (2i, 2i + 1) of the head's vector
    is rotated by the angle p w_i (Su et al. 2021, equation 34).
    """
    vector, own = x @ weight + bias, cell.at["head_channel"]
    if own >= cell.config.d_rotary:
        return [
            Step("vector", "x W + b of this head", vector),
            Step("value", "this channel, which is not turned", vector[own]),
        ]
    first, second = vector[own - own % 2], vector[own - own % 2 + 1]
    w = frequencies(cell.config.d_rotary, cell.config.rope_base)
    speed = Slowing.from_config(cell.config).slowed(w)[own // 2]
    angle = (cell.start + cell.at["position"]) * speed
    value = (
        first * angle.sin() + second * angle.cos()
        if own % 2
        else first * angle.cos() - second * angle.sin()
    )
    formula = (
        "first sin(angle) + second cos(angle)"
        if own % 2
        else "first cos(angle) - second sin(angle)"
    )
    return [
        Step("vector", "x W + b of this head", vector),
        Step("first", "the pair's first channel", first),
        Step("second", "its second", second),
        Step("angle", "p w_i", angle),
        Step("value", formula, value),
    ]


def offset(cell: Cell) -> int:
    """The position of the key minus the position of the query. Remembered keys come before the text
    of the query.
    """
    return cell.at["key"] - cell.at["query"] - cell.start


@rule
def alibi(cell: Cell) -> list[Step]:
    """-slope |j - i|, with the slope of the head."""
    slope = alibi_slopes(cell.config.n_heads)[cell.at["head"]].double()
    distance = number(float(abs(offset(cell))))
    return [
        Step("slope", "of this head", slope),
        Step("distance", "|j - i|", distance),
        Step("value", "-slope distance", -slope * distance),
    ]


def bias_of_bucket(cell: Cell, weight: Tensor, both_ways: bool) -> list[Step]:
    """b[bucket], where `weight` holds the head's number for every bucket of offsets."""
    bucket = int(t5_bucket(torch.tensor([[offset(cell)]]), BUCKETS, FARTHEST, both_ways=both_ways))
    return [
        Step("bucket", "of j - i", number(float(bucket))),
        Step("value", "b[bucket]", weight[bucket]),
    ]


@rule
def t5(cell: Cell, weight: Tensor) -> list[Step]:
    """The bias of T5 where no query sees a later key."""
    return bias_of_bucket(cell, weight, both_ways=False)


@rule
def t5_both_ways(cell: Cell, weight: Tensor) -> list[Step]:
    """The bias of T5 where half of the buckets are for later keys."""
    return bias_of_bucket(cell, weight, both_ways=True)


@rule
def shaw(cell: Cell, q: Tensor, weight: Tensor) -> list[Step]:
    """q a^T / sqrt(d_head), where a is the vector of the clipped offset."""
    row = int(shaw_index(torch.tensor([[offset(cell)]]), CLIPPED))
    return [Step("row", "clip(j - i)", number(float(row))), *scaled_dot(cell, q, weight[row])]


def with_relative(score: Rule) -> Rule:
    """The rule of a score to which a bias is added; the bias is the first operand."""

    def derive(cell: Cell, relative: Tensor, *operands: Tensor) -> list[Step]:
        *before, content = score(cell, *operands)
        return [
            *before,
            Step("content", content.formula, content.value),
            Step("value", "content + relative", content.value + relative),
        ]

    return Rule(f"{score.name}.relative", derive)


@dataclass(frozen=True)
class Bias:
    """The bias that a scheme adds to a score: formula, rule, and operands of one cell. The names of
    the operands begin with {}, which stands for the name of the attention. `both_ways` is the rule
    of a stack in which some query sees later keys, if that rule is a different one.
    """

    formula: str
    rule: Rule
    operands: tuple[str, ...] = ()
    both_ways: Rule | None = None

    def rule_of(self, both_ways: bool) -> Rule:
        return self.both_ways if both_ways and self.both_ways else self.rule


@dataclass(frozen=True)
class Rotation:
    """The rotation of queries and keys by a scheme; in `formula`, {} is the formula before
    rotation. The operands are those of the linear map for the whole head.
    """

    formula: str
    rule: Rule


@dataclass(frozen=True)
class RelativePositions:
    """The description of one scheme, which rotates queries and keys, or adds a bias to the scores,
    or does neither.
    """

    rotation: Rotation | None = None
    bias: Bias | None = None


RELATIVE_POSITIONS = {
    "none": RelativePositions(),
    "rope": RelativePositions(rotation=Rotation("({}) turned by p w_i", turned)),
    "alibi": RelativePositions(bias=Bias("-slope |j - i|", alibi)),
    "t5": RelativePositions(
        bias=Bias("b[bucket of j - i]", t5, ("{}.relation.weight[* head]",), both_ways=t5_both_ways)
    ),
    "shaw": RelativePositions(
        bias=Bias(
            "q a[j - i]^T / sqrt(d_head)", shaw, ("{}.q[head query *]", "{}.relation.weight[* *]")
        )
    ),
}
