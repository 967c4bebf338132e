"""The catalogue: every activation that a run of a model records, in the order of computation."""

from collections.abc import Iterator
from functools import cache

from model.activations.activation import (
    Activation,
    answer_axis,
    block_output,
    input_axis,
    stack_output,
)
from model.activations.block import block_rows
from model.activations.box_head import box_rows
from model.activations.embedding import embedding_rows
from model.activations.norms import norm_rows
from model.activations.residual_scale import Sum
from model.activations.tabular_head import bypass_rows
from model.activations.unembedding import probability_row, unembedding_rows
from model.config import Config
from model.layers.norms import has_final_norm


@cache
def activations(config: Config) -> dict[str, Activation]:
    """Every activation by its name, in the order of computation."""
    return {row.name: row for row in model_rows(config)}


def model_rows(config: Config) -> Iterator[Activation]:
    """The stacks, the read-out, and the boxes of a model with object queries."""
    for stack in config.stacks:
        yield from stack_rows(config, stack)
    yield from READOUTS[config.readout](config, SUGGESTED[config.reads(config.stacks[-1])])
    yield probability_row(config)
    if config.n_queries:
        yield from box_rows(config, stack_output(config, "decoder"), answer_axis(config))


def stack_rows(config: Config, stack: str) -> Iterator[Activation]:
    """The embedding, the blocks, and the final norm of a stack that has one."""
    yield from embedding_rows(config, stack)
    for layer in range(config.layers(stack)):
        yield from block_rows(config, stack, layer)
    if has_final_norm(config):
        last = block_output(stack, config.layers(stack) - 1)
        yield from norm_rows(config, f"{stack}.norm", input_axis(config, stack), Sum((last,)))


READOUTS = {"unembedding": unembedding_rows, "bypass": bypass_rows}

SUGGESTED = {
    "tokens": "How strongly each piece of the vocabulary is suggested as the next.",
    "patches": "How strongly each class is suggested; the model's answer is what [CLS] says.",
    "queries": (
        "How strongly each query suggests each class; the last class is that there is nothing."
    ),
    "columns": (
        "How strongly each class is suggested; the model's answer is what [CLS] says, or what is"
        " said of the row at once."
    ),
}
"""What the logits say, by the kind of the last stack's tokens."""

SIZES = {
    "head": "n_heads",
    "head_channel": "d_head",
    "channel": "d_model",
    "hidden": "d_ff",
    "vocabulary": "vocabulary_size",
}


def size_names(row: Activation) -> list[str]:
    """The shape of an activation in symbols, for example n_heads, target, d_head."""
    return [SIZES.get(axis, axis) for axis in row.axes]
