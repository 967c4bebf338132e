"""A linear map with a bias: y = x W + b."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Linear(nn.Module):
    """`weight` is [input, output], so that the code reads like the paper; torch.nn.Linear keeps the transpose."""

    def __init__(self, n_inputs: int, n_outputs: int):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(n_inputs, n_outputs))
        self.bias = nn.Parameter(torch.zeros(n_outputs))

    def forward(self, x: Float[Tensor, "*batch n_inputs"]) -> Float[Tensor, "*batch n_outputs"]:
        return x @ self.weight + self.bias
