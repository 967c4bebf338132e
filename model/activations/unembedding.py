"""Unembedding: the logits of the ordinary read-out, and the probabilities."""

from collections.abc import Iterator

from model.activations.activation import Activation, answer_axis
from model.activations.derivation import linear, product, softmax
from model.activations.transform import read_by_unembedding
from model.config import Config


def unembedding_activations(config: Config, sentence: str) -> Iterator[Activation]:
    """x W_U + b_U, or x W_U in a model without that bias."""
    axis, last = answer_axis(config), read_by_unembedding(config)
    unembedding = "embedding.token" if config.tied_unembedding else "untied"
    operands = (f"{last}[position *]", f"{unembedding}[vocabulary *]")
    bias = config.unembedding_bias
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
