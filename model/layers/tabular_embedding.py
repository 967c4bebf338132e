"""A table row as tokens: [CLS], then each number times its column's vector, or the vector of a
category (Gorishniy et al. 2021).
"""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from model.activations.activation import Activation, SpecialCells, stream_activation
from model.activations.derivation import SUM, Cell, Step, copy, rule
from model.config import Config

Tokens = Float[Tensor, "*batch position channel"]


@dataclass(frozen=True)
class Rows:
    """`known` is 1 where a number is given and 0 where it is missing. `numbers` are in standard
    deviations from the mean, and 0 where missing.

    `categories` are numbered across all categorical columns; the last of each column stands for a
    missing value.
    """

    numbers: Float[Tensor, "*batch numeric"]
    known: Float[Tensor, "*batch numeric"]
    categories: Int[Tensor, "*batch categorical"]

    def at(self, index: int | slice | list[int] | Tensor) -> "Rows":
        """Selected rows of a batch."""
        return Rows(self.numbers[index], self.known[index], self.categories[index])

    def to(self, device: torch.device) -> "Rows":
        """The rows on `device`."""
        return Rows(self.numbers.to(device), self.known.to(device), self.categories.to(device))


class Numbers(nn.Module):
    """T_j = x_j w_j + b_j (section 3.3). Each column has a learned vector for missing numbers."""

    def __init__(self, config: Config):
        super().__init__()
        shape = (config.columns.n_numeric, config.d_model)
        self.weight, self.bias, self.missing = (nn.Parameter(torch.zeros(shape)) for _ in range(3))

    def forward(self, rows: Rows) -> Tokens:
        known = rows.known[..., None]
        return (
            known * (rows.numbers[..., None] * self.weight + self.bias) + (1 - known) * self.missing
        )


class Categories(nn.Module):
    """T_j = W[category] + b_j: one table for the categories of all columns, plus a vector per
    column (the identifier of Huang et al. 2020).

    Huang et al. use an eighth of the channels for the identifier and the rest for the category: the
    same sum, with zeros in both.
    """

    def __init__(self, config: Config):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(sum(config.columns.categories), config.d_model))
        self.column = nn.Parameter(torch.zeros(len(config.columns.categories), config.d_model))

    def forward(self, rows: Rows) -> Tokens:
        return self.table[rows.categories] + self.column


class FeatureTokenizer(nn.Module):
    """[CLS], the numeric columns, the categorical columns."""

    def __init__(self, config: Config):
        super().__init__()
        self.cls = nn.Parameter(torch.zeros(config.d_model))
        self.numbers, self.categories = Numbers(config), Categories(config)

    def forward(self, rows: Rows) -> Tokens:
        categories = self.categories(rows)
        return torch.cat(
            [self.cls.expand(*categories.shape[:-2], 1, -1), self.numbers(rows), categories], dim=-2
        )


class CategoricalEmbedding(nn.Module):
    """The categorical columns; numbers bypass the stack (Huang et al. 2020)."""

    def __init__(self, config: Config):
        super().__init__()
        self.categories = Categories(config)

    def forward(self, rows: Rows) -> Tokens:
        return self.categories(rows)


COLUMNS = {"unembedding": FeatureTokenizer, "bypass": CategoricalEmbedding}


def make_columns(config: Config) -> nn.Module:
    """Depends on what the prediction is computed from: [CLS], or all tokens and the bypassing
    numbers.
    """
    return COLUMNS[config.columns.readout](config)


@rule
def column(
    cell: Cell, known: Tensor, x: Tensor, weight: Tensor, bias: Tensor, missing: Tensor
) -> list[Step]:
    """x w + b for a known number x, otherwise the learned number for a missing one."""
    read = x * weight + bias
    return [
        Step("read", "x w + b", read),
        Step("value", "read if x is known, else missing", known * read + (1 - known) * missing),
    ]


def column_activation(config: Config, name: str, axis: str) -> Activation:
    """The vectors of [CLS], the numeric columns, and the categorical columns, in this order; only
    those of the categories if numbers bypass the stack.
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
