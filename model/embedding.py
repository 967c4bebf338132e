"""Tokens and positions become vectors, which are added: the first content of the residual stream."""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from model import positions
from model.config import Config
from model.norms import make_norm
from model.trace import OFF, Trace


class Embedding(nn.Module):
    """x = W_E[id] sqrt(d_model) + PE(position) (Vaswani et al. 2017, sections 3.4 and 3.5)."""

    def __init__(self, config: Config):
        super().__init__()
        self.token = nn.Parameter(torch.zeros(config.vocabulary_size, config.d_model))
        self.learned = nn.Parameter(torch.zeros(config.max_length, config.d_model)) if config.positions == "learned" else None
        self.scheme, self.d_model = config.positions, config.d_model
        self.factor = math.sqrt(config.d_model) if config.scaled_embedding else 1.0
        self.norm = make_norm(config) if config.normed_embedding else unnormed

    def position(self, length: int, start: int = 0) -> Float[Tensor, "position channel"]:
        return POSITIONS[self.scheme](self, length, start)

    def forward(self, ids: Int[Tensor, "*batch position"], trace: Trace = OFF, start: int = 0) -> Float[Tensor, "*batch position channel"]:
        token = trace("token", self.token[ids] * self.factor)
        position = trace("position", self.position(ids.shape[-1], start).to(token.dtype))
        return self.norm(trace("sum", token + position), trace / "norm")


def unnormed(x: Tensor, trace: Trace) -> Tensor:
    return x


def of_scheme(name: str) -> Callable[[Embedding, int, int], Tensor]:
    """A table that nothing has to be learned for; in float64, rounded where it is added."""
    return lambda embedding, length, start: positions.SCHEMES[name].encode(length, embedding.d_model, start=start, dtype=torch.float64)


POSITIONS = {
    **{name: of_scheme(name) for name in ("none", "integer", "normalised", "sigmoid", "sine", "sinusoidal")},
    "learned": lambda embedding, length, start: embedding.learned[start : start + length],
}
