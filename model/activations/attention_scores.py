"""Attention scores: formula, operands and derivation of each score function."""

import math
from dataclasses import dataclass

from torch import Tensor

from model.activations.derivation import (
    Cell,
    Rule,
    Step,
    number,
    product,
    rule,
    sum_of_products,
    typeset,
)


@typeset("Σ {value}")
@rule
def dot(cell: Cell, q: Tensor, k: Tensor) -> list[Step]:
    """q k^T."""
    return product(cell, q, k)


@typeset("Σ {sum} ÷ {divisor} = {value}")
@rule
def scaled_dot(cell: Cell, q: Tensor, k: Tensor) -> list[Step]:
    """q k^T / sqrt(d_head)."""
    steps, divisor = sum_of_products(q, k), number(math.sqrt(cell.config.d_head))
    return [
        *steps,
        Step("divisor", "sqrt(d_head)", divisor),
        Step("value", "sum / divisor", steps[-1].value / divisor),
    ]


@rule
def general(cell: Cell, q: Tensor, k: Tensor, w: Tensor) -> list[Step]:
    """q W k^T."""
    return [Step("turned", "q W", q @ w), *product(cell, q @ w, k)]


@rule
def additive(cell: Cell, q: Tensor, k: Tensor, w_q: Tensor, w_k: Tensor, v: Tensor) -> list[Step]:
    """tanh(q W_q + k W_k) v."""
    hidden = (q @ w_q + k @ w_k).tanh()
    return [Step("hidden", "tanh(q W_q + k W_k)", hidden), Step("value", "hidden v", hidden @ v)]


@rule
def cosine(cell: Cell, q: Tensor, k: Tensor) -> list[Step]:
    """q k^T / (|q| |k|)."""
    steps, lengths = sum_of_products(q, k), q.norm() * k.norm()
    return [
        *steps,
        Step("lengths", "|q| |k|", lengths),
        Step("value", "sum / lengths", steps[-1].value / lengths),
    ]


@rule
def location(cell: Cell, q: Tensor, w: Tensor) -> list[Step]:
    """q W, in the column of the key's position."""
    return product(cell, q, w)


QUERY, KEY = "{}.q[head query *]", "{}.k[head key *]"


@dataclass(frozen=True)
class Score:
    """The description of one score function: its formula, its rule, and the operands of one cell.
    The names of the operands begin with {}, which stands for the name of the attention.
    """

    formula: str
    rule: Rule
    operands: tuple[str, ...] = (QUERY, KEY)


SCORES = {
    "dot": Score("q k^T", dot),
    "scaled_dot": Score("q k^T / sqrt(d_head)", scaled_dot),
    "general": Score("q W k^T", general, (QUERY, KEY, "{}.score.w[* *]")),
    "additive": Score(
        "tanh(q W_q + k W_k) v",
        additive,
        (QUERY, KEY, "{}.score.w_q[* *]", "{}.score.w_k[* *]", "{}.score.v[*]"),
    ),
    "cosine": Score("q k^T / (|q| |k|)", cosine),
    "location": Score("q W", location, (QUERY, "{}.score.w[* key]")),
}
