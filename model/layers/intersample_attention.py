"""Attention between the rows of a table. A row is one vector, the concatenation of its tokens
(SAINT: Somepalli et al. 2021, section 3.1).
"""

from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor

from model.activations.activation import (
    Activation,
    SpecialCells,
    linear_operands,
    plus_bias,
    stream_activation,
)
from model.activations.derivation import copy, product
from model.activations.site import Site
from model.config import Config
from model.layers.attention import (
    AttentionSite,
    MultiHeadAttention,
    concat_heads,
    softmax_activations,
    sum_all,
)
from model.layers.context import Context
from model.layers.kv_cache import no_cache
from model.layers.linear import make_linear
from model.layers.relative_positions import RELATIVE_POSITIONS
from model.trace import OFF, Trace

Table = Float[Tensor, "*batch row position channel"]


class RowAttention(MultiHeadAttention):
    """Intersample attention: softmax(q k^T / sqrt(d_head)) v over rows. The linear maps take and
    return whole rows.

    d_head is the same as in attention between columns, so W_Q, W_K, W_V are [positions d_model, h
    d_head] and W_O is [h d_head, positions d_model].
    """

    def __init__(self, config: Config):
        super().__init__(config)
        width = config.max_length * config.d_model
        self.query, self.key, self.value = (
            make_linear(config, width, config.d_q) for _ in range(3)
        )
        self.output = make_linear(config, config.d_q, width)
        self.columns, self.group_size = config.max_length, 1

    def forward(self, x: Table, context: Context | None = None, trace: Trace = OFF) -> Table:
        """Every row attends to every row."""
        rows = trace("rows", x).flatten(-2)
        every_row = torch.ones(1, 1, dtype=torch.bool, device=x.device)
        z = self.gather(rows, rows, every_row, trace, no_cache)
        trace.lazy(
            "head_out", lambda: self.head_out(z).transpose(-3, -2).unflatten(-1, (self.columns, -1))
        )
        return trace("out", self.output(concat_heads(z)).unflatten(-1, (self.columns, -1)))


TABLE = "table"
PROJECTIONS = (
    ("q", "query", "Queries: what each row looks for, from all its columns at once."),
    ("k", "key", "Keys: what each row offers to be found by."),
    ("v", "value", "Values: what each row hands over when it is found."),
)


def intersample_attention_activations(
    config: Config, scope: str, x: str, axis: str
) -> Iterator[Activation]:
    """The activations of an intersample attention layer; each row is the concatenation of its
    tokens.
    """
    yield rows_activation(scope, x, axis)
    for name, part, sentence in PROJECTIONS:
        yield projected(config, scope, name, part, sentence)
    yield from softmax_activations(
        AttentionSite(config, scope, x, x, TABLE, TABLE, RELATIVE_POSITIONS["none"])
    )
    yield from output_activations(config, scope, axis)


def rows_activation(scope: str, x: str, axis: str) -> Activation:
    """All rows of the table at the input of this attention layer; row 0 is the stream `x`."""
    layer = Site.parse(f"{scope}.rows").layer
    return Activation(
        f"{scope}.rows",
        ("row", "position", "channel"),
        (TABLE, axis, "channel"),
        "x of every row",
        "The row as this attention finds it, and the reference rows as they have come here"
        " beside it.",
        copy,
        (f"references.{layer}[reference:row position channel]",),
        (SpecialCells("row", range(1), copy, (f"{x}[position channel]",)),),
    )


def projected(config: Config, scope: str, name: str, part: str, sentence: str) -> Activation:
    """Queries, keys or values: the linear map `part` of whole rows."""
    rule, operands = linear_operands(
        config, f"{scope}.rows[row * *]", f"{scope}.{part}", "(head head_channel)"
    )
    letter = name.upper()
    return Activation(
        f"{scope}.{name}",
        ("head", "row", "head_channel"),
        ("head", TABLE, "head_channel"),
        f"x W_{letter}{plus_bias(config, f'b_{letter}')}",
        sentence,
        rule,
        operands,
    )


def output_activations(config: Config, scope: str, axis: str) -> Iterator[Activation]:
    """The output of each head, and the contribution to the row of interest."""
    yield Activation(
        f"{scope}.z",
        ("head", "query", "head_channel"),
        ("head", TABLE, "head_channel"),
        "pattern v",
        "What each head has gathered for each row: the values of rows, mixed by the pattern.",
        product,
        (f"{scope}.pattern[head query *]", f"{scope}.v[head * head_channel]"),
    )
    yield Activation(
        f"{scope}.head_out",
        ("head", "position", "channel"),
        ("head", axis, "channel"),
        "z W_O[head]",
        "What each head writes to the stream of the row asked about.",
        product,
        (f"{scope}.z[head 0 *]", f"{scope}.output.weight[(head *) (position channel)]"),
    )
    summands = (
        f"{scope}.head_out[* position channel]",
        *((f"{scope}.output.bias[(position channel)]",) if config.has_biases() else ()),
    )
    formula = f"sum of head_out over heads{plus_bias(config, 'b_O')}"
    yield stream_activation(
        f"{scope}.out", axis, formula, "What all heads together write.", sum_all, *summands
    )
