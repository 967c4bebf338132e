"""The vocabulary's rows of a row of a table: its columns as tokens, and what goes past the stack to
the answer.
"""

from collections.abc import Iterator
from dataclasses import replace

from model.activations.activation import (
    Activation,
    Otherwise,
    answer_axis,
    linear_operands,
    plus_bias,
    stack_output,
    stream_row,
)
from model.activations.feed_forward import ACTIVATION_FORMULAS
from model.config import Config


def column_row(config: Config, name: str, row: str) -> Activation:
    """Categories; and before them, unless they go past the stack, [CLS] and the numbers."""
    of = "embedding.token"
    category = (
        f"{of}.categories.table[category:position channel]",
        f"{of}.categories.column[column:position channel]",
    )
    categories = stream_row(
        name,
        row,
        "W[category] + b_j",
        "The category's vector and that of its column.",
        "sum",
        *category,
    )
    if config.readout == "bypass":
        return categories
    learned = (
        f"{of}.numbers.{part}[column:position channel]" for part in ("weight", "bias", "missing")
    )
    number = ("known[column:position]", "numbers[column:position]", *learned)
    return replace(
        categories,
        formula="[CLS], then x_j w_j + b_j of numbers, W[category] + b_j of categories",
        sentence=(
            "The column's vector, or that of [CLS]; a value that is missing has one of its own."
        ),
        otherwise=(
            Otherwise("position", range(1), "copy", (f"{of}.cls[channel]",)),
            Otherwise("position", range(1, 1 + config.n_numeric), "column", number),
        ),
    )


def bypass_rows(config: Config, sentence: str) -> Iterator[Activation]:
    """The numbers on their way past the stack, and the two hidden layers over them and all
    tokens.
    """
    answer = answer_axis(config)

    def row(
        name: str, width: str, formula: str, sentence: str, rule: str, *operands: str
    ) -> Activation:
        return Activation(
            name, ("position", width), (answer, width), formula, sentence, rule, operands
        )

    def statistic(name: str, formula: str, sentence: str) -> Activation:
        numbers = ("bypass.numbers[position *]",)
        return Activation(
            f"bypass.norm.{name}", ("position",), (answer,), formula, sentence, name, numbers
        )

    missing = ("known[number]", "numbers[number]", "bypass.missing[number]")
    yield row(
        "bypass.numbers",
        "number",
        "x",
        "The numbers in standard deviations; for one that is missing one learned.",
        "known",
        *missing,
    )
    yield statistic("mean", "mean of x", "The mean over the numbers of the row.")
    yield statistic("scale", "sqrt(var x + epsilon)", "Their spread.")
    normed = (
        "bypass.numbers[position number]",
        "bypass.norm.mean[position]",
        "bypass.norm.scale[position]",
    )
    learned = ("bypass.norm.gain[number]", "bypass.norm.bias[number]")
    yield row(
        "bypass.norm.out",
        "number",
        "(x - mean) / scale * gain + bias",
        "The numbers, normalised.",
        "normalise",
        *normed,
        *learned,
    )
    rule, (past, *learned) = linear_operands(
        config, "bypass.norm.out[position *]", "bypass.hidden1", "inner1"
    )
    both = (f"{stack_output(config, 'encoder')}[* *]", past, *learned)
    reads = "How well all tokens and the numbers fit each unit of the first layer."
    yield row(
        "bypass.pre1",
        "inner1",
        f"[tokens, numbers] W_1{plus_bias(config, 'b_1')}",
        reads,
        f"{rule}.both",
        *both,
    )
    fires = ACTIVATION_FORMULAS[config.activation]
    yield row(
        "bypass.post1",
        "inner1",
        fires.format("pre1"),
        "How strongly it fires.",
        config.activation,
        "bypass.pre1[position inner1]",
    )
    rule, operands = linear_operands(config, "bypass.post1[position *]", "bypass.hidden2", "inner2")
    yield row(
        "bypass.pre2",
        "inner2",
        f"post1 W_2{plus_bias(config, 'b_2')}",
        "The same for the second layer.",
        rule,
        *operands,
    )
    yield row(
        "bypass.post2",
        "inner2",
        fires.format("pre2"),
        "How strongly it fires.",
        config.activation,
        "bypass.pre2[position inner2]",
    )
    rule, operands = linear_operands(
        config, "bypass.post2[position *]", "bypass.output", "vocabulary"
    )
    yield row(
        "logits", "vocabulary", f"post2 W_3{plus_bias(config, 'b_3')}", sentence, rule, *operands
    )
