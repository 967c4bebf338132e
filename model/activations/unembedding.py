"""Unembedding: the logits of the ordinary read-out, and the probabilities."""

import math
from collections.abc import Iterator

from torch import Tensor

from model.activations.activation import Activation, answer_axis
from model.activations.derivation import (
    Cell,
    Step,
    linear,
    number,
    product,
    rule,
    softmax,
    sum_of_products,
    typeset,
)
from model.activations.transform import read_by_unembedding
from model.config import Config


@typeset("Σ {sum} ÷ {divisor} = {value}")
@rule
def scaled_product(cell: Cell, x: Tensor, y: Tensor) -> list[Step]:
    """x W_U / sqrt(d_model) (T5, Raffel et al. 2020)."""
    steps, divisor = sum_of_products(x, y), number(math.sqrt(cell.config.d_model))
    return [
        *steps,
        Step("divisor", "sqrt(d_model)", divisor),
        Step("value", "sum / divisor", steps[-1].value / divisor),
    ]


def unembedding_activations(config: Config, sentence: str) -> Iterator[Activation]:
    """x W_U + b_U, or x W_U in a model without that bias."""
    axis, last = answer_axis(config), read_by_unembedding(config)
    unembedding = "embedding.token" if config.tied_unembedding else "untied"
    operands = (f"{last}[position *]", f"{unembedding}[vocabulary *]")
    bias = config.unembedding_bias
    if config.scaled_unembedding:
        yield Activation(
            "logits",
            ("position", "vocabulary"),
            (axis, "vocabulary"),
            "x W_U / sqrt(d_model)",
            sentence,
            scaled_product,
            operands,
        )
        return
    yield Activation(
        "logits",
        ("position", "vocabulary"),
        (axis, "vocabulary"),
        f"x W_U{' + b_U' if bias else ''}",
        sentence,
        linear if bias else product,
        (*operands, "unembedding_bias[vocabulary]") if bias else operands,
    )


def probability_activation(config: Config) -> Activation:
    """softmax(logits)."""
    return Activation(
        "probabilities",
        ("position", "vocabulary"),
        (answer_axis(config), "vocabulary"),
        "softmax(logits)",
        "The logits of a position turned into probabilities, which sum to 1.",
        softmax,
        ("logits[position *]",),
    )
