"""The catalog: every activation recorded in a run of a model, in the order of computation."""

import fnmatch
from collections.abc import Iterator
from functools import cache, lru_cache

from model.activations.activation import Activation, answer_axis, stack_output
from model.config import Config
from model.errors import UnknownName
from model.layers.heads import (
    HEADS,
    box_activations,
    probability_activation,
    transform_activations,
)
from model.layers.stack import stack_activations

SUGGESTED = {
    "tokens": "How strongly each piece of the vocabulary is suggested as the next.",
    "patches": "How strongly each class is suggested; the model's answer is what [CLS] says.",
    "columns": (
        "How strongly each class is suggested; the model's answer is what [CLS] says, or what"
        " is said of the row at once."
    ),
    "queries": (
        "How strongly each query suggests each class; the last class is that there is nothing."
    ),
}
"""What the logits predict, by the kind of tokens in the last stack."""


@cache
def activations(config: Config) -> dict[str, Activation]:
    """Every activation, keyed by name, in the order of computation."""
    return {row.name: row for row in model_activations(config)}


def model_activations(config: Config) -> Iterator[Activation]:
    """The stacks, the output head if there is one, and the boxes of object queries."""
    for stack in config.stacks:
        yield from stack_activations(config, stack)
    if config.head.absent:
        return
    yield from transform_activations(config)
    sentence = SUGGESTED[config.input_kind_of(config.stacks[-1])]
    yield from HEADS[config.head_kind].activations(config, sentence)
    yield probability_activation(config)
    if config.n_queries:
        yield from box_activations(config, stack_output(config, "decoder"), answer_axis(config))


@lru_cache(1024)  # the interventions of a sweep name the same activations repeatedly
def matching(config: Config, globs: str) -> tuple[str, ...]:
    """The names that match one of the comma-separated `globs`, in the order of computation. Raises
    UnknownName for a glob without a match.
    """
    names, wanted = activations(config), [glob.strip() for glob in globs.split(",")]
    for glob in wanted:
        if not fnmatch.filter(names, glob):
            raise UnknownName("unknown-activation", glob, names)
    return tuple(name for name in names if any(fnmatch.fnmatchcase(name, glob) for glob in wanted))


SIZES = {
    "head": "n_heads",
    "head_channel": "d_head",
    "channel": "d_model",
    "hidden": "d_ff",
    "vocabulary": "vocabulary_size",
}


def size_names(activation: Activation) -> list[str]:
    """The shape of an activation in symbols, for example n_heads, target, d_head."""
    return [SIZES.get(axis, axis) for axis in activation.axes]
