"""Side by side, each product has the numbers that it has alone, however few rows it has."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import silu

from model.runs.side_by_side import plain, side_by_side

GENERATOR = torch.Generator().manual_seed(1)
TOKENS = torch.randn(5960, 192, generator=GENERATOR)
MATRIX = torch.randn(192, 768, generator=GENERATOR)
RELATIVE = torch.randn(8, 8, 32, generator=GENERATOR)


def heads(x: Tensor) -> Tensor:
    return x.unflatten(-1, (6, 32)).transpose(-2, -3)


COMPUTATIONS = {
    "a linear map": lambda x: x @ MATRIX,
    "tied unembedding": lambda x: x @ TOKENS.mT,
    "scores": lambda x: heads(x) @ heads(x).mT,
    "z": lambda x: (heads(x) @ heads(x).mT).softmax(-1) @ heads(x),
    "relative positions": lambda x: torch.einsum(
        "...qd,qkd->...qk", heads(x), RELATIVE[: x.shape[-2]]
    ),
    "a function of few numbers": lambda x: silu(x[..., :7].contiguous()),
}


@pytest.mark.parametrize("make", COMPUTATIONS.values(), ids=COMPUTATIONS)
@pytest.mark.parametrize("copies", [(1,) * 9, (3, 1, 5)])
def test_every_row_is_that_of_the_computation_alone(make, copies):
    for rows in (1, 2, 4, 8):
        x = torch.randn(sum(copies), rows, 192, generator=GENERATOR)
        together = plain(make(side_by_side(x, copies))).split(copies)
        for outputs, inputs in zip(together, x.split(copies), strict=True):
            # A run has no axis in front; copies of one have.
            separate = make(inputs[0].clone())[None] if len(inputs) == 1 else make(inputs.clone())
            assert torch.equal(outputs, separate)
