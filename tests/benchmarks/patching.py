"""How long a grid of patches takes, and how far our patching and our edits are from those of
TransformerLens.
"""

import torch

from model.analyses import answer
from tests.benchmarks.timing import Row, medians
from tests.benchmarks.tracing import against_transformer_lens

QUESTION = {
    "model": "translator",
    "source": "I have a black cat in my house .",
    "clean": "I have a white cat in my house .",
}
TOKENS, SITES, LAYERS = 10, 9, 3
GOAL = 3.0
"""Processor seconds that the grid of 10 tokens, 9 sites and 3 layers may take."""
ROUNDS = 3


def rows() -> list[Row]:
    torch.set_num_threads(1)
    grid = answer("patching", QUESTION).tensors["restored"].data
    assert grid.shape[0] == SITES, f"{grid.shape[0]} sites"
    assert grid.shape[1] == LAYERS, f"{grid.shape[1]} layers"
    assert grid.shape[2] >= TOKENS, f"{grid.shape[2]} tokens"
    seconds = medians({"grid": lambda: answer("patching", QUESTION)}, ROUNDS, calls=1)
    note = f"{grid.numel()} edited runs and both inputs, on one core"
    return [
        Row("a grid of patches", seconds["grid"], GOAL, unit=" s", note=note),
        *against_transformer_lens("tests.benchmarks.lens_patching"),
        *against_transformer_lens("tests.benchmarks.lens_edits"),
    ]
