"""Scores: how well a query and a key fit, and the softmax that turns a row of them into weights."""

import math

from jaxtyping import Float
from torch import Tensor

Queries = Float[Tensor, "*batch query d_head"]
Keys = Float[Tensor, "*batch key d_head"]
Scores = Float[Tensor, "*batch query key"]


def dot(q: Queries, k: Keys) -> Scores:
    """q k^T (Luong et al. 2015)."""
    return q @ k.mT


def scaled_dot(q: Queries, k: Keys) -> Scores:
    """q k^T / sqrt(d_head): keeps the variance of a score near 1 (Vaswani et al. 2017, equation 1)."""
    return q @ k.mT / math.sqrt(q.shape[-1])


SCORES = {"dot": dot, "scaled_dot": scaled_dot}


def softmax(masked_scores: Scores) -> Scores:
    """exp(s) / sum exp(s) over the keys. A query that may look nowhere gets zeros: no NaN, nothing uniform, and no gradient."""
    blind = masked_scores.isneginf().all(dim=-1, keepdim=True)
    return masked_scores.masked_fill(blind, 0.0).softmax(dim=-1).masked_fill(blind, 0.0)
