"""Relative positions inside self-attention: queries and keys are rotated by their positions, or a
number that depends on their offset is added to their score. Nothing is added to the tokens.

An offset is the position of the key minus the position of the query: negative behind, positive
ahead.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from model.config import Config
from model.layers.rotary_positions import Slowing, Start, rotary, turned
from model.layers.shared import CPU, Device, shared
from model.trace import Trace

Heads = Float[Tensor, "*batch head position d_head"]
Scores = Float[Tensor, "*batch head query key"]
Offsets = Int[Tensor, "query key"]


@shared
def offsets(n_queries: int, n_keys: int, device: Device = CPU) -> Offsets:
    """Key position minus query position; the last query stands at the last key, so that a query
    beside kept keys finds its place.
    """
    positions = torch.arange(n_keys, device=device)
    return positions - torch.arange(n_keys - n_queries, n_keys, device=device)[:, None]


def alibi_slopes(n_heads: int) -> Float[Tensor, " head"]:
    """2^(-8i/h) for i = 1 … h: head i subtracts its slope times the distance from a score (Press et
    al. 2022, section 3).

    Where h is no power of two, the slopes of the power below it and every other slope of the power
    above it, as in the authors' code.
    """
    below = 2 ** (n_heads.bit_length() - 1)
    slopes = [2.0 ** (-8 * i / below) for i in range(1, below + 1)]
    between = [2.0 ** (-4 * i / below) for i in range(1, 2 * below + 1, 2)]
    return torch.tensor(slopes + between[: n_heads - below])


def t5_bucket(
    offsets: Offsets, n_buckets: int = 32, most: int = 128, *, both_ways: bool
) -> Offsets:
    """Which learned number an offset is given: near offsets each their own, farther ones shared in
    steps that grow as a logarithm.

    Distances from `most` on share the last bucket. With `both_ways` half of the buckets are for
    what lies ahead; without, what lies ahead counts as distance 0 (Raffel et al. 2020, section 2.1,
    and the authors' code).
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
    """clip(offset, -most, most) + most: the row of a table of 2 most + 1 vectors (Shaw et al. 2018,
    section 3.2).
    """
    return offsets.clamp(-most, most) + most


BUCKETS, FARTHEST = 32, 128  # of T5
CLIPPED = 16  # of Shaw et al.: farther offsets count as this one


@shared
def t5_buckets(n_queries: int, n_keys: int, both_ways: bool, device: Device = CPU) -> Offsets:
    """The bucket of every query and key."""
    bucket = t5_bucket(offsets(n_queries, n_keys), BUCKETS, FARTHEST, both_ways=both_ways)
    return bucket.to(device)


@shared
def shaw_rows(n_queries: int, n_keys: int, device: Device = CPU) -> Offsets:
    """The row of every query and key in the table of vectors."""
    return shaw_index(offsets(n_queries, n_keys, device), CLIPPED)


class NoRelativePositions(nn.Module):
    """No relative positions: queries, keys and scores pass unchanged. Base of all schemes."""

    def __init__(self, config: Config | None = None, both_ways: bool = False):
        super().__init__()

    @classmethod
    def rotates(cls) -> bool:
        """Whether the scheme rotates queries and keys."""
        return cls.rotate is not NoRelativePositions.rotate

    @classmethod
    def adds_bias(cls) -> bool:
        """Whether the scheme adds a number to every score, so that every key needs a position."""
        return cls.add_bias is not NoRelativePositions.add_bias

    def rotate(self, x: Heads, start: int = 0) -> Heads:
        """Queries or keys, rotated by their positions from `start` on."""
        return x

    def turn(self, x: Heads, by: Start) -> Heads:
        """Rotated keys as if their text, or that of each row, began `by` positions later."""
        return x

    def add_bias(self, scores: Scores, q: Heads, trace: Trace) -> Scores:
        return scores


class Rotary(NoRelativePositions):
    """q and k are rotated by their position, so that their product depends on the offset (RoPE, Su
    et al. 2021, equation 34). The channels from `d_rotary` on stay as they are (Black et al. 2022,
    section 2.1.1).
    """

    def __init__(self, config: Config, both_ways: bool = False):
        super().__init__()
        self.base, self.slowing = config.rope_base, Slowing.from_config(config)
        self.sizes = [config.d_rotary, config.d_head - config.d_rotary]

    def rotate(self, x: Heads, start: int = 0) -> Heads:
        first, rest = x.split(self.sizes, dim=-1)
        return with_rest(rotary(first, start, self.base, self.slowing), rest)

    def turn(self, x: Heads, by: Start) -> Heads:
        first, rest = x.split(self.sizes, dim=-1)
        return with_rest(turned(first, by, self.base, self.slowing), rest)


def with_rest(
    first: Float[Tensor, "*batch head position turned"],
    rest: Float[Tensor, "*batch head position rest"],
) -> Heads:
    """The channels `first`, and behind them those that are not turned, if there are any."""
    return torch.cat([first, rest], dim=-1) if rest.shape[-1] else first


class Alibi(NoRelativePositions):
    """score - slope |j - i|, a slope for each head (Press et al. 2022, section 3)."""

    def __init__(self, config: Config, both_ways: bool = False):
        super().__init__()
        self.n_heads = config.n_heads

    def add_bias(self, scores: Scores, q: Heads, trace: Trace) -> Scores:
        distance = offsets(*scores.shape[-2:], scores.device).abs()
        slopes = alibi_slopes(self.n_heads).to(scores.device)
        return scores + trace("relative", -slopes[:, None, None] * distance)


class T5Bias(NoRelativePositions):
    """score + a learned number for each head and bucket of offsets (Raffel et al. 2020, section
    2.1).
    """

    def __init__(self, config: Config, both_ways: bool):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(BUCKETS, config.n_heads))
        self.both_ways = both_ways

    def add_bias(self, scores: Scores, q: Heads, trace: Trace) -> Scores:
        bucket = t5_buckets(*scores.shape[-2:], self.both_ways, scores.device)
        return scores + trace("relative", self.weight[bucket].permute(2, 0, 1))


class Shaw(NoRelativePositions):
    """score + q a[j - i]^T / sqrt(d_head), a vector for each offset, shared by the heads (Shaw et
    al. 2018, equation 4).

    Their second table, of values, is left out: their own table 3 finds that it adds nothing.
    """

    def __init__(self, config: Config, both_ways: bool = False):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2 * CLIPPED + 1, config.d_head))

    def add_bias(self, scores: Scores, q: Heads, trace: Trace) -> Scores:
        a = self.weight[shaw_rows(*scores.shape[-2:], scores.device)]
        return scores + trace(
            "relative", torch.einsum("...qd,qkd->...qk", q, a) / math.sqrt(q.shape[-1])
        )


RELATIONS: dict[str, type[NoRelativePositions]] = {
    "none": NoRelativePositions,
    "rope": Rotary,
    "alibi": Alibi,
    "t5": T5Bias,
    "shaw": Shaw,
}


def make_relation(config: Config, stack: str) -> NoRelativePositions:
    """The relative positions of the self-attentions of `stack`."""
    return RELATIONS[config.relative](config, both_ways=config.both_ways(stack))
