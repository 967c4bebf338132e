"""Persistent memory: learned keys and values that do not depend on the input and add columns to the
attention map (Sukhbaatar et al. 2019).
"""

from dataclasses import replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from model.activations.activation import Activation
from model.activations.derivation import copy
from model.config import Config
from model.layers.kv_cache import Cache, Compute, KeysValues

SlotVectors = Float[Tensor, "head slot d_head"]
Mask = Bool[Tensor, "*batch query key"]
WideMask = Bool[Tensor, "*batch query column"]


def with_slots(keys: SlotVectors, values: SlotVectors) -> Cache:
    """A cache for attention: [k; m_k] and [v; m_v], slots after tokens. `for_slots` widens the mask
    to match.
    """

    def extended(compute: Compute) -> KeysValues:
        k, v = compute(0)
        shape = (*k.shape[:-2], -1, -1)
        return torch.cat([k, keys.expand(shape)], -2), torch.cat([v, values.expand(shape)], -2)

    return extended


def for_slots(mask: Mask, n_slots: int) -> WideMask:
    """Slots have no position: every query may attend to them."""
    return functional.pad(mask, (0, n_slots), value=True)


class Slots(nn.Module):
    """The learned slots of one self-attention layer."""

    def __init__(self, config: Config):
        super().__init__()
        shape = config.n_heads, config.attention.slots, config.d_head
        self.keys, self.values = (nn.Parameter(torch.zeros(shape)) for _ in range(2))

    def forward(self, k: Tensor, v: Tensor, mask: Mask) -> tuple[Tensor, Tensor, WideMask]:
        return *with_slots(self.keys, self.values)(lambda start: (k, v)), for_slots(
            mask, self.keys.shape[-2]
        )


def no_slots(k: Tensor, v: Tensor, mask: Mask) -> tuple[Tensor, Tensor, Mask]:
    return k, v, mask


def make_slots(config: Config) -> Slots | None:
    return Slots(config) if config.attention.slots else None


PARAMETERS = {"k": "keys", "v": "values"}
"""The parameter that is appended to each activation."""


def activation_with_slots(activation: Activation, scope: str) -> Activation:
    """The activation of the self-attention layer `scope`; slots are appended to keys and values."""
    name = activation.name.removeprefix(f"{scope}.")
    if name not in PARAMETERS:
        return activation
    learned = f"{scope}.slots.{PARAMETERS[name]}[head slot head_channel]"
    return replace(activation, parts={"slot": (copy, (learned,))})
