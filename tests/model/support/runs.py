"""Runs of small random models over real text, for everything that stands on a run."""

from collections.abc import Callable
from functools import cache

import pytest
import torch

from model.inputs.input import Input
from model.inputs.text import TextTokenizer, fit
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.models import Model
from tests.model.support.small import small
from tests.thorough import mostly

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
        "small", transformer.config, transformer, tokenizer(), card, "random initialization"
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


RUNS = [
    ("encoder-decoder", "post", {}),
    (
        "encoder-decoder",
        "pre",
        {
            "tied_unembedding": False,
            "scaled_unembedding": True,
            "positions": "sinusoidal_halves",
        },
    ),
    ("encoder-only", "pre", {"activation": "gelu", "positions": "learned", "token_types": 2}),
    ("decoder-only", "post", {"score": "dot", "positions": "none"}),
    (
        "encoder-decoder",
        "pre",
        {"norm": "rms", "biases": False, "relative": "t5", "positions": "none", "score": "dot"},
    ),
    (
        "decoder-only",
        "pre",
        {"norm": "rms", "relative": "rope", "n_kv_heads": 2, "gated": True, "activation": "silu"},
    ),
    ("decoder-only", "none", {"d_ff": 0, "biases": False, "relative": "rope", "positions": "none"}),
    ("decoder-only", "post", {"relative": "alibi", "positions": "none", "shortcut": 0.9}),
    (
        "encoder-only",
        "post",
        {
            "relative": "shaw",
            "score": "cosine",
            "normed_embedding": True,
            "scaled_embedding": False,
        },
    ),
    (
        "encoder-decoder",
        "admin",
        {"score": "general", "activation": "gelu_tanh", "positions": "integer"},
    ),
    ("encoder-decoder", "b2t", {"score": "additive", "n_kv_heads": 1, "positions": "normalised"}),
    (
        "encoder-only",
        "branch",
        {"score": "location", "norm": "scale", "positions": "sigmoid", "shortcut": 1.1},
    ),
    (
        "decoder-only",
        "pre",
        {
            "weighing": "favor",
            "norm": "scale",
            "positions": "sine",
            "transform": "tanh",
            "normed_transform": True,
        },
    ),
    (
        "decoder-only",
        "pre",
        {"relative": "rope", "positions": "none", "segment": 2, "memory": 3, "n_kv_heads": 2},
    ),
    (
        "decoder-only",
        "post",
        {"relative": "alibi", "positions": "none", "segment": 3, "memory": 3, "norm": "rms"},
    ),
    ("decoder-only", "pre", {"relative": "shaw", "positions": "none", "segment": 3, "memory": 2}),
    (
        "decoder-only",
        "none",
        {"positions": "none", "segment": 2, "memory": 3, "slots": 2, "weighing": "favor"},
    ),
    (
        "encoder-decoder",
        "pre",
        {"slots": 3, "relative": "rope", "positions": "none", "n_kv_heads": 2},
    ),
    (
        "encoder-decoder",
        "b2t",
        {
            "weighing": "favor",
            "features": "trigonometric",
            "draws": "independent",
            "norm": "rms",
            "positions": "learned",
            "normed_embedding": True,
            "target_embedding": True,
        },
    ),
    ("prefix", "post", {}),
    ("prefix", "pre", {"relative": "t5", "positions": "none"}),
    (
        "decoder-only",
        "pre",
        {
            "relative": "rope",
            "positions": "none",
            "rope_base": 500.0,
            "rope_factor": 8.0,
            "rope_trained": 300,  # of the two pairs one is kept, and one turns slower
            "n_heads": 3,
            "head_dim": 6,
            "rotary_dim": 4,
            "parallel": True,
            "unbiased": ("attention_output", "feed_forward"),
        },
    ),
]
"""Families, placements and choices, each choice of a part of the network at least once."""
REPEATED = (RUNS[0], RUNS[3], RUNS[17], RUNS[20])
"""Without these, every family, placement and choice is still there at least once."""
CONFIGURATIONS = mostly(
    (one_of := [pytest.param(*run) for run in RUNS]),
    *(case for case, run in zip(one_of, RUNS, strict=True) if run not in REPEATED),
)
"""`RUNS` as the arguments `family`, `placement` and `choices` of a test."""
SPREAD = tuple(RUNS[number] for number in (5, 6, 7, 8, 9, 10, 11, 13, 16, 20, 21))
"""Together every family, placement and norm, every way to tell positions in attention, every way to
weigh and nearly every score, with memory and without: enough where a run is what a test begins
with, and not what it computes again.
"""


SPREAD_CONFIGURATIONS = mostly(
    one_of, *(case for case, run in zip(one_of, RUNS, strict=True) if run in SPREAD)
)
"""`CONFIGURATIONS`, of which those of `SPREAD` are in `make test`."""


def runs_as(make: Callable[[tuple], object]) -> list:
    """`RUNS` as one argument of a test, what `make` makes of each of them. Those of `SPREAD` are in
    `make test`.
    """
    cases = [pytest.param(make(run), id=str(run)) for run in RUNS]
    return mostly(cases, *(case for case, run in zip(cases, RUNS, strict=True) if run in SPREAD))
