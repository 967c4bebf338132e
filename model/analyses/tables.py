"""Tables: the attention between columns and between rows, and the prediction without each of the
row's values.
"""

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from model.answers.answer import Answer, Axis, Labelled
from model.answers.measurements import Measurement, fact
from model.errors import InvalidInput
from model.inputs.input import Input
from model.inputs.table_rows import Category, Values, row_text
from model.interpretability.categories import Plane, planes
from model.layers import masks
from model.layers.context import Context
from model.runs.run import Run
from model.runs.run_model import Runs, run_model
from model.runs.table_row import prepare_row, tensors

EXACT = 1e-12  # tolerance of a probability in float64


def tables(run: Run, runs: Runs = run_model) -> Answer:
    """`weights` [layer, head, row, row] between columns; `rows` [layer, head, table], the weights
    of this row on all rows, in a model with attention between rows; `chances` [class], the class
    probabilities; and `without` [cleared, class], the probabilities with one known value removed.

    A large weight does not imply a large effect on the prediction (Jain and Wallace 2019).
    `without` is therefore measured by running the model again without the value. A row with one
    known value has none to remove. In an edited run, these runs have the same edits; if an edit
    names positions, which are other columns in a shorter row, no value is removed. `columns` lists
    each column's value and whether it is a token. For columns with four or more categories,
    `places` [category, component] has their vectors, each projected on the two directions of
    largest variance, and `embedded` their names. `held_out` has the card's results on held-out
    rows. `facts` list what the prediction does not depend on, in a run without edits. Raises
    InvalidInput for a model that does not read rows.
    """
    model, config, layers = run.model, run.config, range(run.config.n_encoder_layers)
    if config.inputs != "columns":
        raise InvalidInput("reads-no-row", field="model", given=model.id)
    values = model.row_tokenizer.read(run.input["row"])
    known = [name for name, value in values.items() if value is not None]
    chances, cleared = probabilities(run), known if len(known) > 1 else []
    if cleared and not all(edit.fits_any_length for edit in run.edited_by):
        cleared, run = [], replace(run, notes=[*run.notes, NOT_REMOVED])
    changed = bool(run.stages or run.aligned)
    if changed:
        run = replace(run, notes=[*run.notes, NO_FACTS])
    rows = (runs(model, Input(row=row_text(values | {name: None}))) for name in cleared)
    without = torch.stack([chances, *(probabilities(row) for row in rows)])[1:]
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
        "class": Axis("vocabulary", config.head.classes, list(model.classes)),
        "cleared": Axis("column", len(cleared), cleared),
    }
    best = int(chances.argmax())
    fields = {
        "columns": columns(run, values),
        "says": {"class": model.row_tokenizer.label(best), "probability": float(chances[best])},
        "facts": [] if changed else facts(run, values),
    }
    add_of_model(run, tensors, fields, axes)
    return run.answer(tensors, fields, axes)


def add_of_model(
    run: Run, tensors: dict[str, Labelled], fields: dict[str, Any], axes: dict[str, Axis]
) -> None:
    """Adds what is the same for every row: the vectors of the columns with enough categories, and
    the card's results on held-out rows.
    """
    if "held_out" in run.model.card:
        fields["held_out"] = run.model.card["held_out"]
    names = [column.name for column in run.model.row_tokenizer.categories]
    found = {names[place]: plane for place, plane in planes(run.model.transformer).items()}
    if found:
        places = torch.cat([plane.places for plane in found.values()])
        tensors["places"] = Labelled(("category", "component"), places, PLANE)
        axes["category"] = Axis("vocabulary", len(places), names_of(run, found))
        axes["component"] = Axis("channel", 2)
        fields["embedded"] = [described(run, *item) for item in found.items()]


PLANE = "(W − mean) V, W − mean = U S Vᵀ"


def options(run: Run, column: str) -> tuple[str, ...]:
    """The options of a categorical column."""
    found = run.model.row_tokenizer.columns[column]
    assert isinstance(found, Category), f"{column} is a column of categories"
    return found.options


def names_of(run: Run, columns: Iterable[str]) -> list[str]:
    """Every option of the columns, with the name of its column."""
    return [f"{column}: {option}" for column in columns for option in options(run, column)]


def described(run: Run, column: str, found: Plane) -> dict[str, Any]:
    """A column whose vectors are shown in a plane, as in the answer."""
    names = options(run, column)
    return {
        "column": column,
        "options": list(names),
        "shares": list(found.shares),
        "nearest": [names[other] for other in found.nearest],
    }


NO_FACTS = (
    "What the answer does not depend on, such as the order of the columns, is not measured with"
    " edits."
)
NOT_REMOVED = (
    "No value is removed: an edit names positions, and in a row without a value they are those of"
    " other columns."
)


def columns(run: Run, values: Values) -> list[dict[str, Any]]:
    """Each column with its value, and whether it is a token."""
    tokens = {column.text for column in run.tokens["row"]}
    return [
        {
            "name": column.text,
            "value": values[column.text],
            "unit": column.unit,
            "token": column.text in tokens,
        }
        for column in run.model.row_tokenizer.encode(values)
        if not column.special
    ]


def patterns(run: Run, sublayer: str) -> Tensor:
    """The patterns of all layers, [layer, …]."""
    return torch.stack(
        [
            run.trace[f"encoder.{layer}.{sublayer}.pattern"]
            for layer in range(run.config.n_encoder_layers)
        ]
    )


def probabilities(run: Run) -> Tensor:
    """The class probabilities, predicted at [CLS], the first position, or at the only position if
    numbers bypass the stack.
    """
    return run.trace["probabilities"][0]


def rerun(run: Run, values: Values) -> Run:
    return prepare_row(run.model, Input(row=row_text(values)))()


def facts(run: Run, values: Values) -> list[Measurement]:
    """What the prediction does and does not depend on: the order of the columns, if [CLS] reads
    them all; bypassing numbers; the order of the reference rows; and another row of the batch,
    which matters only if rows attend to one another.
    """
    found, tokenizer = [], run.model.row_tokenizer
    categories = {column.name: values[column.name] for column in tokenizer.categories}
    if not (run.config.bypass or run.config.between_rows):
        change = (answer_in(run, values, reverse=True) - answer_in(run, values)).abs().max()
        found.append(
            fact(
                "change_by_order_of_columns",
                change,
                "0, up to rounding: the last column first, the answer is the same",
                change < EXACT,
            )
        )
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
        last_first = replace(tokenizer, references=tokenizer.references[::-1])
        other = replace(run.model, tokenizer=last_first)
        again = prepare_row(other, Input(row=row_text(values)))()
        change = (probabilities(again) - probabilities(run)).abs().max()
        found.append(
            fact(
                "change_by_order_of_rows",
                change,
                "0: the last reference row first, the answer is the same",
                change < 1e-5,
            )
        )
    change = (answer_in(run, values, emptied=True) - answer_in(run, values)).abs().max()
    reads = run.config.between_rows
    found.append(
        fact(
            "change_by_another_row",
            change,
            "more than 0: rows read one another"
            if reads
            else "0: a row beside this one loses all its values, and no row reads another",
            change > 0 if reads else change == 0,
        )
    )
    return found


@torch.inference_mode()
def answer_in(
    run: Run, values: Values, *, reverse: bool = False, emptied: bool = False
) -> Float[Tensor, " class"]:
    """The class probabilities of a row in float64, batched with its reference rows, or with itself
    if the model has none.

    `reverse` puts the last column first; [CLS] stays in front. `emptied` removes all values from
    the row next to it.
    """
    tokenizer, transformer = run.model.row_tokenizer, deepcopy(run.model.transformer).double()
    others = [tokenizer.read(reference.row) for reference in tokenizer.references] or [values]
    if emptied:
        others[0] = dict.fromkeys(values)
    rows = tensors(tokenizer, [values, *others])
    rows = replace(rows, numbers=rows.numbers.double(), known=rows.known.double())
    x = transformer.embedding(rows)
    if reverse:
        x = torch.cat([x[:, :1], x[:, 1:].flip(1)], dim=1)
    allowed = masks.full(x.shape[1])
    x = transformer.stack("encoder")(x, Context(allowed))
    return transformer.unembed(x, bypassed=transformer.bypassing(rows)).softmax(-1)[0, 0]
