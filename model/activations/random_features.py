"""Random features of FAVOR+: formula and derivation of each feature map, and of the kernel that two
features estimate.
"""

import math
from dataclasses import dataclass

from torch import Tensor

from model.activations.derivation import Cell, Rule, Step, rule, sum_of_products


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
    """exp(|x|^2 / 2) sin(w x) / sqrt(m) for each of m projections w, and then the cosines
    (Choromanski et al. 2021, section 2.3).
    """
    x, m, own = x / cell.config.d_head**0.25, len(projections), cell.at["feature"]
    angle, factor = projections[own % m] @ x, (x @ x / 2).exp() / math.sqrt(m)
    wave = ("sin", angle.sin()) if own < m else ("cos", angle.cos())
    steps = [Step("angle", "w x", angle), Step("factor", "exp(|x|^2 / 2) / sqrt(m)", factor)]
    return [*steps, Step("value", f"factor {wave[0]}(angle)", factor * wave[1])]


@rule
def kernel(cell: Cell, q: Tensor, k: Tensor, mask: Tensor) -> list[Step]:
    """phi(q) phi(k)^T, or 0 where the mask is -inf."""
    steps = sum_of_products(q, k)
    return [*steps, Step("value", "sum where the mask allows", steps[-1].value * mask.exp())]


@rule
def share(cell: Cell, row: Tensor) -> list[Step]:
    """The kernel of a query and a key, divided by the sum of the query's kernels."""
    own, whole = row[cell.at["key"]], row.sum()
    return [
        Step("own", "this cell's kernel", own),
        Step("sum", "sum of the row", whole),
        Step("value", "own / sum", own / whole),
    ]


@dataclass(frozen=True)
class FeatureMap:
    """The description of one feature map: its formula, in which {} is the vector, and its rule."""

    formula: str
    rule: Rule


FEATURES = {
    "positive": FeatureMap(
        "exp(w x - |x|^2 / 2) / sqrt(m), x = {} / d_head^(1/4)", positive_feature
    ),
    "trigonometric": FeatureMap(
        "exp(|x|^2 / 2) [sin w x, cos w x] / sqrt(m), x = {} / d_head^(1/4)", trigonometric_feature
    ),
}
