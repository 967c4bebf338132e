"""Relative positions inside self-attention: queries and keys turned by their positions, or a number
added to their score.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.config import Config
from model.layers.positional_encodings import rotary
from model.layers.relative_offsets import alibi_slopes, offsets, shaw_index, t5_bucket
from model.trace import Trace

Heads = Float[Tensor, "*batch head position d_head"]
Scores = Float[Tensor, "*batch head query key"]

BUCKETS, FARTHEST = 32, 128  # of T5
CLIPPED = 16  # of Shaw et al.: farther offsets are told as this one


class Untold(nn.Module):
    """Attention is told nothing of positions: what it knows of them, it reads from the stream."""

    def turn(self, x: Heads, start: int = 0) -> Heads:
        return x

    def add(self, scores: Scores, q: Heads, trace: Trace) -> Scores:
        return scores


class Rotary(Untold):
    """q and k are turned by their position, so that their product knows the offset (RoPE, Su et al.
    2021, equation 34).
    """

    def turn(self, x: Heads, start: int = 0) -> Heads:
        return rotary(x, start)


class Alibi(Untold):
    """score - slope |j - i|, a slope for each head (Press et al. 2022, section 3)."""

    def __init__(self, config: Config):
        super().__init__()
        self.n_heads = config.n_heads

    def add(self, scores: Scores, q: Heads, trace: Trace) -> Scores:
        distance = offsets(*scores.shape[-2:]).abs()
        return scores + trace("relative", -alibi_slopes(self.n_heads)[:, None, None] * distance)


class Buckets(Untold):
    """score + a learned number for each head and bucket of offsets (Raffel et al. 2020, section
    2.1).
    """

    def __init__(self, config: Config, both_ways: bool):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(BUCKETS, config.n_heads))
        self.both_ways = both_ways

    def add(self, scores: Scores, q: Heads, trace: Trace) -> Scores:
        bucket = t5_bucket(offsets(*scores.shape[-2:]), BUCKETS, FARTHEST, both_ways=self.both_ways)
        return scores + trace("relative", self.weight[bucket].permute(2, 0, 1))


class Shaw(Untold):
    """score + q a[j - i]^T / sqrt(d_head), a vector for each offset, shared by the heads (Shaw et
    al. 2018, equation 4).

    Their second table, of values, is left out: their own table 3 finds that it adds nothing.
    """

    def __init__(self, config: Config):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2 * CLIPPED + 1, config.d_head))

    def add(self, scores: Scores, q: Heads, trace: Trace) -> Scores:
        a = self.weight[shaw_index(offsets(*scores.shape[-2:]), CLIPPED)]
        return scores + trace(
            "relative", torch.einsum("...qd,qkd->...qk", q, a) / math.sqrt(q.shape[-1])
        )


RELATIONS = {
    "none": lambda config, both_ways: Untold(),
    "rope": lambda config, both_ways: Rotary(),
    "alibi": lambda config, both_ways: Alibi(config),
    "t5": lambda config, both_ways: Buckets(config, both_ways),
    "shaw": lambda config, both_ways: Shaw(config),
}


def make_relation(config: Config, stack: str) -> Untold:
    """Of a self-attention in `stack`."""
    return RELATIONS[config.relative](config, both_ways=config.both_ways(stack))
