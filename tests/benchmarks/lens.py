"""Our trace and `run_with_cache` of TransformerLens 4's bridge, in turn in one process, on decoders
of one size. Prints rows as JSON.
"""

import copy
import json
from dataclasses import asdict

import torch
from transformer_lens.model_bridge import TransformerBridge
from transformer_lens.model_bridge.sources._bridge_builder import build_bridge_from_module

from app.compute.allocator import keep_freed_memory
from model.trace import OFF, Recorder
from tests.benchmarks.timing import Row, medians
from tests.benchmarks.tracing import ROUNDS, SIZES, decoder, everything, gpt2

AS_FAST = {64: 3.0, 256: 2.0, 1024: 1.4}
"""How many times as long TransformerLens may take at least, by the number of tokens."""


def bridge() -> TransformerBridge:
    """TransformerLens' bridge around the GPT-2 of `transformers` that is measured beside it."""
    theirs = gpt2("eager")
    return build_bridge_from_module(
        copy.deepcopy(theirs), "GPT2LMHeadModel", hf_config=theirs.config, tokenizer=None
    )


def compare(hooked: TransformerBridge, length: int, goal: float) -> list[Row]:
    forward, ids = decoder(length), torch.arange(length)[None] % SIZES["vocabulary_size"]
    variants = {
        "off": lambda: forward(OFF),
        "plain": lambda: hooked(ids),
        "on": lambda: forward(Recorder()),
        "read": lambda: everything(forward),
        "cache": lambda: hooked.run_with_cache(ids),
    }
    seconds = medians(variants, rounds=ROUNDS[length])
    return [
        Row(
            f"TransformerLens' cache / our trace, {length} tokens",
            seconds["cache"] / seconds["on"],
            goal,
            at_least=True,
        ),
        Row(
            f"TransformerLens' cache / our trace with every head's output, {length} tokens",
            seconds["cache"] / seconds["read"],
        ),
        Row(
            f"TransformerLens' plain pass / ours, {length} tokens",
            seconds["plain"] / seconds["off"],
        ),
    ]


@torch.inference_mode()
def rows() -> list[Row]:
    torch.set_num_threads(1)
    keep_freed_memory()  # as the worker does
    hooked = bridge()
    return [row for length, goal in AS_FAST.items() for row in compare(hooked, length, goal)]


if __name__ == "__main__":
    print(json.dumps([asdict(row) for row in rows()]))
