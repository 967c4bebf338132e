"""Embedding: the tokens' vectors, the positions' vectors, and their sum, the first content of the
residual stream.
"""

import math
from collections.abc import Iterator

from torch import Tensor

from model.activations.activation import Activation, input_axis, stream_activation
from model.activations.derivation import SUM, Cell, Step, copy, number, rule, typeset
from model.activations.norms import norm_activations
from model.activations.patch_embedding import patch_activation
from model.activations.positional_encodings import POSITIONS
from model.activations.residual_scale import Sum
from model.activations.tabular_embedding import column_activation
from model.config import Config


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
    """The vectors of a text's tokens."""
    factor, rule = (" sqrt(d_model)", embed) if config.scaled_embedding else ("", copy)
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
    """The vector of the type of a text, the same at every position of it."""
    return stream_activation(
        name,
        axis,
        "W_T[type]",
        "The vector of the text's type: 0, or 1 for the second text of a pair.",
        copy,
        "embedding.token_type[type:position channel]",
    )


TOKENS = {
    "tokens": piece_activation,
    "patches": patch_activation,
    "columns": column_activation,
    "queries": query_activation,
}
"""By the kind of the tokens, the entry of their vectors."""


def embedding_activations(config: Config, stack: str) -> Iterator[Activation]:
    """The activations of a stack before its first block."""
    scope, axis = f"{stack}.embedding", input_axis(config, stack)
    yield TOKENS[config.input_kind_of(stack)](config, f"{scope}.token", axis)
    encoding = POSITIONS[config.positions_of(stack)]
    own = "target" if config.target_embedding and stack == "decoder" else "embedding"
    yield stream_activation(
        f"{scope}.position",
        axis,
        encoding.formula,
        encoding.sentence,
        encoding.rule,
        *(operand.format(own) for operand in encoding.operands),
    )
    both = Sum((f"{scope}.token", f"{scope}.position"))
    formula, more = "token + position", ""
    if config.token_types:
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
    if config.normed_embedding:
        yield from norm_activations(
            config, f"{scope}.norm", axis, Sum((f"{scope}.sum",)), module=f"{own}.norm"
        )
