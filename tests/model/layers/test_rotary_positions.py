"""The rotary map, by its formula."""

import math

import numpy as np
import pytest
import torch

from model.config import RotarySizes
from model.errors import InvalidInput
from model.layers.rotary_positions import rotary, shifted
from tests.rounding import same


def rotary_by_hand(x: np.ndarray, start: int, base: float) -> np.ndarray:
    """Equation 34 of Su et al., cell by cell."""
    length, d = x.shape
    turned = np.empty_like(x)
    for row in range(length):
        for i in range(d // 2):
            angle = (start + row) * base ** (-2 * i / d)
            a, b = x[row, 2 * i], x[row, 2 * i + 1]
            turned[row, 2 * i] = a * math.cos(angle) - b * math.sin(angle)
            turned[row, 2 * i + 1] = b * math.cos(angle) + a * math.sin(angle)
    return turned


def random_vectors(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@pytest.mark.parametrize(("start", "base"), [(0, 10000.0), (7, 100.0)])
def test_rotary_is_the_papers_equation(start, base):
    x = random_vectors(9, 8)
    sizes = RotarySizes(base=base)
    same(rotary(x, start, sizes).numpy(), rotary_by_hand(x.numpy(), start, base), scale=1)


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-9), (torch.float32, 1e-4)])
def test_turned_queries_and_keys_meet_by_their_offset_alone(dtype, tolerance):
    q, k = random_vectors(2, 16).to(dtype)
    turned_q, turned_k = (rotary(vector.expand(60, 16)) for vector in (q, k))
    scores = turned_q @ turned_k.mT
    assert scores.dtype == dtype
    assert (
        max((scores.diagonal(n) - scores.diagonal(n)[0]).abs().max() for n in range(-59, 60))
        < tolerance
    )
    assert (turned_q.norm(dim=-1) - q.norm()).abs().max() < tolerance


def test_rotary_turns_every_head_of_every_text_alike_and_starts_where_it_is_told():
    x = random_vectors(2, 3, 10, 4)
    whole = rotary(x)
    assert torch.equal(whole[1, 2], rotary(x[1, 2]))
    assert torch.equal(rotary(x[..., 6:, :], start=6), whole[..., 6:, :])
    assert torch.equal(whole[..., 0, :], x[..., 0, :])


def test_turned_keys_stand_where_their_text_begins_later_or_earlier():
    x = random_vectors(2, 6, 8)
    same(shifted(rotary(x), 5), rotary(x, start=5), scale=1)
    same(shifted(rotary(x, start=5), -5), rotary(x), scale=1)
    sizes = RotarySizes(base=100.0)
    same(shifted(rotary(x, 0, sizes), 5, sizes), rotary(x, 5, sizes), scale=1)


def test_rotary_refuses_a_channel_without_a_partner():
    with pytest.raises(
        InvalidInput, match="d_head is 5; it must be even, because channels rotate in"
    ):
        rotary(random_vectors(3, 5))
