"""The vocabulary: every activation's name, axes, formula and operands, as one table for one
configuration.

A row says which numbers make one cell, so an explanation is data: `q[head query *]` is the whole
vector of one query, `*` a whole axis, `(head head_channel)` two indices counted as one,
`id:position` the token id at a position, `patch:position` the patch there, `column:position` and
`category:position` the column among those of its kind and the category; of all columns, `0` is the
row asked about. Indices, outermost first:

    position, query, key   a place in the input (which input is in `axes`: source, target, text or
    image)
    head, head_channel     a head, and a channel inside its d_head
    kv_head                the head of keys and values that a head uses: its own, or one shared in a
    group
    channel, hidden        a channel of the stream (d_model) and of the feed-forward's inside (d_ff)
    feature                a random feature of FAVOR+
    vocabulary             a piece of the encoding, or a class
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from model.activations.activation import (
    Activation,
    Otherwise,
    answer_axis,
    input_axis,
    linear_operands,
    plus_bias,
    stack_output,
    stream_row,
)
from model.activations.block import NORM_WEIGHTS, block_rows, norm_rows
from model.activations.box_head import box_rows
from model.activations.tabular import bypass_rows, column_row
from model.config import Config

__all__ = ["Activation", "activations", "answer_axis", "input_axis", "size_names", "stack_output"]


@cache
def activations(config: Config) -> dict[str, Activation]:
    """Every name that a run of such a model records, in the order of computation."""
    return {row.name: row for row in model_rows(config)}


def model_rows(config: Config) -> Iterator[Activation]:
    for stack in config.stacks:
        yield from stack_rows(config, stack)
    yield from READOUT_ROWS[config.readout](config, SUGGESTED[config.reads(config.stacks[-1])])
    yield Activation(
        "probabilities",
        ("position", "vocabulary"),
        (answer_axis(config), "vocabulary"),
        "softmax(logits)",
        "The same as probabilities that sum to 1.",
        "softmax",
        ("logits[position *]",),
    )
    if config.n_queries:
        yield from box_rows(config, stack_output(config, "decoder"), answer_axis(config))


def unembedding_rows(config: Config, sentence: str) -> Iterator[Activation]:
    text, last = answer_axis(config), stack_output(config, config.stacks[-1])
    unembedding = "embedding.token" if config.tied_unembedding else "untied"
    operands = (f"{last}[position *]", f"{unembedding}[vocabulary *]")
    yield Activation(
        "logits",
        ("position", "vocabulary"),
        (text, "vocabulary"),
        f"x W_U{' + b_U' if config.unembedding_bias else ''}",
        sentence,
        "linear" if config.unembedding_bias else "product",
        (*operands, "unembedding_bias[vocabulary]") if config.unembedding_bias else operands,
    )


READOUT_ROWS = {"unembedding": unembedding_rows, "bypass": bypass_rows}

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


def stack_rows(config: Config, stack: str) -> Iterator[Activation]:
    text = input_axis(config, stack)

    def row(name: str, formula: str, sentence: str, rule: str, *operands: str) -> Activation:
        return stream_row(f"{stack}.{name}", text, formula, sentence, rule, *operands)

    yield TOKEN_ROWS[config.reads(stack)](config, f"{stack}.embedding.token", text)
    yield row("embedding.position", *POSITION_ROWS[config.told(stack)])
    yield row(
        "embedding.sum",
        "token + position",
        "Token and position, added: the stream before the first block.",
        "sum",
        f"{stack}.embedding.token[position channel]",
        f"{stack}.embedding.position[position channel]",
    )
    if config.normed_embedding:
        yield from norm_rows(
            config,
            f"{stack}.embedding.norm",
            text,
            (f"{stack}.embedding.sum",),
            weights="embedding.norm",
        )
    for layer in range(config.layers(stack)):
        yield from block_rows(config, stack, layer)
    if config.placement == "pre":
        whole = f"{stack}.{config.layers(stack) - 1}.residual.out[position *]"
        learned = (f"{stack}.norm.{weight}" for weight in NORM_WEIGHTS[config.norm])
        yield row(
            "norm.out",
            "LN(x)",
            "The stream after the final norm.",
            f"{config.norm}_norm",
            whole,
            *learned,
        )


def piece_row(config: Config, name: str, text: str) -> Activation:
    factor, rule = (" sqrt(d_model)", "embed") if config.scaled_embedding else ("", "copy")
    return stream_row(
        name,
        text,
        f"W_E[id]{factor}",
        "The token's vector.",
        rule,
        "embedding.token[id:position channel]",
    )


def patch_row(config: Config, name: str, image: str) -> Activation:
    rule, operands = linear_operands(
        config, "patches[patch:position *]", "embedding.token.patch", "channel"
    )
    formula = f"patch W{plus_bias(config, 'b')}"
    if config.family == "encoder-decoder":
        return stream_row(name, image, formula, "The patch's vector.", rule, *operands)
    row = stream_row(
        name,
        image,
        f"[CLS], then {formula}",
        "The patch's vector, or that of [CLS].",
        rule,
        *operands,
    )
    return replace(
        row, otherwise=(Otherwise("position", range(1), "copy", ("embedding.token.cls[channel]",)),)
    )


def query_row(config: Config, name: str, queries: str) -> Activation:
    return stream_row(
        name,
        queries,
        "W_Q[id]",
        "The object query's learned vector.",
        "copy",
        "queries.token[id:position channel]",
    )


TOKEN_ROWS = {
    "tokens": piece_row,
    "patches": patch_row,
    "queries": query_row,
    "columns": column_row,
}

POSITION_ROWS = {
    "none": ("0", "No position is told.", "zero"),
    "integer": ("p", "The position itself, in every channel.", "integer"),
    "normalised": (
        "p / (T - 1)",
        "How much of the text lies before, in every channel.",
        "normalised",
    ),
    "sigmoid": ("1 / (1 + e^-p)", "The position pressed below 1, in every channel.", "sigmoid"),
    "sine": ("sin(2 pi p / period)", "One wave, in every channel.", "sine"),
    "sinusoidal": ("sin or cos(p / 10000^(2i/d_model))", "The position's vector.", "sinusoid"),
    "learned": (
        "W_P[p]",
        "The position's learned vector.",
        "copy",
        "embedding.learned[position channel]",
    ),
}


SIZES = {
    "head": "n_heads",
    "head_channel": "d_head",
    "channel": "d_model",
    "hidden": "d_ff",
    "vocabulary": "vocabulary_size",
}


def size_names(row: Activation) -> list[str]:
    """The shape in symbols: n_heads, target, d_head."""
    return [SIZES.get(axis, axis) for axis in row.axes]
