"""The Jacobian matrix of the softmax: how the weights move with the scores."""

import torch
from jaxtyping import Float
from torch import Tensor


def jacobian(weights: Float[Tensor, "*batch key"]) -> Float[Tensor, "*batch key key"]:
    """d softmax(s) / d s = diag(p) - p p^T, from the weights p alone: 0 if one of them is 1."""
    return torch.diag_embed(weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2)
