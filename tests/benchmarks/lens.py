"""Our trace and TransformerLens' `run_with_cache`, in turn in one process, on decoders of one size.
Prints rows as JSON.
"""

import json
from dataclasses import asdict

import torch
from transformer_lens import HookedTransformer, HookedTransformerConfig

from model.trace import OFF, Recorder
from tests.benchmarks.timing import Row, medians
from tests.benchmarks.tracing import GOALS, N_LAYERS, SIZES, decoder, everything


def hooked_decoder() -> HookedTransformer:
    config = HookedTransformerConfig(
        n_layers=N_LAYERS,
        d_model=SIZES["d_model"],
        n_heads=SIZES["n_heads"],
        d_head=SIZES["d_model"] // SIZES["n_heads"],
        d_mlp=SIZES["d_ff"],
        d_vocab=SIZES["vocabulary_size"],
        n_ctx=SIZES["max_length"],
        act_fn="gelu",
        normalization_type="LN",
        seed=0,
        device="cpu",
    )
    return HookedTransformer(config).eval()


def compare(hooked: HookedTransformer, length: int) -> list[Row]:
    forward, ids = decoder(length), torch.arange(length)[None] % SIZES["vocabulary_size"]
    variants = {
        "off": lambda: forward(OFF),
        "plain": lambda: hooked(ids),
        "on": lambda: forward(Recorder()),
        "read": lambda: everything(forward),
        "cache": lambda: hooked.run_with_cache(ids),
    }
    seconds = medians(variants, rounds=20)
    return [
        Row(
            f"TransformerLens' cache / our trace, {length} tokens",
            seconds["cache"] / seconds["on"],
            3,
            at_least=True,
        ),
        Row(
            f"TransformerLens' cache / our trace with every head's output, {length} tokens",
            seconds["cache"] / seconds["read"],
        ),
        Row(
            f"TransformerLens' cache / its own plain pass, {length} tokens",
            seconds["cache"] / seconds["plain"],
        ),
        Row(
            f"TransformerLens' plain pass / ours, {length} tokens",
            seconds["plain"] / seconds["off"],
        ),
    ]


@torch.inference_mode()
def rows() -> list[Row]:
    torch.set_num_threads(1)
    hooked = hooked_decoder()
    return [row for length in GOALS for row in compare(hooked, length)]


if __name__ == "__main__":
    print(json.dumps([asdict(row) for row in rows()]))
