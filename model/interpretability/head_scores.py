"""Head roles: what a head with one job would look at, and how much of a head's weight lies there
(Olsson et al. 2022).
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model.layers import masks

Read = Int[Tensor, "*text position"]
Keys = Bool[Tensor, "*text query key"]


def heard_before(read: Read) -> Keys:
    """The keys of an induction head: what came after every earlier letter like the one that is read
    now.
    """
    same = read[..., :, None] == read[..., None, :]
    after_the_same = torch.zeros_like(same)
    after_the_same[..., 1:] = same[..., :-1]
    return after_the_same & masks.causal(read.shape[-1])


def just_before(read: Read) -> Keys:
    """The key of a previous-token head: the position before; the first query has none."""
    n = read.shape[-1]
    return torch.ones(n - 1, dtype=torch.bool).diag(-1).expand(*read.shape, n)


ROLES = {"induction": heard_before, "previous": just_before}


def score(pattern: Float[Tensor, "*text head query key"], keys: Keys) -> Float[Tensor, " head"]:
    """The weight on all of `keys` together, on the mean over the queries that have any: 1 for a
    head that looks at nothing else.

    NaN where no query of any text has a key to look at.
    """
    asked = keys.any(-1)
    weight = (pattern * keys[..., None, :, :]).sum(-1)
    return weight.movedim(-2, 0)[:, asked].mean(-1)


def by_chance(keys: Keys) -> float:
    """The score of a head that looks evenly at all it may see."""
    allowed = masks.causal(keys.shape[-1]).float()
    even = allowed / allowed.sum(-1, keepdim=True)
    return score(even.expand(*keys.shape[:-2], 1, -1, -1), keys).item()
