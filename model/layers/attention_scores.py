"""Scores: how well a query and a key fit, and the softmax that turns a row of them into weights."""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.config import Config

Queries = Float[Tensor, "*batch query d_head"]
Keys = Float[Tensor, "*batch key d_head"]
Scores = Float[Tensor, "*batch query key"]


def dot(q: Queries, k: Keys) -> Scores:
    """q k^T (Luong et al. 2015)."""
    return q @ k.mT


def scaled_dot(q: Queries, k: Keys) -> Scores:
    """q k^T / sqrt(d_head) (Vaswani et al. 2017, equation 1): the variance of a score is 1 if the
    components of q and k are independent with mean 0 and variance 1.
    """
    return (q / math.sqrt(q.shape[-1])) @ k.mT


SCORES = {"dot": dot, "scaled_dot": scaled_dot}
"""The dot products, without and with the division by sqrt(d_head)."""


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
    """q k^T / (|q| |k|): content-based addressing, from -1 to 1 (Graves et al. 2014, equation
    6).
    """
    return (q / q.norm(dim=-1, keepdim=True)) @ (k / k.norm(dim=-1, keepdim=True)).mT


def location(q: Queries, k: Keys, w: Float[Tensor, "d_head longest"]) -> Scores:
    """q W, the first n_keys columns: the score depends on the position of the key and not on its
    content (Luong et al. 2015, equation 8).
    """
    return (q @ w)[..., : k.shape[-2]]


ALIGNMENTS = SCORES | {
    "general": general,
    "additive": additive,
    "cosine": cosine,
    "location": location,
}
"""Every score function by its name, called as score(q, k, *parameters)."""

PARAMETERS: dict[str, Callable[[int, int], dict[str, tuple[int, ...]]]] = {
    "general": lambda d, longest: {"w": (d, d)},
    "additive": lambda d, longest: {"w_q": (d, d), "w_k": (d, d), "v": (d,)},
    "location": lambda d, longest: {"w": (d, longest)},
}
"""The shapes of a score's parameters by their names, from d_head and the largest number of keys."""


def parameter_shapes(score: str, d_head: int, longest: int) -> dict[str, tuple[int, ...]]:
    """PARAMETERS of a score; a score that learns nothing has none."""
    return PARAMETERS[score](d_head, longest) if score in PARAMETERS else {}


class Score(nn.Module):
    """One of ALIGNMENTS with its parameters, which the heads of a layer share."""

    def __init__(self, config: Config):
        super().__init__()
        shapes = parameter_shapes(config.score, config.d_head, config.max_length)
        self.function, self.learned = ALIGNMENTS[config.score], tuple(shapes)
        for name, shape in shapes.items():
            self.register_parameter(name, nn.Parameter(torch.zeros(shape)))

    def forward(self, q: Queries, k: Keys) -> Scores:
        return self.function(q, k, *(getattr(self, name) for name in self.learned))


def softmax(masked_scores: Scores) -> Scores:
    """exp(s) / sum exp(s) over the keys. A query whose keys are all masked gets the weight 0 for
    every key, and gradient 0; softmax alone would give NaN.
    """
    blind = masked_scores.amax(dim=-1, keepdim=True).isneginf()
    return torch.where(blind, 0.0, torch.where(blind, 0.0, masked_scores).softmax(dim=-1))
