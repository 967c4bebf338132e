"""Intersample attention: the rows of a table attend to one another (SAINT). Row 0 is the row that
the model is asked about; the others are reference rows.
"""

from collections.abc import Iterator

from model.activations.activation import (
    Activation,
    SpecialCells,
    linear_operands,
    plus_bias,
    stream_activation,
)
from model.activations.attention import AttentionSite, softmax_activations, sum_all
from model.activations.derivation import copy, product
from model.activations.relative_positions import RELATIVE_POSITIONS
from model.activations.site import Site
from model.config import Config

TABLE = "table"
PROJECTIONS = (
    ("q", "query", "Queries: what each row looks for, from all its columns at once."),
    ("k", "key", "Keys: what each row offers to be found by."),
    ("v", "value", "Values: what each row hands over when it is found."),
)


def intersample_attention_activations(
    config: Config, scope: str, x: str, axis: str
) -> Iterator[Activation]:
    """The activations of an intersample attention, in which a row is all its tokens, one after
    another.
    """
    yield rows_activation(scope, x, axis)
    for name, part, sentence in PROJECTIONS:
        yield projected(config, scope, name, part, sentence)
    yield from softmax_activations(
        AttentionSite(config, scope, x, x, TABLE, TABLE, RELATIVE_POSITIONS["none"])
    )
    yield from output_activations(config, scope, axis)


def rows_activation(scope: str, x: str, axis: str) -> Activation:
    """All rows of the table as this attention finds them; row 0 is the stream `x`."""
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
    """What each head gathers by the pattern, and what is written to the row asked about."""
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
    written = (
        f"{scope}.head_out[* position channel]",
        *((f"{scope}.output.bias[(position channel)]",) if config.biases else ()),
    )
    formula = f"sum of head_out over heads{plus_bias(config, 'b_O')}"
    yield stream_activation(
        f"{scope}.out", axis, formula, "What all heads together write.", sum_all, *written
    )
