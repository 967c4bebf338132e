"""Head scores: the share of a head's attention weight on the keys that a head of a certain role
would attend to (Olsson et al. 2022).
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model.layers import masks

Read = Int[Tensor, "*text position"]
Keys = Bool[Tensor, "*text query key"]


def induction_keys(read: Read) -> Keys:
    """The keys of an induction head, [..., query, key]: the positions that follow an earlier
    occurrence of the current letter.
    """
    same = read[..., :, None] == read[..., None, :]
    after_the_same = torch.zeros_like(same)
    after_the_same[..., 1:] = same[..., :-1]
    return after_the_same & masks.causal(read.shape[-1])


def previous_token_keys(read: Read) -> Keys:
    """The key of a previous-token head: the position before the query. The first query has none."""
    n = read.shape[-1]
    return torch.ones(n - 1, dtype=torch.bool).diag(-1).expand(*read.shape, n)


ROLES = {"induction": induction_keys, "previous": previous_token_keys}


def score(pattern: Float[Tensor, "*text head query key"], keys: Keys) -> Float[Tensor, " head"]:
    """The sum of the weights on `keys`, as a mean over the queries that have such keys: 1 for a
    head that attends to no other key. NaN if no query of any text has such a key.
    """
    asked = keys.any(-1)
    weight = (pattern * keys[..., None, :, :]).sum(-1)
    return weight.movedim(-2, 0)[:, asked].mean(-1)


def by_chance(keys: Keys) -> float:
    """The score of a head with uniform weights over the keys that each query sees."""
    allowed = masks.causal(keys.shape[-1]).float()
    even = allowed / allowed.sum(-1, keepdim=True)
    return score(even.expand(*keys.shape[:-2], 1, -1, -1), keys).item()
