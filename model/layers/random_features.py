"""FAVOR+: attention with a cost linear in the length (Choromanski et al. 2021).

The kernel exp(x · y) is an expectation over random projections w, and a product of features phi(x)
· phi(y) estimates it. Each query is multiplied only by sums over all keys, not by every key.
Queries and keys are already divided by d_head^(1/4): x · y is the scaled score.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model.activations.derivation import Cell, Rule, Step, rule, sum_of_products

Vectors = Float[Tensor, "*sequence position d_head"]
Projections = Float[Tensor, "*draw projection d_head"]
Features = Float[Tensor, "*any position feature"]
Values = Float[Tensor, "position channel"]


def positive(x: Vectors, w: Projections) -> Features:
    """phi(x) = exp(w · x - |x|^2 / 2) / sqrt(m): every estimate is positive, like the kernel (lemma
    1).
    """
    return (x @ w.mT - x.square().sum(-1, keepdim=True) / 2).exp() / math.sqrt(w.shape[-2])


def trigonometric(x: Vectors, w: Projections) -> Features:
    """phi(x) = exp(|x|^2 / 2) [sin w · x, cos w · x] / sqrt(m): two features per projection;
    estimates can be negative (section 2.3).
    """
    angles = x @ w.mT
    return (
        torch.cat([angles.sin(), angles.cos()], -1)
        * (x.square().sum(-1, keepdim=True) / 2).exp()
        / math.sqrt(w.shape[-2])
    )


def independent(
    count: int, m: int, d_head: int, draws: torch.Generator
) -> Float[Tensor, "count m d_head"]:
    """`count` samples of m projections, each w ~ N(0, I)."""
    return torch.randn(count, m, d_head, generator=draws, dtype=torch.float64)


def orthogonal(
    count: int, m: int, d_head: int, draws: torch.Generator
) -> Float[Tensor, "count m d_head"]:
    """`count` samples of m projections, orthogonal within each block of d_head; each w on its own
    is N(0, I) (section 2.4).
    """
    blocks = math.ceil(m / d_head)
    q, r = torch.linalg.qr(independent(count * blocks, d_head, d_head, draws))
    uniform = (
        q * r.diagonal(dim1=-2, dim2=-1).sign()[:, None]
    )  # without the signs, the directions are not uniform (Mezzadri 2007)
    directions = uniform.reshape(count, -1, d_head)[:, :m]
    return directions * independent(count, m, d_head, draws).norm(dim=-1, keepdim=True)


PROJECTIONS = {"orthogonal": orthogonal, "independent": independent}


def quadratic_attention(q: Features, k: Features, v: Values, causal: bool = False) -> Values:
    """A v with A = D^-1 q k^T, where D holds the row sums: the same output, computed through the
    attention map.
    """
    return estimated_map(q, k, causal) @ v


def estimated_map(
    q: Features, k: Features, causal: bool = False
) -> Float[Tensor, "*draw query key"]:
    kernel = q @ k.mT
    kernel = kernel.tril() if causal else kernel
    return kernel / kernel.sum(-1, keepdim=True)


def linear_attention(q: Features, k: Features, v: Values) -> Values:
    """q (k^T v) / q (k^T 1): the sum over the keys is shared by all queries (equation 4)."""
    return (q @ (k.mT @ v)) / (q @ k.sum(-2))[..., None]


def causal_linear_attention(q: Features, k: Features, v: Values) -> Values:
    """Linear attention of each query to the keys up to its own position, with prefix sums instead
    of a mask (section 2.1 and appendix B.1).
    """
    up_to = torch.einsum("pf,pc->pfc", k, v).cumsum(0)
    return torch.einsum("pf,pfc->pc", q, up_to) / (q * k.cumsum(0)).sum(-1, keepdim=True)


@rule
def positive_feature(cell: Cell, x: Tensor, projections: Tensor) -> list[Step]:
    """exp(w x - |x|^2 / 2) / sqrt(m), with one of m projections w (Choromanski et al. 2021,
    lemma 1).
    """
    x, w, m = x / cell.config.d_head**0.25, projections[cell.at["feature"]], len(projections)
    exponent = w @ x - x @ x / 2
    return [
        Step("exponent", "w x - |x|^2 / 2", exponent),
        Step("value", "exp(exponent) / sqrt(m)", exponent.exp() / math.sqrt(m)),
    ]


@rule
def trigonometric_feature(cell: Cell, x: Tensor, projections: Tensor) -> list[Step]:
    """exp(|x|^2 / 2) sin(w x) / sqrt(m) for each of m projections w, followed by the cosines
    (Choromanski et al. 2021, section 2.3).
    """
    x, m, feature = x / cell.config.d_head**0.25, len(projections), cell.at["feature"]
    angle, factor = projections[feature % m] @ x, (x @ x / 2).exp() / math.sqrt(m)
    wave = ("sin", angle.sin()) if feature < m else ("cos", angle.cos())
    steps = [Step("angle", "w x", angle), Step("factor", "exp(|x|^2 / 2) / sqrt(m)", factor)]
    return [*steps, Step("value", f"factor {wave[0]}(angle)", factor * wave[1])]


@rule
def kernel(cell: Cell, q: Tensor, k: Tensor, mask: Tensor) -> list[Step]:
    """phi(q) phi(k)^T, or 0 where the mask is -inf."""
    steps = sum_of_products(q, k)
    return [*steps, Step("value", "sum where the mask allows", steps[-1].value * mask.exp())]


@rule
def share(cell: Cell, row: Tensor) -> list[Step]:
    """The kernel of a query and a key, divided by the sum over all keys."""
    kernel, whole = row[cell.at["key"]], row.sum()
    return [
        Step("own", "this cell's kernel", kernel),
        Step("sum", "sum of the row", whole),
        Step("value", "own / sum", kernel / whole),
    ]


@dataclass(frozen=True)
class FeatureMap:
    """A feature map phi(x) of the projections w, its formula with {} for x, and its rule."""

    function: Callable[[Vectors, Projections], Features]
    formula: str
    rule: Rule

    def __call__(self, x: Vectors, w: Projections) -> Features:
        return self.function(x, w)


FEATURES = {
    "positive": FeatureMap(
        positive, "exp(w x - |x|^2 / 2) / sqrt(m), x = {} / d_head^(1/4)", positive_feature
    ),
    "trigonometric": FeatureMap(
        trigonometric,
        "exp(|x|^2 / 2) [sin w x, cos w x] / sqrt(m), x = {} / d_head^(1/4)",
        trigonometric_feature,
    ),
}
