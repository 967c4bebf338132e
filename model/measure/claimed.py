"""Helpers for measurements of claims: random tokens and small configurations."""

from typing import Any

import torch
from torch import Tensor

from model.config import Config
from model.measure.initialised_stacks import HEADS, generator

D, POSITIONS, SEEDS = 64, 8, 4
EXACT = 1e-12  # tolerance of an identity in float64


def tokens(seed: int, *shape: int) -> Tensor:
    """Standard normal numbers in float64."""
    return torch.randn(shape, generator=generator(seed, 0), dtype=torch.float64)


def config(**choices: Any) -> Config:
    """One encoder layer of width D."""
    choices.setdefault("n_heads", HEADS)
    return Config(
        family="encoder-only",
        vocabulary_size=1,
        d_model=D,
        d_ff=4 * D,
        n_encoder_layers=1,
        **choices,
    )
