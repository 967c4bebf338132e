"""Score functions, which compare a query with a key, and the softmax that turns a row of scores
into weights.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

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
from model.config import Config

Queries = Float[Tensor, "*batch query d_head"]
Keys = Float[Tensor, "*batch key d_head"]
Scores = Float[Tensor, "*batch query key"]


def dot(q: Queries, k: Keys) -> Scores:
    """q k^T (Luong et al. 2015)."""
    return q @ k.mT


def scaled_dot(q: Queries, k: Keys) -> Scores:
    """q k^T / sqrt(d_head) (Vaswani et al. 2017, equation 1): scores have variance 1 if the
    components of q and k are independent with mean 0 and variance 1.
    """
    return (q / math.sqrt(q.shape[-1])) @ k.mT


def general(q: Queries, k: Keys, w: Float[Tensor, "d_head d_head"]) -> Scores:
    """q W k^T (Luong et al. 2015, section 3.1)."""
    return q @ w @ k.mT


def additive(
    q: Queries,
    k: Keys,
    w_q: Float[Tensor, "d_head hidden"],
    w_k: Float[Tensor, "d_head hidden"],
    v: Float[Tensor, " hidden"],
) -> Scores:
    """tanh(q_i W_q + k_j W_k) v for query i and key j: a network with one hidden layer (Bahdanau et
    al. 2015, appendix A.1.2).
    """
    return ((q @ w_q).unsqueeze(-2) + (k @ w_k).unsqueeze(-3)).tanh() @ v


def cosine(q: Queries, k: Keys) -> Scores:
    """q k^T / (|q| |k|): content-based addressing, between -1 and 1 (Graves et al. 2014, equation
    6).
    """
    return (q / q.norm(dim=-1, keepdim=True)) @ (k / k.norm(dim=-1, keepdim=True)).mT


def location(q: Queries, k: Keys, w: Float[Tensor, "d_head longest"]) -> Scores:
    """q W, the first n_keys columns: the score depends on the key's position, not on its content
    (Luong et al. 2015, equation 8).
    """
    return (q @ w)[..., : k.shape[-2]]


def softmax(masked_scores: Scores) -> Scores:
    """exp(s) / sum exp(s) over the keys. If all keys of a query are masked, its weights and their
    gradient are 0; a plain softmax would return NaN.
    """
    weights = masked_scores.softmax(dim=-1)
    # A row of -inf gives 0 / 0. Without such a row, three passes over the scores are skipped.
    if not weights[..., :1].isnan().any():
        return weights
    blind = masked_scores.amax(dim=-1, keepdim=True).isneginf()
    return masked_scores.masked_fill(blind, 0.0).softmax(dim=-1).masked_fill(blind, 0.0)


@typeset("Σ {value}")
@rule
def dot_steps(cell: Cell, q: Tensor, k: Tensor) -> list[Step]:
    """q k^T."""
    return product(cell, q, k)


@typeset("Σ {sum} ÷ {divisor} = {value}")
@rule
def scaled_dot_steps(cell: Cell, q: Tensor, k: Tensor) -> list[Step]:
    """q k^T / sqrt(d_head)."""
    steps, divisor = sum_of_products(q, k), number(math.sqrt(cell.config.d_head))
    return [
        *steps,
        Step("divisor", "sqrt(d_head)", divisor),
        Step("value", "sum / divisor", steps[-1].value / divisor),
    ]


@rule
def general_steps(cell: Cell, q: Tensor, k: Tensor, w: Tensor) -> list[Step]:
    """q W k^T."""
    return [Step("turned", "q W", q @ w), *product(cell, q @ w, k)]


@rule
def additive_steps(
    cell: Cell, q: Tensor, k: Tensor, w_q: Tensor, w_k: Tensor, v: Tensor
) -> list[Step]:
    """tanh(q W_q + k W_k) v."""
    hidden = (q @ w_q + k @ w_k).tanh()
    return [Step("hidden", "tanh(q W_q + k W_k)", hidden), Step("value", "hidden v", hidden @ v)]


@rule
def cosine_steps(cell: Cell, q: Tensor, k: Tensor) -> list[Step]:
    """q k^T / (|q| |k|)."""
    steps, lengths = sum_of_products(q, k), q.norm() * k.norm()
    return [
        *steps,
        Step("lengths", "|q| |k|", lengths),
        Step("value", "sum / lengths", steps[-1].value / lengths),
    ]


@rule
def location_steps(cell: Cell, q: Tensor, w: Tensor) -> list[Step]:
    """q W, in the column of the key's position."""
    return product(cell, q, w)


QUERY, KEY = "{}.q[head query *]", "{}.k[head key *]"
Shapes = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class ScoreFunction:
    """A score function, called as score(q, k, *parameters), with its formula and the rule and
    operands of one entry. In the operands' names, {} stands for the name of the attention layer.
    `parameters` maps each parameter's name to its shape, computed from d_head and the maximum
    number of keys.
    """

    function: Callable[..., Scores]
    formula: str
    rule: Rule
    operands: tuple[str, ...] = (QUERY, KEY)
    parameters: Callable[[int, int], Shapes] = lambda d, longest: {}

    def __call__(self, q: Queries, k: Keys, *parameters: Tensor, **named: Tensor) -> Scores:
        return self.function(q, k, *parameters, **named)


SCORES = {
    "dot": ScoreFunction(dot, "q k^T", dot_steps),
    "scaled_dot": ScoreFunction(scaled_dot, "q k^T / sqrt(d_head)", scaled_dot_steps),
    "general": ScoreFunction(
        general,
        "q W k^T",
        general_steps,
        (QUERY, KEY, "{}.score.w[* *]"),
        lambda d, longest: {"w": (d, d)},
    ),
    "additive": ScoreFunction(
        additive,
        "tanh(q W_q + k W_k) v",
        additive_steps,
        (QUERY, KEY, "{}.score.w_q[* *]", "{}.score.w_k[* *]", "{}.score.v[*]"),
        lambda d, longest: {"w_q": (d, d), "w_k": (d, d), "v": (d,)},
    ),
    "cosine": ScoreFunction(cosine, "q k^T / (|q| |k|)", cosine_steps),
    "location": ScoreFunction(
        location,
        "q W",
        location_steps,
        (QUERY, "{}.score.w[* key]"),
        lambda d, longest: {"w": (d, longest)},
    ),
}


class Score(nn.Module):
    """One of SCORES with its parameters, which all heads of a layer share."""

    def __init__(self, config: Config):
        super().__init__()
        self.function = SCORES[config.attention.score]
        shapes = self.function.parameters(config.d_head, config.max_length)
        self.learned = tuple(shapes)
        for name, shape in shapes.items():
            self.register_parameter(name, nn.Parameter(torch.zeros(shape)))

    def forward(self, q: Queries, k: Keys) -> Scores:
        return self.function(q, k, *(getattr(self, name) for name in self.learned))
