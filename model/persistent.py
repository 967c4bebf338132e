"""Persistent memory: keys and values that belong to the model, not to its input: more columns of attention (Sukhbaatar et al. 2019)."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from model.cache import Cache, KeysValues

Slots = Float[Tensor, "head slot d_head"]


def with_slots(keys: Slots, values: Slots) -> Cache:
    """A cache for Attention: [k; m_k] and [v; m_v], the slots after the tokens. `for_slots` widens the mask to fit."""

    def extended(compute: Callable[[], KeysValues]) -> KeysValues:
        k, v = compute()
        one_each = (*k.shape[:-2], -1, -1)
        return torch.cat([k, keys.expand(one_each)], -2), torch.cat([v, values.expand(one_each)], -2)

    return extended


def for_slots(mask: Float[Tensor, "*batch query key"], n_slots: int) -> Float[Tensor, "*batch query column"]:
    """A slot has no position: every query may look at it."""
    return functional.pad(mask, (0, n_slots))
