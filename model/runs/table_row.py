"""Runs of a table row: its columns are tokens, preceded by [CLS]. A model with attention between
rows reads reference rows in the same batch.
"""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from model.activations.site import Site
from model.answers.answer import Axis
from model.errors import InvalidInput
from model.inputs.input import Input
from model.inputs.table_rows import Column, Row, RowTokenizer, Values, row_text
from model.layers import masks
from model.layers.embedding import ModelInput
from model.layers.tabular_embedding import Rows
from model.runs.image import example
from model.runs.run import Masks, Prepared, Run
from model.trace import Trace
from model.transformer import Target, Transformer
from model.zoo.models import Model

BETWEEN_ROWS = ("rows", "q", "k", "v", "scores", "masked_scores", "pattern", "z")
"""Activations of the attention between rows that are recorded for all rows."""


def prepare_row(model: Model, input: Input) -> Prepared:
    """The row `input.row`, which is the first of the batch. Every column attends to all columns
    and, in a model with attention between rows, every row attends to all rows.
    """
    if input.row is None:
        raise InvalidInput("needs-a-row", field="row", model=model.id)
    tokenizer, config = model.row_tokenizer, model.config
    values = tokenizer.read(example(model, "row", input.row))
    columns, table = tokenizer.encode(values), tokenizer.table(values)
    row = columns[-config.columns.n_tokens :]
    rows = batch(tokenizer, values).to(model.transformer.device)
    allowed = {"encoder.attention": masks.full(len(row))}
    tokens: dict[str, list] = {"row": row}
    axes = {
        "row": column_axis(row),
        "number": column_axis(columns[1 : 1 + config.columns.n_numeric]),
    }
    if config.between_rows:
        tokens["table"], axes["table"] = table, row_axis(table)
        allowed["encoder.row_attention"] = masks.full(len(table))
    run = Run(
        model,
        {"row": row_text(values)},
        axes,
        tokens,
        {},
        allowed,
        notes=tokenizer.out_of_range(values),
        constants={"numbers": rows.numbers[0], "known": rows.known[0]},
    )
    return Prepared(
        run,
        rows,
        None,
        allowed,
        classify,
        first_row,
        with_references if config.between_rows else lambda run: run,
        separate=config.between_rows,
    )


def classify(
    transformer: Transformer,
    rows: ModelInput | None,
    target: Target | None,
    masks: Masks,
    trace: Trace,
) -> None:
    """The forward pass: the classes of the rows, whose numbers may bypass the stack."""
    assert isinstance(rows, Rows), "a model of tables reads rows"
    x = transformer.encode(rows, masks["encoder.attention"], trace)
    transformer.unembed(x, trace, transformer.bypassing(rows, trace))


def with_references(run: Run) -> Run:
    """The run with the reference rows before each layer."""
    references = {
        f"references.{layer}": run.trace[f"encoder.{layer}.row_attention.rows"][1:]
        for layer in range(run.config.n_encoder_layers)
    }
    return replace(run, constants=run.constants | references)


def batch(tokenizer: RowTokenizer, row: Values) -> Rows:
    """`row` followed by the model's reference rows, as one batch of tensors."""
    return tensors(tokenizer, [row, *(tokenizer.read(ref.row) for ref in tokenizer.references)])


def tensors(tokenizer: RowTokenizer, rows: Sequence[Values]) -> Rows:
    """`rows` as one batch of tensors: standardized numbers, which of them are known, and
    categories.
    """
    numbers = [tokenizer.standardised(row) for row in rows]
    return Rows(
        torch.tensor([[x or 0.0 for x in row] for row in numbers]),
        torch.tensor([[float(x is not None) for x in row] for row in numbers]),
        torch.tensor([tokenizer.places(row) for row in rows], dtype=torch.int64),
    )


def first_row(name: str, value: Tensor) -> Tensor:
    """The part of a batch's activation that is recorded: that of row 0, and in the attention
    between rows that of all rows. Position encodings have no batch axis and are recorded whole.
    """
    site = Site.parse(name)
    between_rows = site.part == "row_attention"
    of_all = site.value in BETWEEN_ROWS if between_rows else site.value == "position"
    return value if of_all else value[0]


def column_axis(columns: list[Column]) -> Axis:
    """The axis of `columns`, with the value in each column."""
    values = [f"{column.value} {column.unit}".strip() if column.value else "" for column in columns]
    return Axis(
        "column",
        len(columns),
        [column.text for column in columns],
        [column.id for column in columns],
        value=values,
    )


def row_axis(table: list[Row]) -> Axis:
    """The axis of the rows of `table`, with the class of each reference row."""
    return Axis(
        "row",
        len(table),
        [row.text for row in table],
        [row.id for row in table],
        value=[row.said for row in table],
    )
