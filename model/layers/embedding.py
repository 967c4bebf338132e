"""Token and position vectors [d_model], which are added. The sum is the input x of the first block
and the first value of the residual stream, to which every sub-layer adds its output.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from model.activations.activation import Activation, input_axis, stream_activation
from model.activations.derivation import SUM, Cell, Step, copy, number, rule, typeset
from model.activations.residual_scale import Sum
from model.config import Config
from model.layers.norms import NoNorm, make_norm, norm_activations
from model.layers.patch_embedding import make_patches, patch_activation
from model.layers.positional_encodings import POSITIONS
from model.layers.rotary_positions import Start
from model.layers.tabular_embedding import Rows, column_activation, make_columns
from model.trace import OFF, Trace

Ids = Int[Tensor, "*batch position"]
ModelInput = Ids | Float[Tensor, "..."] | Rows
"""The input of a model: token ids, numbers such as the pixels of an image, or table rows."""


class Embedding(nn.Module):
    """x = token + PE(position) (Vaswani et al. 2017, sections 3.4 and 3.5), normalized if the
    configuration has `normed_embedding`. With `token_types`, a vector for the segment is added too:
    in a sentence pair, BERT separates the segments at the id `separator` (Devlin et al. 2019,
    figure 2). The embedding of a target may have its own positions and norm; it uses the token
    vectors of the source embedding `shared` (BART).
    """

    def __init__(self, config: Config, stack: str, shared: "Embedding | None" = None):
        super().__init__()
        kind, self.scheme, self.d_model = (
            config.input_kind_of(stack),
            config.positions_of(stack),
            config.d_model,
        )
        # The tuple keeps the shared module from being registered as a submodule.
        self.shared = (shared,) if shared and kind != "queries" else ()
        # A weight matrix for ids, otherwise a module that computes the vectors.
        if not self.shared:
            self.token: Any = VECTORS[kind].make(config)
        self.learned = (
            nn.Parameter(torch.zeros(config.max_length, config.d_model))
            if self.scheme == "learned"
            else None
        )
        self.token_type = (
            nn.Parameter(torch.zeros(config.embedding.token_types, config.d_model))
            if config.embedding.token_types
            else None
        )
        self.separator = config.embedding.separator
        scaled = kind == "tokens" and config.embedding.scaled
        self.factor = math.sqrt(config.d_model) if scaled else 1.0
        self.norm = make_norm(config) if config.embedding.normed else NoNorm()

    def position(self, length: int, start: Start = 0) -> Float[Tensor, "*row position channel"]:
        """The position vectors from `start` on; `start` may differ by row of a batch."""
        if isinstance(start, tuple):
            return torch.stack([self.position(length, first) for first in start])
        return POSITIONS[self.scheme].vectors(self, length, start)

    @property
    def table(self) -> Any:
        """W_E, or the module that embeds inputs other than ids."""
        return self.shared[0].table if self.shared else self.token

    def vectors(self, inputs: ModelInput) -> Float[Tensor, "*batch position channel"]:
        """The vectors of ids: W_E[id] sqrt(d_model), with the factor only for tokens and only with
        `scaled_embedding`. For patches and columns, the output of their module.
        """
        if isinstance(self.table, nn.Module):
            return self.table(inputs)
        return self.table[inputs] * self.factor

    def forward(
        self, inputs: ModelInput, trace: Trace = OFF, start: Start = 0
    ) -> Float[Tensor, "*batch position channel"]:
        token = trace("token", self.vectors(inputs))
        position = trace("position", self.position(token.shape[-2], start).to(token))
        x = token + position
        if self.token_type is not None:
            types = text_types(cast(Tensor, inputs), self.separator)
            x = x + trace("token_type", self.token_type[types])
        return self.norm(trace("sum", x), trace / "norm")


def text_types(ids: Ids, separator: int) -> Ids:
    """The segment of each token in a sentence pair: 1 after the first `separator`, otherwise 0."""
    found = (ids == separator).long() * (separator > 0)
    return (found.cumsum(-1) - found).clamp(max=1)


def make_vocabulary(config: Config) -> nn.Parameter:
    """W_E: a vector [d_model] for each token of the vocabulary."""
    return nn.Parameter(torch.zeros(config.vocabulary_size, config.d_model))


def make_queries(config: Config) -> nn.Parameter:
    """A vector [d_model] for each object query."""
    return nn.Parameter(torch.zeros(config.n_queries, config.d_model))


@typeset("{0} × {factor} = {value}")
@rule
def embed(cell: Cell, weight: Tensor) -> list[Step]:
    """W_E[id] sqrt(d_model)."""
    factor = number(math.sqrt(cell.config.d_model))
    return [
        Step("factor", "sqrt(d_model)", factor),
        Step("value", "weight * factor", weight * factor),
    ]


def piece_activation(config: Config, name: str, axis: str) -> Activation:
    """The token vectors of a sequence."""
    factor, rule = (" sqrt(d_model)", embed) if config.embedding.scaled else ("", copy)
    return stream_activation(
        name,
        axis,
        f"W_E[id]{factor}",
        "The token's vector.",
        rule,
        "embedding.token[id:position channel]",
    )


def query_activation(config: Config, name: str, axis: str) -> Activation:
    """The vectors of object queries."""
    return stream_activation(
        name,
        axis,
        "W_Q[id]",
        "The object query's learned vector.",
        copy,
        "queries.token[id:position channel]",
    )


def token_type_activation(name: str, axis: str) -> Activation:
    """The segment vector, the same at every position of a segment."""
    return stream_activation(
        name,
        axis,
        "W_T[type]",
        "The vector of the text's type: 0, or 1 for the second text of a pair.",
        copy,
        "embedding.token_type[type:position channel]",
    )


@dataclass(frozen=True)
class Vectors:
    """How a stack's inputs are embedded, and the activation, from (config, name, axis)."""

    make: Callable[[Config], nn.Module | nn.Parameter]
    activation: Callable[[Config, str, str], Activation]


VECTORS = {
    "tokens": Vectors(make_vocabulary, piece_activation),
    "patches": Vectors(make_patches, patch_activation),
    "columns": Vectors(make_columns, column_activation),
    "queries": Vectors(make_queries, query_activation),
}
"""Keyed by `Config.input_kind_of`. Object queries are learned vectors, which the decoder of a DETR
reads instead of a target.
"""


def embedding_activations(config: Config, stack: str) -> Iterator[Activation]:
    """The activations of a stack before its first block."""
    scope, axis = f"{stack}.embedding", input_axis(config, stack)
    yield VECTORS[config.input_kind_of(stack)].activation(config, f"{scope}.token", axis)
    encoding = POSITIONS[config.positions_of(stack)]
    table = "target" if config.embedding.own_target and stack == "decoder" else "embedding"
    yield stream_activation(
        f"{scope}.position",
        axis,
        encoding.formula,
        encoding.sentence,
        encoding.rule,
        *(operand.format(table) for operand in encoding.operands),
    )
    both = Sum((f"{scope}.token", f"{scope}.position"))
    formula, more = "token + position", ""
    if config.embedding.token_types:
        yield token_type_activation(f"{scope}.token_type", axis)
        both, formula = Sum((*both.streams, f"{scope}.token_type")), f"{formula} + token_type"
        more = ", with the type of the text"
    yield stream_activation(
        f"{scope}.sum",
        axis,
        formula,
        f"Token and position, added{more}: the stream before the first block.",
        SUM,
        *both.operands("channel"),
    )
    if config.embedding.normed:
        yield from norm_activations(
            config, f"{scope}.norm", axis, Sum((f"{scope}.sum",)), module=f"{table}.norm"
        )
