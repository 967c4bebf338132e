"""Linear maps: y = x W + b, and y = x W for models without biases."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.config import Config


class Product(nn.Module):
    """y = x W. `weight` is [input, output], so that the code reads like the paper; torch.nn.Linear
    stores the transpose.
    """

    def __init__(self, n_inputs: int, n_outputs: int):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(n_inputs, n_outputs))

    def forward(self, x: Float[Tensor, "*batch n_inputs"]) -> Float[Tensor, "*batch n_outputs"]:
        return x @ self.weight


class Linear(Product):
    """y = x W + b."""

    def __init__(self, n_inputs: int, n_outputs: int):
        super().__init__(n_inputs, n_outputs)
        self.bias = nn.Parameter(torch.zeros(n_outputs))

    def forward(self, x: Float[Tensor, "*batch n_inputs"]) -> Float[Tensor, "*batch n_outputs"]:
        return x @ self.weight + self.bias


def make_linear(config: Config, n_inputs: int, n_outputs: int, part: str = "") -> Product:
    """A linear map of `part`, one of `config.PARTS`; an empty name stands for any other part."""
    return (Linear if config.has_biases(part) else Product)(n_inputs, n_outputs)
