"""Ties: the order of tokens that could otherwise depend on rounding.

Processors round in different orders, and so does a batch of several texts. Scores that are this
close are tied, and the lowest tied id comes first. Any such rule has an edge, but models often give
two tokens the same score, and hardly ever scores exactly as far apart as the edge.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

UNITS = 16
"""The number of rounding units of the largest logit within which logits are tied. With another
processor's kernels, logits of the included models differed by up to five units.
"""


def width(logits: Float[Tensor, "*row token"]) -> Float[Tensor, "*row 1"]:
    """The distance below the largest logit of its row within which a logit is tied with it, in
    nats.
    """
    sizes = logits.abs().masked_fill(logits.isinf(), 0)
    return UNITS * torch.finfo(logits.dtype).eps * sizes.amax(-1, keepdim=True)


def best(logits: Float[Tensor, "*row token"]) -> Int[Tensor, "*row"]:
    """The lowest id whose logit is tied with the largest of its row."""
    return best_within(logits, width(logits))


def best_within(
    scores: Float[Tensor, "*row token"], within: Float[Tensor, "*row 1"]
) -> Int[Tensor, "*row"]:
    """The lowest id whose score is at most `within` below the largest of its row."""
    return (scores >= scores.amax(-1, keepdim=True) - within).int().argmax(-1)


def first(
    scores: Float[Tensor, "*row token"], within: Float[Tensor, "*row 1"], most: int
) -> Int[Tensor, "*row rank"]:
    """The first `most` ids of each row: the best, then the best of the others, and so on. Ids with
    a score of -inf come last.
    """
    left, ids = scores.clamp(min=torch.finfo(scores.dtype).min), []
    for _ in range(min(most, scores.shape[-1])):
        ids.append(best_within(left, within))
        left.scatter_(-1, ids[-1][..., None], -torch.inf)
    return torch.stack(ids, -1)
