"""Tabular embedding: the vectors of a row's columns, and that of [CLS]."""

from dataclasses import replace

from torch import Tensor

from model.activations.activation import Activation, SpecialCells, stream_activation
from model.activations.derivation import SUM, Cell, Step, copy, rule
from model.config import Config


@rule
def column(
    cell: Cell, known: Tensor, x: Tensor, weight: Tensor, bias: Tensor, missing: Tensor
) -> list[Step]:
    """x w + b of a known number x, and a learned number in place of an unknown one."""
    read = x * weight + bias
    return [
        Step("read", "x w + b", read),
        Step("value", "read if x is known, else missing", known * read + (1 - known) * missing),
    ]


def column_activation(config: Config, name: str, axis: str) -> Activation:
    """The vectors of [CLS], of the columns of numbers and of the columns of categories, in this
    order; where numbers bypass the stack, those of the categories alone.
    """
    scope = "embedding.token"
    category = (
        f"{scope}.categories.table[category:position channel]",
        f"{scope}.categories.column[column:position channel]",
    )
    categories = stream_activation(
        name,
        axis,
        "W[category] + b_j",
        "The category's vector and that of its column.",
        SUM,
        *category,
    )
    if config.bypass:
        return categories
    learned = (
        f"{scope}.numbers.{part}[column:position channel]" for part in ("weight", "bias", "missing")
    )
    number = ("known[column:position]", "numbers[column:position]", *learned)
    return replace(
        categories,
        formula="[CLS], then x_j w_j + b_j of numbers, W[category] + b_j of categories",
        sentence=(
            "The column's vector, or that of [CLS]; a value that is missing has one of its own."
        ),
        special=(
            SpecialCells("position", range(1), copy, (f"{scope}.cls[channel]",)),
            SpecialCells("position", range(1, 1 + config.columns.n_numeric), column, number),
        ),
    )
