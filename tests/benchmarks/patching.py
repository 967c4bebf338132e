"""How long a grid of patches takes, and how far our patching is from that of TransformerLens."""

import time

import torch

from model.analyses import answer
from tests.benchmarks.timing import Row, quantile
from tests.benchmarks.tracing import against_transformer_lens

QUESTION = {
    "model": "translator",
    "source": "I have a black cat in my house .",
    "clean": "I have a white cat in my house .",
}
TOKENS, SITES, LAYERS = 10, 9, 3
GOAL = 3.0
"""Seconds that the grid of 10 tokens, 9 sites and 3 layers may take on two cores."""
ROUNDS = 5


def rows() -> list[Row]:
    torch.set_num_threads(2)
    grid = answer("patching", QUESTION).tensors["restored"].data
    assert grid.shape[0] == SITES, f"{grid.shape[0]} sites"
    assert grid.shape[1] == LAYERS, f"{grid.shape[1]} layers"
    assert grid.shape[2] >= TOKENS, f"{grid.shape[2]} tokens"
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        answer("patching", QUESTION)
        seconds.append(time.perf_counter() - start)
    note = f"{grid.numel()} edited runs and both inputs, by the clock"
    return [
        Row("a grid of patches", quantile(seconds, 0.5), GOAL, unit=" s", note=note),
        *against_transformer_lens("tests.benchmarks.lens_patching"),
    ]
