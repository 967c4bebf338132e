"""How long a reader waits for a sweep: every head of the translator turned off, in seconds of one
processor, which two cores do not exceed.
"""

import torch

from app.compute.allocator import keep_freed_memory
from model.analyses import answer
from model.inputs.input import Input
from model.interpretability.patching.knock_outs import heads, zero
from model.runs.run_model import run_model
from model.runs.sweep import sweep
from model.zoo.models import load_model
from tests.benchmarks.timing import Row, medians

ROUNDS = 3
SOURCE = "I don't speak French."


@torch.inference_mode()
def rows() -> list[Row]:
    torch.set_num_threads(1)
    keep_freed_memory()  # as the worker does
    model, inputs = load_model("translator"), Input(source=SOURCE)
    off = [zero(head) for head in heads(run_model(model, inputs), 0)]
    variants = {
        "alone": lambda: [run_model(model, inputs, edits=edits) for edits in off],
        "batch": lambda: sweep(model, inputs, off),
        "answer": lambda: answer("effects", {"model": model.id, "source": SOURCE}),
    }
    seconds = medians(variants, rounds=ROUNDS, calls=1)
    return [
        Row(f"{len(off)} heads of the translator off, a run each", seconds["alone"], unit=" s"),
        Row(f"{len(off)} heads of the translator off, a batch", seconds["batch"], 1, unit=" s"),
        Row(
            "/effects: the same, and each head as in 4 other examples",
            seconds["answer"],
            1,
            unit=" s",
        ),
    ]
