"""`penguins-ft`, `penguins-tab`, and `penguins-saint`: which penguin is it? Table rows in three
encoders.

FT-Transformer (Gorishniy et al. 2021) makes a token of every column, TabTransformer (Huang et al.
2020) only of the categorical ones, and in SAINT (Somepalli et al. 2021) rows also attend to one
another. Here, FT-Transformer's head is x W_U, without the ReLU before it, and its first norm is
kept; SAINT's numbers become tokens as in FT-Transformer.
"""

import csv
import hashlib
import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.config import Config, EmbeddingChoices, HeadChoices, PositionChoices
from model.inputs.sizes import ColumnSizes
from model.inputs.table_rows import Category, Number, Reference, RowTokenizer, Values
from model.layers import masks
from model.layers.tabular_embedding import Rows
from model.runs.table_row import tensors
from model.trace import OFF, Trace
from model.training.loop import Recipe
from model.training.model_card import Card
from model.training.recipes.penguin_examples import examples, least_believed
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer
from model.zoo.models import Model

FILE = "penguins.csv"
UNITS = {
    "bill_length_mm": "mm",
    "bill_depth_mm": "mm",
    "flipper_length_mm": "mm",
    "body_mass_g": "g",
}
CATEGORIES = {"island": ("Biscoe", "Dream", "Torgersen"), "sex": ("female", "male")}
CLASSES = ("Adelie", "Chinstrap", "Gentoo")
TEST, VALIDATION = 100, 44
BATCH = 25
HIDDEN = 0.15
REFERENCES = 8  # reference rows per species

Classes = Int[Tensor, " row"]
Chances = Float[Tensor, "row vocabulary"]

COLUMNS = len(UNITS), tuple(len(options) + 1 for options in CATEGORIES.values())
"""The number of numeric columns, and for each categorical column the number of its categories plus
one for a missing value.
"""

CHOICES: dict[str, dict[str, Any]] = {
    "penguins-ft": {
        "d_model": 32,
        "d_ff": 48,
        "n_encoder_layers": 2,
        "placement": "pre",
        "gated": True,
        "input_sizes": ColumnSizes(*COLUMNS),
    },
    "penguins-tab": {
        "d_model": 16,
        "d_ff": 32,
        "n_encoder_layers": 2,
        "placement": "post",
        "input_sizes": ColumnSizes(*COLUMNS, readout="bypass"),
    },
    "penguins-saint": {
        "d_model": 16,
        "d_ff": 32,
        "n_encoder_layers": 2,
        "placement": "pre",
        "activation": "gelu",
        "input_sizes": ColumnSizes(*COLUMNS, between_rows=True),
    },
}


@dataclass(frozen=True)
class Part:
    values: list[Values]
    rows: Rows
    classes: Classes


class Penguins:
    """The penguins in three parts, assigned only by the digest of each row."""

    def __init__(self, id: str, data: Path):
        head, *lines = (data / FILE).read_text(encoding="utf-8").splitlines()
        lines.sort(key=lambda line: hashlib.sha256(line.encode()).digest())
        found = list(csv.DictReader([head, *lines]))
        test, validation, train = (
            found[:TEST],
            found[TEST : TEST + VALIDATION],
            found[TEST + VALIDATION :],
        )
        self.tokenizer = RowTokenizer(
            tuple(
                number(name, unit, [float(row[name]) for row in train if row[name]])
                for name, unit in UNITS.items()
            ),
            tuple(Category(name, options) for name, options in CATEGORIES.items()),
            CLASSES,
            references(train) if CHOICES[id]["input_sizes"].between_rows else (),
        )
        self.id, self.choices = id, CHOICES[id]
        self.test, self.validation, self.train = (
            self.part(rows) for rows in (test, validation, train)
        )
        self.references = [
            self.tokenizer.read(reference.row) for reference in self.tokenizer.references
        ]
        self.digest = hashlib.sha256("\n".join([head, *lines]).encode()).hexdigest()

    def part(self, found: list[dict[str, str]]) -> Part:
        values = [self.tokenizer.read(as_written(row)) for row in found]
        return Part(
            values,
            tensors(self.tokenizer, values),
            torch.tensor([CLASSES.index(row["species"]) for row in found]),
        )

    @property
    def config(self) -> Config:
        return Config(
            family="encoder-only",
            n_heads=4,
            max_length=self.choices["input_sizes"].n_tokens,
            positions=PositionChoices(absolute="none"),
            embedding=EmbeddingChoices(scaled=False),
            head=HeadChoices(tied=False, classes=self.tokenizer.size),
            **self.choices,
        )

    def epoch(self, generator: torch.Generator) -> Iterator[Part]:
        """The rows of one pass, in batches. Some of the known values are hidden."""
        order = torch.randperm(len(self.train.classes), generator=generator)
        for chosen in order.split(BATCH):
            yield Part(
                [],
                hidden(self.train.rows.at(chosen), self.tokenizer, generator),
                self.train.classes[chosen],
            )

    def loss(self, model: Transformer, batch: Part, trace: Trace) -> Float[Tensor, ""]:
        return cross_entropy(logits(model, batch.rows, trace), batch.classes)


def number(name: str, unit: str, found: list[float]) -> Number:
    return Number(
        name, unit, statistics.fmean(found), statistics.pstdev(found), min(found), max(found)
    )


def as_written(row: dict[str, str]) -> str:
    """A row of the data as text, without the species."""
    return ",".join(f"{name}={row[name]}" for name in (*UNITS, *CATEGORIES))


def references(train: list[dict[str, str]]) -> tuple[Reference, ...]:
    """Reference rows: the first complete rows of each species."""
    whole = [row for row in train if all(row.values())]
    return tuple(
        Reference(as_written(row), species)
        for species in CLASSES
        for row in [row for row in whole if row["species"] == species][:REFERENCES]
    )


def hidden(rows: Rows, tokenizer: RowTokenizer, generator: torch.Generator) -> Rows:
    """`rows` with each known value hidden with probability HIDDEN, so that the model learns to
    handle missing values, which are rare in the data.
    """
    known = rows.known * (torch.rand(rows.known.shape, generator=generator) >= HIDDEN)
    missing = torch.tensor(tokenizer.sizes).cumsum(0) - 1
    gone = torch.rand(rows.categories.shape, generator=generator) < HIDDEN
    return Rows(rows.numbers * known, known, torch.where(gone, missing, rows.categories))


def logits(
    model: Transformer, rows: Rows, trace: Trace = OFF
) -> Float[Tensor, "*batch vocabulary"]:
    """The logits of each row, at [CLS] or, with the readout `bypass`, from the whole row."""
    mask = masks.full(model.config.max_length)
    return model.unembed(model.encode(rows, mask, trace), trace, model.bypassing(rows, trace))[
        ..., 0, :
    ]


@torch.no_grad()
def chances(task: Penguins, model: Transformer, part: Part) -> Chances:
    """The class probabilities of each row in `part`, on its own or with the reference rows, as in
    the included model.
    """
    beside = [tensors(task.tokenizer, [values, *task.references]) for values in part.values]
    return torch.stack([logits(model, rows)[0] for rows in beside]).softmax(-1)


def accuracy(chances: Chances, part: Part) -> float:
    return (chances.argmax(-1) == part.classes).double().mean().item()


def regression(task: Penguins) -> Chances:
    """The class probabilities from a logistic regression for the test rows, with imputed and
    standardized numbers and one-hot categories.
    """
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    categories = OneHotEncoder(handle_unknown="ignore")
    columns = ColumnTransformer(
        [
            ("numbers", numbers, slice(len(UNITS))),
            ("categories", categories, slice(len(UNITS), None)),
        ]
    )
    fitted = make_pipeline(columns, LogisticRegression(max_iter=1000)).fit(
        table(task.train), task.train.classes.numpy()
    )
    return torch.from_numpy(fitted.predict_proba(table(task.test)))


def table(part: Part) -> np.ndarray:
    rows = [
        [
            math.nan if name in UNITS and value is None else value or "missing"
            for name, value in row.items()
        ]
        for row in part.values
    ]
    return np.array(rows, dtype=object)


NAMES = {
    "penguins-ft": "FT-Transformer",
    "penguins-tab": "TabTransformer",
    "penguins-saint": "SAINT",
}


def measured(task: Penguins, model: Transformer, read: Chances, without: Chances) -> dict:
    """Measures on the test rows, for which the model predicts the probabilities `read`, and the
    logistic regression `without`.
    """
    return {
        "accuracy": {
            "value": accuracy(read, task.test),
            "baseline": accuracy(without, task.test),
            "validation": accuracy(chances(task, model, task.validation), task.validation),
            "how": (
                f"Fraction of {TEST} held-out rows whose species gets the highest probability."
                f" baseline: logistic regression trained on the same {len(task.train.classes)}"
                f" rows. validation: the same for {VALIDATION} other rows, also unused in training"
            ),
        },
        "loss": {
            "value": cross_entropy(read.log(), task.test.classes).item(),
            "unit": "nats per row",
            "how": (
                f"Mean of −ln p of the true species; guessing gives ln {len(CLASSES)} ="
                f" {math.log(len(CLASSES)):.2f}"
            ),
        },
    }


def describe(task: Penguins, model: Transformer, steps: int) -> Card:
    """The card of the model, with measures on the test rows."""
    read, without = chances(task, model, task.test), regression(task)
    n = len(task.train.classes)
    beside = (
        f", compared with {len(task.references)} reference rows, {REFERENCES} of each species"
        if task.references
        else ""
    )
    return Card(
        name=f"Penguins: {NAMES[task.id]}",
        modality="table",
        task=f"predicts a penguin’s species from four numbers and two categories{beside}",
        limits={"tokens": task.config.max_length, "trained_tokens": task.config.max_length},
        columns=task.tokenizer.accepted,
        quality=measured(task, model, read, without),
        training={
            "rows": n,
            "passes": round(steps * BATCH / n, 1),
            "batch": BATCH,
            "hidden": (
                f"each known value with probability {HIDDEN}, drawn anew in every pass: little is"
                " missing in the data"
            ),
        },
        split=(
            f"by the digest of the row: {TEST} for the figures, {VALIDATION} for validation, {n} to"
            " learn from"
        ),
        data_notice=(
            "Trained on the Palmer penguins (Gorman, Williams and Fraser 2014; palmerpenguins,"
            " CC0). The rows in the examples are from them."
        ),
        examples=examples(
            Model(task.id, task.config, model, task.tokenizer, {}),
            task.test.values,
            task.test.classes,
            read,
            least_believed(without, task.test.classes),
        ),
    )


RECIPES = {
    id: Recipe(
        id=id,
        cycles=(Cycle(peak=2e-3, warmup=100, steps=800, dropout=Dropout(numbers=0.1)),),
        prepare=partial(Penguins, id),
        describe=describe,
    )
    for id in CHOICES
}
