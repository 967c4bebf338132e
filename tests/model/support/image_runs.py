"""Runs of a small random model over an image, for everything that stands on a run."""

from functools import cache

import torch

from model.inputs.images import PatchTokenizer
from model.inputs.input import Input
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.models import Model
from tests.model.support.small import small

PIXELS = [[(7 * row + 3 * column) % 17 / 16 for column in range(8)] for row in range(8)]
IMAGE = ",".join(str(value) for row in PIXELS for value in row)
TOKENIZER = PatchTokenizer(image_side=8, patch_side=2, classes=tuple("0123456789"))
CHOICES = {
    "inputs": "patches",
    "image_side": 8,
    "patch_side": 2,
    "max_length": 17,
    "vocabulary_size": 10,
    "placement": "pre",
    "positions": "learned",
    "activation": "gelu",
    "scaled_embedding": False,
    "tied_unembedding": False,
}


@cache
def image_model(**choices) -> Model:
    """A random model of two layers that reads 8 x 8 grey values in patches of 2 x 2."""
    transformer = small("encoder-only", dtype=torch.float32, **{**CHOICES, **choices})
    card = {
        "limits": {"tokens": 17, "trained_tokens": 17},
        "examples": [{"id": "waves", "input": {"image": IMAGE}, "look_for": "-"}],
    }
    return Model("small", transformer.config, transformer, TOKENIZER, card, "random initialization")


@cache
def image_run(**choices) -> Run:
    return run_model(image_model(**choices), Input(image=IMAGE))
