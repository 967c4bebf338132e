"""Growth of the stream: the bounds on its length by depth and the exponent of its growth under each
placement of the norm (Xiong et al. 2020).
"""

import torch
from jaxtyping import Float
from torch import Tensor

from model.answers.measurements import Finding, pooled
from model.measure.initialised_stacks import slope
from model.measure.norms_laws import EXPONENTS, LEVEL, MEASURED

DEEP = 48
"""The number of sub-layers from which on the exponent of Pre-LN is judged."""
SUBLAYERS = {"encoder": 2, "decoder": 3}
"""The number of sub-layers of a layer: a decoder has cross-attention too."""


def lemma(layers: int, stack: str = "encoder") -> Float[Tensor, "bound layer"]:
    """The bounds on E |x_l|^2 / d of a Pre-LN stack (Xiong et al. 2020, lemma 2). In a layer the
    feed-forward network adds 1/2, and each attention between 0 and 1: nothing where it averages
    away all that it looks at, 1 where all that it looks at is alike.
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
    """The finding of the exponent of the stream's length in the depth, over all seeds together.
    `plain` says why a stream that no norm keeps short has none here, if it has none.
    """
    depth = squares.shape[-1]
    counts = list(range(2, depth + 2))
    law = EXPONENTS.get(placement, MEASURED)
    premise = None if law == LEVEL else plain
    if placement == "pre" and depth < DEEP:
        premise = premise or (
            f"The exponent of Pre-LN is judged from {DEEP} sub-layers on; in {depth} the"
            " exponent still depends on the input."
        )
    if placement == "pre" and stack == "decoder":
        premise = premise or (
            "The exponent of Pre-LN is judged in encoders; a decoder's cross-attention writes less"
            " than its self-attention, so the exponent depends on the input for longer."
        )
    if placement == "none":
        premise = (
            "Without a norm each sub-layer multiplies the length by a factor, so that the length is"
            " no power of the depth."
        )
    return pooled(
        law,
        lambda some: slope(counts, some.mean(0).tolist()) / 2,
        squares,
        premise=premise,
    )
