"""Examples of the penguin models: rows, and what to notice in them, determined from a run of the
model itself.
"""

from collections.abc import Sequence
from typing import cast

from jaxtyping import Float, Int
from torch import Tensor, arange

from model.inputs.input import Input
from model.inputs.table_rows import Row, Values, row_text
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.models import Model


def examples(
    model: Model,
    rows: list[Values],
    species: Int[Tensor, " row"],
    read: Float[Tensor, "row vocabulary"],
    hardest: int,
) -> list[dict]:
    """Examples of `model`: the first correctly classified row of each species; the row `hardest`,
    the same for every model; and the same row without its bill measurements.
    """
    right = read.argmax(-1) == species
    classes = model.classes
    chosen = {
        name.lower(): int((right & (species == id)).nonzero()[0]) for id, name in enumerate(classes)
    }
    chosen["hardest"] = hardest
    examples = {id: rows[i] for id, i in chosen.items()}
    examples["without-bill"] = {
        name: None if "bill" in name else value for name, value in examples["hardest"].items()
    }
    chosen["without-bill"] = chosen["hardest"]
    leads = dict.fromkeys(chosen, "A held-out {}.") | LEADS
    return [
        {
            "id": id,
            "input": {"row": row},
            "look_for": (
                f"{leads[id].format(classes[species[chosen[id]]])} {LOOK_FOR[model.id](model, row)}"
            ),
        }
        for id, row in ((id, row_text(values)) for id, values in examples.items())
    ]


def least_believed(read: Float[Tensor, "row vocabulary"], species: Int[Tensor, " row"]) -> int:
    """The row whose species has the lowest probability."""
    return int(read[arange(len(species)), species].argmin())


LEADS = {
    "hardest": (
        "The held-out row to whose true species, {}, logistic regression gives the lowest"
        " probability."
    ),
    "without-bill": "The same row, still of species {}, without the length and depth of the bill.",
}


def prediction(run: Run) -> str:
    chance, best = run.trace["probabilities"][0].max(-1)
    return (
        f"The model predicts {run.model.tokenizer.label(int(best))} with probability {chance:.2f}"
    )


def read_by_cls(model: Model, row: str) -> str:
    """The column with the largest attention weight of [CLS] in the last layer."""
    run = run_model(model, Input(row=row))
    weights = run.trace[f"encoder.{run.config.n_encoder_layers - 1}.attention.pattern"].mean(0)[
        0, 1:
    ]
    column = run.tokens["row"][1 + int(weights.argmax())]
    return (
        f"{prediction(run)}. In the last layer, [CLS] attends most to {column.text}"
        f" (weight {weights.max():.2f}, mean over heads)."
    )


def gone_past(model: Model, row: str) -> str:
    """The attention weight of `sex` on `island` in TabTransformer, whose numbers bypass
    attention.
    """
    run = run_model(model, Input(row=row))
    weight = run.trace[f"encoder.{run.config.n_encoder_layers - 1}.attention.pattern"].mean(0)[1, 0]
    return (
        f"{prediction(run)}. The numbers bypass attention; in its last layer, sex attends to"
        f" island with weight {weight:.2f} (mean over heads)."
    )


def looked_at(model: Model, row: str) -> str:
    """The species with the largest attention weight in the last layer of attention between rows."""
    run = run_model(model, Input(row=row))
    weights = run.trace[f"encoder.{run.config.n_encoder_layers - 1}.row_attention.pattern"].mean(0)[
        0
    ]
    table = cast(Sequence[Row], run.tokens["table"])  # the run of a row includes reference rows
    shares = {
        name: sum(float(weights[ref.id]) for ref in table if ref.said == name)
        for name in model.classes
    }
    shares["itself"] = float(weights[0])
    most = max(shares, key=shares.__getitem__)
    return (
        f"{prediction(run)}. In the last layer, the row attends most to {most}"
        f" (weight {shares[most]:.2f}, mean over heads)."
    )


LOOK_FOR = {"penguins-ft": read_by_cls, "penguins-tab": gone_past, "penguins-saint": looked_at}
