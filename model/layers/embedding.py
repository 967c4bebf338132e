"""Tokens and positions become vectors [d_model], which are added. The sum is the input x of the
first block, the first value of the residual stream, to which every sub-layer adds its output.
"""

import math
from collections.abc import Callable
from typing import Any, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from model.config import Config
from model.layers import positional_encodings
from model.layers.norms import NoNorm, make_norm
from model.layers.patch_embedding import make_patches
from model.layers.rotary_positions import Start
from model.layers.tabular_embedding import Rows, make_columns
from model.trace import OFF, Trace

Ids = Int[Tensor, "*batch position"]
ModelInput = Ids | Float[Tensor, "..."] | Rows
"""What a model reads: ids of tokens, numbers such as those of an image, or rows of a table."""


class Embedding(nn.Module):
    """x = token + PE(position) (Vaswani et al. 2017, sections 3.4 and 3.5), normalised if the
    configuration has `normed_embedding`. With `token_types` the vector of the type of the text is
    added as well: of the two texts of a pair, BERT tells the second, behind the `separator`, from
    the first (Devlin et al. 2019, figure 2). The embedding of a target may have positions and a
    norm of its own, and the vectors of its tokens from that of the source, `shared` (BART).
    """

    def __init__(self, config: Config, stack: str, shared: "Embedding | None" = None):
        super().__init__()
        kind, self.scheme, self.d_model = (
            config.input_kind_of(stack),
            config.positions_of(stack),
            config.d_model,
        )
        # In a tuple, what is shared is no part of this module.
        self.shared = (shared,) if shared and kind != "queries" else ()
        # A table of vectors where the input is ids, a module that makes them where it is not.
        if not self.shared:
            self.token: Any = EMBEDDINGS[kind](config)
        self.learned = (
            nn.Parameter(torch.zeros(config.max_length, config.d_model))
            if self.scheme == "learned"
            else None
        )
        self.token_type = (
            nn.Parameter(torch.zeros(config.token_types, config.d_model))
            if config.token_types
            else None
        )
        self.separator = config.separator
        scaled = kind == "tokens" and config.scaled_embedding
        self.factor = math.sqrt(config.d_model) if scaled else 1.0
        self.norm = make_norm(config) if config.normed_embedding else NoNorm()

    def position(self, length: int, start: Start = 0) -> Float[Tensor, "*row position channel"]:
        """The vectors of the positions from `start` on, or from that of each row of a batch."""
        if isinstance(start, tuple):
            return torch.stack([self.position(length, one) for one in start])
        return POSITIONS[self.scheme](self, length, start)

    @property
    def table(self) -> Any:
        """W_E, or the module that makes vectors of what are no ids."""
        return self.shared[0].table if self.shared else self.token

    def vectors(self, given: ModelInput) -> Float[Tensor, "*batch position channel"]:
        """The vectors of ids: W_E[id] sqrt(d_model), the factor only for tokens and only with
        `scaled_embedding`. For patches and columns: the output of their module.
        """
        if isinstance(self.table, nn.Module):
            return self.table(given)
        return self.table[given] * self.factor

    def forward(
        self, given: ModelInput, trace: Trace = OFF, start: Start = 0
    ) -> Float[Tensor, "*batch position channel"]:
        token = trace("token", self.vectors(given))
        position = trace("position", self.position(token.shape[-2], start).to(token))
        x = token + position
        if self.token_type is not None:
            types = text_types(cast(Tensor, given), self.separator)
            x = x + trace("token_type", self.token_type[types])
        return self.norm(trace("sum", x), trace / "norm")


def text_types(ids: Ids, separator: int) -> Ids:
    """Which text of a pair each token is of: 1 behind the first `separator`, else 0."""
    found = (ids == separator).long() * (separator > 0)
    return (found.cumsum(-1) - found).clamp(max=1)


def make_vocabulary(config: Config) -> nn.Parameter:
    """W_E: a vector [d_model] for each token of the vocabulary."""
    return nn.Parameter(torch.zeros(config.vocabulary_size, config.d_model))


def make_queries(config: Config) -> nn.Parameter:
    """A vector [d_model] for each object query."""
    return nn.Parameter(torch.zeros(config.n_queries, config.d_model))


EMBEDDINGS: dict[str, Callable[[Config], nn.Module | nn.Parameter]] = {
    "tokens": make_vocabulary,
    "patches": make_patches,
    "columns": make_columns,
    "queries": make_queries,
}
"""How the vectors of a stack's input are made, by `Config.input_kind_of`. Object queries are
learned vectors, which the decoder of a DETR reads in place of a target.
"""


def fixed_positions(name: str) -> Callable[[Embedding, int, int], Tensor]:
    """A positional encoding without learned parameters, as a function (embedding, length, start) ->
    [position, channel] in float64. `Embedding.forward` rounds it to the type of the tokens.
    """
    return lambda embedding, length, start: positional_encodings.SCHEMES[name].encode(
        length, embedding.d_model, start=start, dtype=torch.float64
    )


def halves(embedding: Embedding, length: int, start: int) -> Float[Tensor, "position channel"]:
    return positional_encodings.sinusoidal_halves(
        length, embedding.d_model, start=start, dtype=torch.float64
    )


POSITIONS = {
    **{name: fixed_positions(name) for name in positional_encodings.SCHEMES},
    "sinusoidal_halves": halves,
    "learned": lambda embedding, length, start: embedding.learned[start : start + length],
}
