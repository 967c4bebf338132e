"""Random models with tokenizers of other people: a GPT-2, a BERT and a T5, of whose training nobody
says anything.
"""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from model.inputs.hub_text import HubTokenizer
from model.zoo.models import Model
from tests.model.support.hub_tokenizers import write_folder
from tests.model.support.small import small

FAMILIES = {
    "gpt-2": (
        "byte-level",
        "decoder-only",
        {"placement": "pre", "positions": "learned", "activation": "gelu_tanh"},
    ),
    "bert": (
        "word-piece",
        "encoder-only",
        {
            "placement": "post",
            "positions": "learned",
            "activation": "gelu",
            "normed_embedding": True,
            "unembedding_bias": True,
        },
    ),
    "bert without a head": ("word-piece", "encoder-only", {"headless": True}),
    "bert of classes": (
        "word-piece",
        "encoder-only",
        {"n_classes": 3, "transform": "tanh", "tied_unembedding": False},
    ),
    "t5": (
        "unigram",
        "encoder-decoder",
        {"placement": "pre", "positions": "none", "relative": "t5", "norm": "rms", "biases": False},
    ),
}
TEXTS = {
    "gpt-2": {"text": "The capital of France is"},
    "bert": {"text": "The capital of France is [MASK]."},
    "bert without a head": {"text": "The capital of France is Paris."},
    "bert of classes": {"text": "The capital of France is [MASK]."},
    "t5": {"source": "The capital of France is Paris."},
}


@cache
def hub_tokenizer(kind: str) -> HubTokenizer:
    with TemporaryDirectory() as folder:
        return HubTokenizer.load(write_folder(Path(folder) / kind, kind))


@cache
def hub_model(name: str) -> Model:
    """A random model of two layers and its tokenizer, under the name of its family."""
    kind, family, choices = FAMILIES[name]
    tokenizer = hub_tokenizer(kind)
    transformer = small(
        family,
        dtype=torch.float32,
        vocabulary_size=tokenizer.size + 3,  # rows that no piece has, as in Pythia and Qwen
        max_length=64,
        scaled_embedding=False,
        **choices,
    )
    card = {
        "limits": {"tokens": 64},
        "quality": {},
        "classes": ["sad", "glad", "neither"],
        "examples": [{"id": "1", "input": TEXTS[name], "look_for": ""}],
    }
    return Model(name, transformer.config, transformer, tokenizer, card, "random initialization")
