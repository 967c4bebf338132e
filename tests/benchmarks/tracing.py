"""What recording costs: the same forward pass with the trace on and off, and beside it
TransformerLens on a model of the same size.
"""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import torch

from model.config import Config
from model.layers import masks
from model.trace import OFF, Recorder, Trace
from model.transformer import Transformer, initialise
from tests.benchmarks.timing import Row, medians

SIZES = {"vocabulary_size": 1000, "d_model": 128, "n_heads": 4, "d_ff": 512, "max_length": 256}
N_LAYERS = 4
GOALS = {64: 1.10, 256: 1.30}
ROOT = Path(__file__).parents[2]


def decoder(length: int) -> Callable[[Trace], object]:
    """A forward pass of a decoder of 4 layers on `length` tokens; weights are random, their values
    cost nothing.
    """
    config = Config(
        family="decoder-only",
        n_decoder_layers=N_LAYERS,
        placement="pre",
        positions="learned",
        activation="gelu",
        **SIZES,
    )
    transformer = (
        initialise(Transformer(config), torch.Generator().manual_seed(0))
        .eval()
        .requires_grad_(False)
    )
    ids = torch.arange(length) % config.vocabulary_size
    mask = masks.causal(length)
    return lambda trace: transformer.unembed(transformer.decode(ids, mask, trace=trace), trace)


def everything(forward: Callable[[Trace], object]) -> None:
    """Records, and reads every record: what each head adds and the probabilities are computed only
    then.
    """
    trace = Recorder()
    forward(trace)
    for name in trace.values:
        trace.values[name]


def on_against_off(length: int, goal: float) -> list[Row]:
    forward = decoder(length)
    variants = {
        "off": lambda: forward(OFF),
        "on": lambda: forward(Recorder()),
        "read": lambda: everything(forward),
    }
    seconds = medians(variants, rounds=30)
    note = f"4 layers, d_model 128; off takes {seconds['off'] * 1e3:.2f} ms"
    return [
        Row(f"trace on / off, {length} tokens", seconds["on"] / seconds["off"], goal, note=note),
        Row(
            f"trace on, with every head's output / off, {length} tokens",
            seconds["read"] / seconds["off"],
        ),
    ]


@torch.inference_mode()
def rows() -> list[Row]:
    torch.set_num_threads(1)
    return [
        row for length, goal in GOALS.items() for row in on_against_off(length, goal)
    ] + against_transformer_lens()


def against_transformer_lens() -> list[Row]:
    """In the interpreter that LENS_PYTHON names: TransformerLens brings many packages, so it has an
    environment of its own.
    """
    python = os.environ.get("LENS_PYTHON")
    if not python:
        print("TransformerLens is not compared: LENS_PYTHON names no interpreter that has it.")
        return []
    run = subprocess.run(
        [python, "-W", "ignore", "-m", "tests.benchmarks.lens"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [Row(**row) for row in json.loads(run.stdout.splitlines()[-1])]
