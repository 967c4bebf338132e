"""The catalogue: every activation that a run of a model records, in the order of computation."""

import fnmatch
from collections.abc import Container, Iterator
from functools import cache, lru_cache

from model.activations import (
    attention,
    attention_scores,
    feed_forward,
    norms,
    positional_encodings,
    random_features,
    relative_positions,
    residual,
    transform,
)
from model.activations.activation import (
    Activation,
    answer_axis,
    block_output,
    input_axis,
    stack_output,
)
from model.activations.block import block_activations
from model.activations.box_head import box_activations
from model.activations.embedding import embedding_activations
from model.activations.norms import norm_activations
from model.activations.residual_scale import Sum
from model.activations.tabular_head import bypass_activations
from model.activations.transform import transform_activations
from model.activations.unembedding import probability_activation, unembedding_activations
from model.config import Config
from model.errors import UnknownName
from model.layers.norms import has_final_norm

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
"""What the logits say, by the kind of the tokens of the last stack."""
EXPLANATIONS: dict[str, Container[str]] = {
    "norm": norms.NORMS,
    "placement": residual.PLACEMENTS,
    "score": attention_scores.SCORES,
    "positions": positional_encodings.POSITIONS,
    "relative": relative_positions.RELATIVE_POSITIONS,
    "activation": feed_forward.ACTIVATIONS,
    "transform": {"none", *transform.TRANSFORMS},
    "features": random_features.FEATURES,
    "weighing": attention.PATTERNS,
}
"""The choices that have an explanation, by the name of their field in Config."""


def check_explained(config: Config) -> None:
    """Asserts that every choice has an explanation, as its equation stands in another file."""
    for choice, explained in EXPLANATIONS.items():
        name = getattr(config, choice)
        assert name in explained, (
            f"{choice} has the choice {name!r} in model/layers, and no explanation of it: add a row"
            " to its table in model/activations"
        )


@cache
def activations(config: Config) -> dict[str, Activation]:
    """Every activation by its name, in the order of computation."""
    check_explained(config)
    return {one.name: one for one in model_activations(config)}


def model_activations(config: Config) -> Iterator[Activation]:
    """The stacks, the read-out of a model with a head, and the boxes of object queries."""
    for stack in config.stacks:
        yield from stack_activations(config, stack)
    if config.headless:
        return
    yield from transform_activations(config)
    readout = bypass_activations if config.bypass else unembedding_activations
    yield from readout(config, SUGGESTED[config.input_kind_of(config.stacks[-1])])
    yield probability_activation(config)
    if config.n_queries:
        yield from box_activations(config, stack_output(config, "decoder"), answer_axis(config))


def stack_activations(config: Config, stack: str) -> Iterator[Activation]:
    """The embedding, the blocks, and the final norm of a stack that has one."""
    yield from embedding_activations(config, stack)
    for layer in range(config.layers(stack)):
        yield from block_activations(config, stack, layer)
    if has_final_norm(config):
        x = Sum((block_output(stack, config.layers(stack) - 1),))
        yield from norm_activations(config, f"{stack}.norm", input_axis(config, stack), x)


@lru_cache(1024)  # the edits of a sweep name the same activations again and again
def matching(config: Config, globs: str) -> tuple[str, ...]:
    """The names that match one of `globs`, which have commas between them, in the order of
    computation. Raises UnknownName for a glob that matches nothing.
    """
    names, wanted = activations(config), [glob.strip() for glob in globs.split(",")]
    for glob in wanted:
        if not fnmatch.filter(names, glob):
            raise UnknownName("activation", glob, names)
    return tuple(name for name in names if any(fnmatch.fnmatchcase(name, one) for one in wanted))


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
