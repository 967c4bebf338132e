"""Runs of small random models over real text, for everything that stands on a run."""

from functools import cache

import torch

from model.inputs.given import Input
from model.inputs.text import TextTokenizer, fit
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.models import Model
from tests.model.support.small import small

SENTENCES = [
    "i am cold .",
    "j' ai froid .",
    "the cat sees the dog .",
    "le chat voit le chien .",
    "don 't you know it 's late ?",
]


@cache
def tokenizer() -> TextTokenizer:
    return fit(SENTENCES * 3, 420)


@cache
def small_model(family: str = "encoder-decoder", placement: str = "post", **choices) -> Model:
    """A random model of two layers that reads and writes the encoding above."""
    transformer = small(
        family,
        dtype=torch.float32,
        vocabulary_size=tokenizer().size,
        placement=placement,
        **choices,
    )
    card = {"limits": {"tokens": 32, "trained_tokens": 8}}
    return Model(
        "small", transformer.config, transformer, tokenizer(), card, "random initialisation"
    )


@cache
def small_run(family: str = "encoder-decoder", placement: str = "post", **choices) -> Run:
    pair = family in ("encoder-decoder", "prefix")
    text = (
        Input(source="the cat sees the dog .", target="le chat voit")
        if pair
        else Input(text="the cat sees me")
    )
    return run_model(small_model(family, placement, **choices), text)
