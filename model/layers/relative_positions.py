"""Relative positions in self-attention: queries and keys are rotated by their positions, or a bias
that depends on their offset is added to the score. Nothing is added to the tokens.

An offset is key position minus query position: negative for earlier keys, positive for later ones.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from model.activations.derivation import Cell, Rule, Step, number, rule
from model.config import Config
from model.layers.attention_scores import scaled_dot_steps
from model.layers.rotary_positions import Start, rotary, shifted, speeds
from model.layers.shared import CPU, Device, shared
from model.trace import Trace

Heads = Float[Tensor, "*batch head position d_head"]
Scores = Float[Tensor, "*batch head query key"]
Offsets = Int[Tensor, "query key"]


@shared
def offsets(n_queries: int, n_keys: int, device: Device = CPU) -> Offsets:
    """Key position minus query position. The last query has the last key's position, so this also
    works with cached keys.
    """
    positions = torch.arange(n_keys, device=device)
    return positions - torch.arange(n_keys - n_queries, n_keys, device=device)[:, None]


def alibi_slopes(n_heads: int) -> Float[Tensor, " head"]:
    """2^(-8i/h) for i = 1 … h: head i subtracts its slope times the distance from each score (Press
    et al. 2022, section 3).

    If h is not a power of two, the slopes are those of the next lower power, plus every other slope
    of the next higher one, as in the authors' code.
    """
    below = 2 ** (n_heads.bit_length() - 1)
    slopes = [2.0 ** (-8 * i / below) for i in range(1, below + 1)]
    between = [2.0 ** (-4 * i / below) for i in range(1, 2 * below + 1, 2)]
    return torch.tensor(slopes + between[: n_heads - below])


def t5_bucket(
    offsets: Offsets, n_buckets: int = 32, most: int = 128, *, both_ways: bool
) -> Offsets:
    """The index of an offset's learned bias: near offsets have one each, farther ones share buckets
    that widen logarithmically.

    Distances of `most` or more share the last bucket. With `both_ways`, half of the buckets are for
    later keys; without it, later keys count as distance 0 (Raffel et al. 2020, section 2.1, and the
    authors' code).
    """
    ahead = 0
    if both_ways:
        n_buckets //= 2
        ahead = n_buckets * (offsets > 0)
    distance = offsets.abs() if both_ways else (-offsets).clamp(min=0)
    near = n_buckets // 2
    growth = (distance.clamp(min=near).double() / near).log() / math.log(most / near)
    far = (near + (growth * (n_buckets - near)).long()).clamp(max=n_buckets - 1)
    return ahead + torch.where(distance < near, distance, far)


def shaw_index(offsets: Offsets, most: int = 16) -> Offsets:
    """clip(offset, -most, most) + most: the row in a table of 2 most + 1 vectors (Shaw et al. 2018,
    section 3.2).
    """
    return offsets.clamp(-most, most) + most


BUCKETS, FARTHEST = 32, 128  # in T5
CLIPPED = 16  # in Shaw et al.: farther offsets are clipped to this one


@shared
def t5_buckets(n_queries: int, n_keys: int, both_ways: bool, device: Device = CPU) -> Offsets:
    """The bucket of each pair of query and key."""
    bucket = t5_bucket(offsets(n_queries, n_keys), BUCKETS, FARTHEST, both_ways=both_ways)
    return bucket.to(device)


@shared
def shaw_rows(n_queries: int, n_keys: int, device: Device = CPU) -> Offsets:
    """The row in the table of vectors for each pair of query and key."""
    return shaw_index(offsets(n_queries, n_keys, device), CLIPPED)


class NoRelativePositions(nn.Module):
    """No relative positions: returns queries, keys, and scores unchanged. Base of all schemes."""

    def __init__(self, config: Config | None = None, both_ways: bool = False):
        super().__init__()

    def rotate(self, x: Heads, start: int = 0) -> Heads:
        """Queries or keys, rotated by their positions from `start` on."""
        return x

    def shift(self, x: Heads, by: Start) -> Heads:
        """Rotated keys, as if their sequence began `by` positions later; `by` may differ by row."""
        return x

    def add_bias(self, scores: Scores, q: Heads, trace: Trace) -> Scores:
        return scores


class Rotary(NoRelativePositions):
    """Rotates q and k by their positions, so that their product depends only on the offset (RoPE,
    Su et al. 2021, equation 34). Channels from `d_rotary` on are not rotated (Black et al. 2022,
    section 2.1.1).
    """

    def __init__(self, config: Config, both_ways: bool = False):
        super().__init__()
        self.rotary = config.positions.rotary
        self.sizes = [config.d_rotary, config.d_head - config.d_rotary]

    def rotate(self, x: Heads, start: int = 0) -> Heads:
        first, rest = x.split(self.sizes, dim=-1)
        return with_rest(rotary(first, start, self.rotary), rest)

    def shift(self, x: Heads, by: Start) -> Heads:
        first, rest = x.split(self.sizes, dim=-1)
        return with_rest(shifted(first, by, self.rotary), rest)


def with_rest(
    first: Float[Tensor, "*batch head position turned"],
    rest: Float[Tensor, "*batch head position rest"],
) -> Heads:
    """Appends the channels that are not rotated to the channels `first`."""
    return torch.cat([first, rest], dim=-1) if rest.shape[-1] else first


class Alibi(NoRelativePositions):
    """score - slope |j - i|, with one slope per head (Press et al. 2022, section 3)."""

    def __init__(self, config: Config, both_ways: bool = False):
        super().__init__()
        self.n_heads = config.n_heads

    def add_bias(self, scores: Scores, q: Heads, trace: Trace) -> Scores:
        distance = offsets(*scores.shape[-2:], scores.device).abs()
        slopes = alibi_slopes(self.n_heads).to(scores.device)
        return scores + trace("relative", -slopes[:, None, None] * distance)


class T5Bias(NoRelativePositions):
    """score + a learned bias for each head and offset bucket (Raffel et al. 2020, section 2.1)."""

    def __init__(self, config: Config, both_ways: bool):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(BUCKETS, config.n_heads))
        self.both_ways = both_ways

    def add_bias(self, scores: Scores, q: Heads, trace: Trace) -> Scores:
        bucket = t5_buckets(*scores.shape[-2:], self.both_ways, scores.device)
        return scores + trace("relative", self.weight[bucket].permute(2, 0, 1))


class Shaw(NoRelativePositions):
    """score + q a[j - i]^T / sqrt(d_head), with a vector for each offset, shared by the heads (Shaw
    et al. 2018, equation 4).

    Their second table, for values, is omitted: their table 3 shows no benefit from it.
    """

    def __init__(self, config: Config, both_ways: bool = False):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2 * CLIPPED + 1, config.d_head))

    def add_bias(self, scores: Scores, q: Heads, trace: Trace) -> Scores:
        a = self.weight[shaw_rows(*scores.shape[-2:], scores.device)]
        return scores + trace(
            "relative", torch.einsum("...qd,qkd->...qk", q, a) / math.sqrt(q.shape[-1])
        )


@rule
def turned_steps(cell: Cell, x: Tensor, weight: Tensor, bias: Tensor | float = 0.0) -> list[Step]:
    """One channel of a rotated query or key: the head's pair of channels (2i, 2i + 1) is rotated by
    the angle p w_i (Su et al. 2021, equation 34).
    """
    vector, channel = x @ weight + bias, cell.at["head_channel"]
    if channel >= cell.config.d_rotary:
        return [
            Step("vector", "x W + b of this head", vector),
            Step("value", "this channel, which is not turned", vector[channel]),
        ]
    first, second = vector[channel - channel % 2], vector[channel - channel % 2 + 1]
    speed = speeds(cell.config.d_rotary, cell.config.positions.rotary)[channel // 2]
    angle = (cell.start + cell.at["position"]) * speed
    value = (
        first * angle.sin() + second * angle.cos()
        if channel % 2
        else first * angle.cos() - second * angle.sin()
    )
    formula = (
        "first sin(angle) + second cos(angle)"
        if channel % 2
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
    """Key position minus query position. Cached keys precede the sequence of the query."""
    return cell.at["key"] - cell.at["query"] - cell.start


@rule
def alibi_steps(cell: Cell) -> list[Step]:
    """-slope |j - i|, with the slope of the head."""
    slope = alibi_slopes(cell.config.n_heads)[cell.at["head"]].double()
    distance = number(float(abs(offset(cell))))
    return [
        Step("slope", "of this head", slope),
        Step("distance", "|j - i|", distance),
        Step("value", "-slope distance", -slope * distance),
    ]


def bias_of_bucket(cell: Cell, weight: Tensor, both_ways: bool) -> list[Step]:
    """b[bucket], where `weight` holds one bias per bucket of offsets for this head."""
    bucket = int(t5_bucket(torch.tensor([[offset(cell)]]), BUCKETS, FARTHEST, both_ways=both_ways))
    return [
        Step("bucket", "of j - i", number(float(bucket))),
        Step("value", "b[bucket]", weight[bucket]),
    ]


@rule
def t5_steps(cell: Cell, weight: Tensor) -> list[Step]:
    """The T5 bias if no query attends to later keys."""
    return bias_of_bucket(cell, weight, both_ways=False)


@rule
def t5_both_ways(cell: Cell, weight: Tensor) -> list[Step]:
    """The T5 bias if half of the buckets are for later keys."""
    return bias_of_bucket(cell, weight, both_ways=True)


@rule
def shaw_steps(cell: Cell, q: Tensor, weight: Tensor) -> list[Step]:
    """q a^T / sqrt(d_head), where a is the vector of the clipped offset."""
    row = int(shaw_index(torch.tensor([[offset(cell)]]), CLIPPED))
    return [Step("row", "clip(j - i)", number(float(row))), *scaled_dot_steps(cell, q, weight[row])]


def with_relative(score: Rule) -> Rule:
    """The rule of a score with an added bias; the bias is the first operand."""

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
    """The bias that a scheme adds to a score: formula, rule, and operands of one entry. In the
    operands' names, {} stands for the name of the attention layer. `both_ways` is the rule for a
    stack in which queries attend to later keys, if it differs.
    """

    formula: str
    rule: Rule
    operands: tuple[str, ...] = ()
    both_ways: Rule | None = None

    def rule_of(self, both_ways: bool) -> Rule:
        return self.both_ways if both_ways and self.both_ways else self.rule


@dataclass(frozen=True)
class Rotation:
    """A scheme's rotation of queries and keys; in `formula`, {} is the formula before rotation. The
    operands are those of the linear map for the whole head.
    """

    formula: str
    rule: Rule


@dataclass(frozen=True)
class RelativePositions:
    """A scheme: it rotates queries and keys, adds a bias to the scores, or does neither."""

    module: type[NoRelativePositions]
    rotation: Rotation | None = None
    bias: Bias | None = None


RELATIVE_POSITIONS = {
    "none": RelativePositions(NoRelativePositions),
    "rope": RelativePositions(Rotary, rotation=Rotation("({}) turned by p w_i", turned_steps)),
    "alibi": RelativePositions(Alibi, bias=Bias("-slope |j - i|", alibi_steps)),
    "t5": RelativePositions(
        T5Bias,
        bias=Bias(
            "b[bucket of j - i]",
            t5_steps,
            ("{}.relation.weight[* head]",),
            both_ways=t5_both_ways,
        ),
    ),
    "shaw": RelativePositions(
        Shaw,
        bias=Bias(
            "q a[j - i]^T / sqrt(d_head)",
            shaw_steps,
            ("{}.q[head query *]", "{}.relation.weight[* *]"),
        ),
    ),
}


def make_relation(config: Config, stack: str) -> NoRelativePositions:
    """The relative positions of the self-attention layers of `stack`."""
    scheme = RELATIVE_POSITIONS[config.positions.relative]
    return scheme.module(config, both_ways=config.both_ways(stack))
