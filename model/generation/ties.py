"""Ties: which of several tokens comes first when rounding alone could order them.

Processors round in different orders, and so does a pass that reads several texts together. Scores
that are as near to each other as that are tied, and the lowest id of the tied ones comes first. No
rule can do without an edge, but a model that gives two tokens one score is common, and one whose
scores are as far apart as the edge of a tie is not.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

UNITS = 16
"""Units of rounding of the largest logit within which logits are tied. With the kernels of another
processor, a logit of the shipped models was up to five units elsewhere.
"""


def width(logits: Float[Tensor, "*row token"]) -> Float[Tensor, "*row 1"]:
    """How far below the largest logit of its row a logit is still tied with it, in nats."""
    sizes = logits.abs().masked_fill(logits.isinf(), 0)
    return UNITS * torch.finfo(logits.dtype).eps * sizes.amax(-1, keepdim=True)


def best(logits: Float[Tensor, "*row token"]) -> Int[Tensor, "*row"]:
    """The lowest of the ids whose logits are tied with the largest of their row."""
    return best_within(logits, width(logits))


def best_within(
    scores: Float[Tensor, "*row token"], within: Float[Tensor, "*row 1"]
) -> Int[Tensor, "*row"]:
    """The lowest of the ids whose scores are at most `within` below the largest of their row."""
    return (scores >= scores.amax(-1, keepdim=True) - within).int().argmax(-1)


def first(
    scores: Float[Tensor, "*row token"], within: Float[Tensor, "*row 1"], most: int
) -> Int[Tensor, "*row rank"]:
    """The first `most` ids of each row: the best, then the best of the others, and so on. Those
    whose scores are -inf come last.
    """
    left, ids = scores.clamp(min=torch.finfo(scores.dtype).min), []
    for _ in range(min(most, scores.shape[-1])):
        ids.append(best_within(left, within))
        left.scatter_(-1, ids[-1][..., None], -torch.inf)
    return torch.stack(ids, -1)
