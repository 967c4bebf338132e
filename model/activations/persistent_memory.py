"""Persistent memory: the learned keys and values of a self-attention, which are called slots."""

from dataclasses import replace

from model.activations.activation import Activation
from model.activations.derivation import copy

PARAMETERS = {"k": "keys", "v": "values"}
"""The parameter of the slots, by the activation to which it is appended."""


def with_slots(activation: Activation, scope: str) -> Activation:
    """The activation of a self-attention `scope`; if it holds keys or values, the slots follow
    those of the tokens.
    """
    name = activation.name.removeprefix(f"{scope}.")
    if name not in PARAMETERS:
        return activation
    learned = f"{scope}.slots.{PARAMETERS[name]}[head slot head_channel]"
    return replace(activation, parts={"slot": (copy, (learned,))})
