"""Tables: a row of a table, what its columns read of one another and of other rows, and what is
said without each of its values.
"""

from dataclasses import replace

import torch
from torch import Tensor

from model.answers.answer import Answer, Axis, Labelled
from model.answers.measurements import Measurement, fact
from model.errors import InvalidInput
from model.inputs.given import Input
from model.inputs.table_rows import Values, row_text
from model.runs.run import Run
from model.runs.table_row import run_row


def tables(run: Run) -> Answer:
    """`weights` [layer, head, row, row] between columns; `rows` [layer, head, table], where rows
    read rows, what this one reads; `chances` [class], and `without` [cleared, class]: the same with
    one of the known values cleared, each in its turn.

    What is read most need not be what decides: `without` is measured by running the model again,
    and not read off the weights (Jain and Wallace 2019). A row of one value has none to clear.
    `columns` tells of each column what stands in it and whether it is a token. Raises InvalidInput
    for a model that reads no row.
    """
    model, config, layers = run.model, run.config, range(run.config.n_encoder_layers)
    if config.inputs != "columns":
        raise InvalidInput(
            f"{model.id} reads no row of a table; penguins-ft does.", field="model", given=model.id
        )
    values = model.row_tokenizer.read(run.input["row"])
    known = [name for name, value in values.items() if value is not None]
    cleared = known if len(known) > 1 else []
    chances = said(run)
    without = torch.stack(
        [chances, *(said(rerun(run, values | {name: None})) for name in cleared)]
    )[1:]
    formula = run.activation("encoder.0.attention.pattern").formula
    tensors = {
        "weights": Labelled(("layer", "head", "row", "row"), patterns(run, "attention"), formula),
        "chances": Labelled(("class",), chances, "softmax(logits)"),
        "without": Labelled(
            ("cleared", "class"), without, "softmax(logits) of the row without one value"
        ),
    }
    if config.between_rows:
        tensors["rows"] = Labelled(
            ("layer", "head", "table"),
            patterns(run, "row_attention")[:, :, 0],
            f"{formula}, the row of this row",
        )
    axes = {
        "layer": Axis("step", len(layers), [f"encoder.{layer}" for layer in layers]),
        "class": Axis("vocabulary", config.vocabulary_size, list(model.classes)),
        "cleared": Axis("column", len(cleared), cleared),
    }
    tokens = {column.text for column in run.tokens["row"]}
    best = int(chances.argmax())
    fields = {
        "columns": [
            {
                "name": column.text,
                "value": values[column.text],
                "unit": column.unit,
                "token": column.text in tokens,
            }
            for column in model.row_tokenizer.encode(values)
            if not column.special
        ],
        "says": {"class": model.row_tokenizer.label(best), "probability": float(chances[best])},
        "facts": facts(run, values),
    }
    return run.answer(tensors, fields, axes)


def patterns(run: Run, sublayer: str) -> Tensor:
    """Of every layer, one above the other."""
    return torch.stack(
        [
            run.trace[f"encoder.{layer}.{sublayer}.pattern"]
            for layer in range(run.config.n_encoder_layers)
        ]
    )


def said(run: Run) -> Tensor:
    """At [CLS], which stands first; past a by-pass there is no other place."""
    return run.trace["probabilities"][0]


def rerun(run: Run, values: Values) -> Run:
    return run_row(run.model, Input(row=row_text(values)))


def facts(run: Run, values: Values) -> list[Measurement]:
    """What goes past the stack moves no weight in it; and other rows are a set: their order is not
    told.
    """
    found, tokenizer = [], run.model.row_tokenizer
    categories = {column.name: values[column.name] for column in tokenizer.categories}
    if run.config.bypass and any(categories.values()):
        change = (
            (
                patterns(rerun(run, dict.fromkeys(values) | categories), "attention")
                - patterns(run, "attention")
            )
            .abs()
            .max()
        )
        found.append(
            fact(
                "weights_moved_by_numbers",
                change,
                "0: without its numbers, the row's tokens are the same",
                change == 0,
            )
        )
    if run.config.between_rows:
        turned = replace(
            run.model, tokenizer=replace(tokenizer, references=tokenizer.references[::-1])
        )
        change = (said(run_row(turned, Input(row=row_text(values)))) - said(run)).abs().max()
        found.append(
            fact(
                "change_by_order_of_rows",
                change,
                "0: the last reference row first, the answer is the same",
                change < 1e-5,
            )
        )
    return found
