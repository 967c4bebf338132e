"""Relations: what attention is told about a pair of positions, a function of their offset alone;
nothing is added to the tokens.

An offset is the key's position minus the query's: negative behind, positive ahead.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

Offsets = Int[Tensor, "query key"]


def offsets(n_queries: int, n_keys: int) -> Offsets:
    """Key position minus query position; the last query stands at the last key, so that a query
    beside kept keys finds its place.
    """
    positions = torch.arange(n_keys)
    return positions - torch.arange(n_keys - n_queries, n_keys)[:, None]


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
