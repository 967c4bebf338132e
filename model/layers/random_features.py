"""FAVOR+: attention whose cost is linear in the length (Choromanski et al. 2021).

The kernel exp(x · y) is an expectation over random projections w, and a product of features
phi(x) · phi(y) estimates it. No query is multiplied with a key, but only with sums over all keys.
Queries and keys come divided by d_head^(1/4): x · y is the scaled score.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

Vectors = Float[Tensor, "*sequence position d_head"]
Projections = Float[Tensor, "*draw projection d_head"]
Features = Float[Tensor, "*any position feature"]
Values = Float[Tensor, "position channel"]


def positive(x: Vectors, w: Projections) -> Features:
    """phi(x) = exp(w · x - |x|^2 / 2) / sqrt(m): every estimate is positive, as the kernel is
    (lemma 1).
    """
    return (x @ w.mT - x.square().sum(-1, keepdim=True) / 2).exp() / math.sqrt(w.shape[-2])


def trigonometric(x: Vectors, w: Projections) -> Features:
    """phi(x) = exp(|x|^2 / 2) [sin w · x, cos w · x] / sqrt(m): two features a projection, and
    estimates below zero (section 2.3).
    """
    angles = x @ w.mT
    return (
        torch.cat([angles.sin(), angles.cos()], -1)
        * (x.square().sum(-1, keepdim=True) / 2).exp()
        / math.sqrt(w.shape[-2])
    )


FEATURES = {"positive": positive, "trigonometric": trigonometric}


def independent(
    count: int, m: int, d_head: int, draws: torch.Generator
) -> Float[Tensor, "count m d_head"]:
    """`count` sets of m projections, each w ~ N(0, I)."""
    return torch.randn(count, m, d_head, generator=draws, dtype=torch.float64)


def orthogonal(
    count: int, m: int, d_head: int, draws: torch.Generator
) -> Float[Tensor, "count m d_head"]:
    """`count` sets of m projections at right angles within each block of d_head; every w alone is
    N(0, I) (section 2.4).
    """
    blocks = math.ceil(m / d_head)
    q, r = torch.linalg.qr(independent(count * blocks, d_head, d_head, draws))
    uniform = (
        q * r.diagonal(dim1=-2, dim2=-1).sign()[:, None]
    )  # without the signs, some directions come more often (Mezzadri 2007)
    directions = uniform.reshape(count, -1, d_head)[:, :m]
    return directions * independent(count, m, d_head, draws).norm(dim=-1, keepdim=True)


DRAWS = {"orthogonal": orthogonal, "independent": independent}


def quadratic_attention(q: Features, k: Features, v: Values, causal: bool = False) -> Values:
    """A v with A = D^-1 q k^T, D the row sums: the same numbers, by way of the map."""
    return estimated_map(q, k, causal) @ v


def estimated_map(
    q: Features, k: Features, causal: bool = False
) -> Float[Tensor, "*draw query key"]:
    kernel = q @ k.mT
    kernel = kernel.tril() if causal else kernel
    return kernel / kernel.sum(-1, keepdim=True)


def linear_attention(q: Features, k: Features, v: Values) -> Values:
    """q (k^T v) / q (k^T 1): the sum over the keys is made once, for all queries (equation 4)."""
    return (q @ (k.mT @ v)) / (q @ k.sum(-2))[..., None]


def causal_linear_attention(q: Features, k: Features, v: Values) -> Values:
    """Linear attention of each query to the keys up to its own position: prefix sums in place of a
    mask (section 2.1 and appendix B.1).
    """
    up_to = torch.einsum("pf,pc->pfc", k, v).cumsum(0)
    return torch.einsum("pf,pfc->pc", q, up_to) / (q * k.cumsum(0)).sum(-1, keepdim=True)
