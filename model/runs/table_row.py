"""Runs of rows of a table: the columns of one, with [CLS] in front, beside reference rows where a
model lets rows look at one another.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from model.activations.site import Site
from model.answers.answer import Axis
from model.errors import InvalidInput
from model.inputs.given import Input
from model.inputs.table_rows import Column, ColumnCodec, Row, Values, written
from model.layers import masks
from model.layers.tabular_embedding import Rows
from model.runs.image import example
from model.runs.run import Run
from model.trace import Recorder
from model.zoo.models import Model

BETWEEN_ROWS = ("rows", "q", "k", "v", "scores", "masked_scores", "pattern", "z")
"""What an attention between rows computes of all of them."""


def run_row(model: Model, input: Input) -> Run:
    """Every column sees all the others, and every row too in a model with attention between rows;
    the answer is about the first row.
    """
    if input.row is None:
        raise InvalidInput(f"{model.id} reads a row of a table: it needs `row`.", field="row")
    codec, config = model.column_codec, model.config
    values = codec.read(example(model, "row", input.row))
    columns, table = codec.encode(values), codec.table(values)
    shown = columns[-config.n_tokens :]
    rows = tensors(codec, [values, *(codec.read(reference.row) for reference in codec.references)])
    trace, allowed = OfOneRow(), {"encoder.attention": masks.full(len(shown))}
    x = model.transformer.encode(rows, allowed["encoder.attention"], trace)
    model.transformer.unembed(x, trace, model.transformer.bypassing(rows, trace))
    tokens: dict[str, list] = {"row": shown}
    axes = {"row": column_axis(shown), "number": column_axis(columns[1 : 1 + config.n_numeric])}
    given = {"numbers": rows.numbers[0], "known": rows.known[0]}
    if config.between_rows:
        tokens["table"], axes["table"] = table, row_axis(table)
        allowed["encoder.row_attention"] = masks.full(len(table))
        given |= {
            f"references.{layer}": trace.values[f"encoder.{layer}.row_attention.rows"][1:]
            for layer in range(config.n_encoder_layers)
        }
    return Run(
        model,
        {"row": written(values)},
        axes,
        tokens,
        trace.values,
        allowed,
        notes=codec.strange(values),
        given=given,
    )


def tensors(codec: ColumnCodec, rows: Sequence[Values]) -> Rows:
    """A batch of rows."""
    numbers = [codec.standardised(row) for row in rows]
    return Rows(
        torch.tensor([[x or 0.0 for x in row] for row in numbers]),
        torch.tensor([[float(x is not None) for x in row] for row in numbers]),
        torch.tensor([codec.places(row) for row in rows]),
    )


class OfOneRow(Recorder):
    """Of rows that run together what was computed of the first; between rows, of all."""

    def __truediv__(self, scope: str | int) -> "OfOneRow":
        return OfOneRow(self.values, f"{self.scope}{scope}.")

    def __call__(self, name: str, value: Tensor) -> Tensor:
        super().__call__(name, self.kept(name, value))
        return value

    def lazy(self, name: str, compute: Callable[[], Tensor]) -> None:
        super().lazy(name, lambda: self.kept(name, compute()))

    def kept(self, name: str, value: Tensor) -> Tensor:
        """The positions told are the same for every row."""
        between_rows = Site.parse(self.scope + name).part == "row_attention"
        of_all = name in BETWEEN_ROWS if between_rows else name == "position"
        return value if of_all else value[0]


def column_axis(columns: list[Column]) -> Axis:
    """Columns, and what stands in each."""
    values = [f"{column.value} {column.unit}".strip() if column.value else "" for column in columns]
    return Axis(
        "column",
        len(columns),
        [column.text for column in columns],
        [column.id for column in columns],
        value=values,
    )


def row_axis(table: list[Row]) -> Axis:
    return Axis(
        "row",
        len(table),
        [row.text for row in table],
        [row.id for row in table],
        value=[row.said for row in table],
    )
