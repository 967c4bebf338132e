"""Growth of the stream: the bounds on its norm by depth and the exponent of its growth under each
norm placement (Xiong et al. 2020).
"""

import torch
from jaxtyping import Float
from torch import Tensor

from model.answers.measurements import Finding, pooled
from model.measure.initialised_stacks import slope
from model.measure.norms_laws import EXPONENTS, LEVEL, MEASURED

DEEP = 48
"""The number of sub-layers from which the exponent of Pre-LN is evaluated."""
SUBLAYERS = {"encoder": 2, "decoder": 3}
"""The number of sub-layers per layer: a decoder also has cross-attention."""


def lemma(layers: int, stack: str = "encoder") -> Float[Tensor, "bound layer"]:
    """The bounds on E |x_l|^2 / d of a Pre-LN stack (Xiong et al. 2020, lemma 2). In each layer,
    the feed-forward network adds 1/2, and each attention layer between 0 and 1: 0 if the values
    cancel on average, 1 if they are all equal.
    """
    l = torch.arange(1, layers + 1)  # noqa: E741
    attentions = SUBLAYERS[stack] - 1
    return torch.stack([1 + l / 2, 1 + (1 + 2 * attentions) * l / 2])


def outside(whole: Float[Tensor, "seed layer"], stack: str = "encoder") -> float:
    """The largest of lower / E and E / upper over the layers. A value above 1 violates a bound."""
    low, high = lemma(whole.shape[1], stack)
    mean = whole.mean(0)
    return torch.maximum(low / mean, mean / high).max().item()


def from_root(whole: Float[Tensor, "seed sublayer"]) -> float:
    return ((whole.mean(0) / torch.arange(2, whole.shape[1] + 2)).sqrt() - 1).abs().max().item()


def exponent(
    placement: str, stack: str, squares: Float[Tensor, "seed sublayer"], plain: str | None
) -> Finding:
    """The finding about the exponent of the stream's norm as a function of depth, from all seeds
    together. `plain` is the reason why a stream without a norm has no prediction here, if it has
    none.
    """
    depth = squares.shape[-1]
    counts = list(range(2, depth + 2))
    law = EXPONENTS.get(placement, MEASURED)
    premise = None if law == LEVEL else plain
    if placement == "pre" and depth < DEEP:
        premise = premise or (
            f"Pre-LN’s exponent is checked from {DEEP} sub-layers up; with {depth} it still"
            " depends on the input."
        )
    if placement == "pre" and stack == "decoder":
        premise = premise or (
            "Pre-LN’s exponent is checked only in encoders; a decoder’s"
            " cross-attention adds less, so the exponent depends on the input"
            " longer."
        )
    if placement == "none":
        premise = (
            "Without a norm, each sub-layer multiplies the length, so it is not a power of depth."
        )
    return pooled(
        law,
        lambda some: slope(counts, some.mean(0).tolist()) / 2,
        squares,
        premise=premise,
    )
