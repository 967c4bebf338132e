"""Tokens and positions become vectors, which are added: the first content of the residual
stream.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from model.config import Config
from model.layers import positional_encodings
from model.layers.norms import NoNorm, make_norm
from model.layers.patch_embedding import Images, make_patches
from model.layers.tabular_embedding import Rows, make_columns
from model.trace import OFF, Trace

Ids = Int[Tensor, "*batch position"]
Given = Ids | Images | Rows
"""What a model reads."""


class Embedding(nn.Module):
    """x = token + PE(position) (Vaswani et al. 2017, sections 3.4 and 3.5); TOKENS says what a
    token is made of.
    """

    def __init__(self, config: Config, stack: str):
        super().__init__()
        self.reads, self.scheme, self.d_model = (
            config.reads(stack),
            config.told(stack),
            config.d_model,
        )
        # A table or a map: the entry of TOKENS that made it is also the one that reads it.
        self.token: Any = TOKENS[self.reads].make(config)
        self.learned = (
            nn.Parameter(torch.zeros(config.max_length, config.d_model))
            if self.scheme == "learned"
            else None
        )
        self.factor = math.sqrt(config.d_model) if config.scaled_embedding else 1.0
        self.norm = make_norm(config) if config.normed_embedding else NoNorm()

    def position(self, length: int, start: int = 0) -> Float[Tensor, "position channel"]:
        return POSITIONS[self.scheme](self, length, start)

    def forward(
        self, given: Given, trace: Trace = OFF, start: int = 0
    ) -> Float[Tensor, "*batch position channel"]:
        token = trace("token", TOKENS[self.reads].read(self, given))
        position = trace("position", self.position(token.shape[-2], start).to(token.dtype))
        return self.norm(trace("sum", token + position), trace / "norm")


@dataclass(frozen=True)
class Made:
    """What the tokens of one kind of input have learned, and how they are made with it."""

    make: Callable[[Config], nn.Module | nn.Parameter]
    read: Callable[[Embedding, Given], Tensor]


TOKENS = {
    "tokens": Made(
        make=lambda config: nn.Parameter(torch.zeros(config.vocabulary_size, config.d_model)),
        read=lambda embedding, ids: (
            embedding.token[ids] * embedding.factor
        ),  # W_E[id] sqrt(d_model)
    ),
    "patches": Made(make=make_patches, read=lambda embedding, images: embedding.token(images)),
    "columns": Made(make=make_columns, read=lambda embedding, rows: embedding.token(rows)),
    "queries": Made(
        make=lambda config: nn.Parameter(torch.zeros(config.n_queries, config.d_model)),
        read=lambda embedding, ids: embedding.token[ids],
    ),
}


def of_scheme(name: str) -> Callable[[Embedding, int, int], Tensor]:
    """A table that nothing has to be learned for; in float64, rounded where it is added."""
    return lambda embedding, length, start: positional_encodings.SCHEMES[name].encode(
        length, embedding.d_model, start=start, dtype=torch.float64
    )


POSITIONS = {
    **{name: of_scheme(name) for name in positional_encodings.SCHEMES},
    "learned": lambda embedding, length, start: embedding.learned[start : start + length],
}
