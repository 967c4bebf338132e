"""What a forward pass and its recording cost: with the trace off beside the GPT-2 of
`transformers`, with the trace on beside itself with the trace off, and beside TransformerLens.

The GPT-2 has no goal where its attention is one fused kernel. Ours stays the equation where nothing
is recorded too: losses, generated texts and counted multiplications on the pages come from such
passes, and are those of the code that is shown.
"""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import torch

from app.compute.allocator import keep_freed_memory
from model.config import Config, PositionChoices
from model.layers import masks
from model.trace import OFF, Recorder, Trace
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from tests.benchmarks.timing import Row, medians

SIZES = {"vocabulary_size": 1000, "d_model": 128, "n_heads": 4, "d_ff": 512, "max_length": 1024}
N_LAYERS = 4
GOALS = {64: 1.05, 256: 1.05, 1024: 1.10}
"""Time with the trace on over time with it off, by the number of tokens."""
PLAIN = 1.0
"""Time with the trace off over that of the eager GPT-2 of `transformers`."""
ROUNDS = {64: 60, 256: 30, 1024: 12}
ROOT = Path(__file__).parents[2]


def decoder(length: int) -> Callable[[Trace], object]:
    """A forward pass of a decoder of 4 layers on `length` tokens; weights are random, their values
    cost nothing.
    """
    config = Config(
        family="decoder-only",
        n_decoder_layers=N_LAYERS,
        placement="pre",
        positions=PositionChoices(absolute="learned"),
        activation="gelu",
        **SIZES,
    )
    transformer = (
        initialise(Transformer(config), torch.Generator().manual_seed(0))
        .eval()
        .requires_grad_(False)
    )
    ids = torch.arange(length) % config.vocabulary_size
    allowed = {"decoder.attention": masks.causal(length)}
    return lambda trace: transformer(None, ids, allowed, trace)


def gpt2(attention: str) -> torch.nn.Module:
    """The GPT-2 of `transformers` in the same sizes, with random weights. Its `attention` is
    "eager", or "sdpa" for a fused kernel.
    """
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(
        vocab_size=SIZES["vocabulary_size"],
        n_positions=SIZES["max_length"],
        n_embd=SIZES["d_model"],
        n_layer=N_LAYERS,
        n_head=SIZES["n_heads"],
        n_inner=SIZES["d_ff"],
        activation_function="gelu",
        attn_implementation=attention,
        use_cache=False,
        bos_token_id=0,
        eos_token_id=0,
    )
    return GPT2LMHeadModel(config).eval()


def everything(forward: Callable[[Trace], object]) -> None:
    """Records, and reads every record: what each head adds and the probabilities are computed only
    then.
    """
    trace = Recorder()
    forward(trace)
    for name in trace.values:
        trace.values[name]


def compared(eager: torch.nn.Module, fused: torch.nn.Module, length: int, goal: float) -> list[Row]:
    forward, ids = decoder(length), torch.arange(length)[None] % SIZES["vocabulary_size"]
    variants = {
        "eager": lambda: eager(ids),
        "fused": lambda: fused(ids),
        "off": lambda: forward(OFF),
        "on": lambda: forward(Recorder()),
        "read": lambda: everything(forward),
    }
    seconds = medians(variants, rounds=ROUNDS[length])
    note = f"4 layers, d_model 128; off takes {seconds['off'] * 1e3:.2f} ms"
    return [
        Row(
            f"plain pass / transformers' eager GPT-2, {length} tokens",
            seconds["off"] / seconds["eager"],
            PLAIN,
        ),
        Row(
            f"plain pass / transformers' GPT-2 with a fused kernel, {length} tokens",
            seconds["off"] / seconds["fused"],
        ),
        Row(f"trace on / off, {length} tokens", seconds["on"] / seconds["off"], goal, note=note),
        Row(
            f"trace on, with every head's output / off, {length} tokens",
            seconds["read"] / seconds["off"],
        ),
    ]


@torch.inference_mode()
def rows() -> list[Row]:
    torch.set_num_threads(1)
    keep_freed_memory()  # as the worker does
    eager, fused = gpt2("eager"), gpt2("sdpa")
    return [
        row for length, goal in GOALS.items() for row in compared(eager, fused, length, goal)
    ] + against_transformer_lens("tests.benchmarks.lens")


def against_transformer_lens(module: str) -> list[Row]:
    """The rows that `module` prints in the interpreter that LENS_PYTHON names: TransformerLens
    brings many packages, so it has an environment of its own, with our dependencies.
    """
    python = os.environ.get("LENS_PYTHON")
    if not python:
        print("TransformerLens is not compared: LENS_PYTHON names no interpreter that has it.")
        return []
    run = subprocess.run(
        [python, "-W", "ignore", "-m", module],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [Row(**row) for row in json.loads(run.stdout.splitlines()[-1])]
