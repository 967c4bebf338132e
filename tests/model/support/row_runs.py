"""Runs of small random models over a row of a table, for everything that stands on a run."""

from functools import cache

import torch

from model.inputs.input import Input
from model.inputs.table_rows import Category, Number, Reference, RowTokenizer
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.models import Model
from tests.model.support.small import small

ROW = "length=39.1,mass=3750,island=Dream"  # no depth, no sex
FULL = "length=41,depth=17.5,mass=4100,island=Biscoe,sex=male"
NUMBERS = (
    Number("length", "mm", 44.0, 5.5, 32.0, 60.0),
    Number("depth", "mm", 17.0, 2.0, 13.0, 22.0),
    Number("mass", "g", 4200.0, 800.0, 2700.0, 6300.0),
)
CATEGORIES = (
    Category("island", ("Biscoe", "Dream", "Torgersen")),
    Category("sex", ("female", "male")),
)
CLASSES = ("Adelie", "Chinstrap", "Gentoo")
BESIDE = (
    Reference("length=38,depth=18,mass=3700,island=Dream,sex=female", "Adelie"),
    Reference("length=50,depth=15,mass=5600,island=Biscoe,sex=male", "Gentoo"),
    Reference("length=36,depth=19,mass=3500,island=Torgersen", "Adelie"),
)
CHOICES = {
    "inputs": "columns",
    "n_numeric": 3,
    "categories": (4, 3),
    "max_length": 6,
    "vocabulary_size": 3,
    "placement": "pre",
    "positions": "none",
    "scaled_embedding": False,
    "tied_unembedding": False,
}
FT, TAB, SAINT = (
    {"gated": True},
    {"readout": "bypass", "max_length": 2, "placement": "post"},
    {"between_rows": True, "activation": "gelu"},
)


def tokenizer(between_rows: bool = False) -> RowTokenizer:
    return RowTokenizer(NUMBERS, CATEGORIES, CLASSES, BESIDE if between_rows else ())


@cache
def row_model(**choices) -> Model:
    """A random model of two layers that reads three numbers and two categories."""
    transformer = small("encoder-only", dtype=torch.float32, **{**CHOICES, **choices})
    card = {
        "limits": {"tokens": 6, "trained_tokens": 6},
        "examples": [{"id": "some", "input": {"row": ROW}, "look_for": "-"}],
    }
    of = tokenizer(transformer.config.between_rows)
    return Model("small", transformer.config, transformer, of, card, "random initialization")


@cache
def row_run(**choices) -> Run:
    return run_model(row_model(**choices), Input(row=ROW))
