"""Activation patching by TransformerLens 4 and by us, on one GPT-2 with the same weights, at every
site, layer and position. Prints the largest differences as rows in JSON.
"""

import copy
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from typing import Any, cast
from unittest.mock import patch as replaced

import torch
from torch import Tensor
from transformer_lens import patching
from transformer_lens.model_bridge import TransformerBridge
from transformer_lens.model_bridge.sources._bridge_builder import build_bridge_from_module

from model.inputs.input import Input
from model.interpretability.patching.activations import Goal, measured, patch
from model.layers import masks
from model.runs.run import Run
from model.runs.run_model import READINGS, run_model
from model.trace import Record, TraceFactory, unchanged
from model.transformer import Transformer
from model.zoo.models import Model
from tests.benchmarks.timing import Row
from tests.model.support.hub import HEADS, LAYERS, TEXT, N, gpt_2

CLEAN = TEXT.flip(0)
WANTED, OTHER = 7, 11  # two ids whose logits are compared
EXACT = 1e-5

SITES: dict[str, Callable] = {
    "residual.in": patching.get_act_patch_resid_pre,
    "residual.after_attention": patching.get_act_patch_resid_mid,
    "attention.out": patching.get_act_patch_attn_out,
    "feed_forward.out": patching.get_act_patch_mlp_out,
}
HEAD_SITES: dict[str, Callable] = {
    "attention.z": patching.get_act_patch_attn_head_out_by_pos,
    "attention.q": patching.get_act_patch_attn_head_q_by_pos,
    "attention.k": patching.get_act_patch_attn_head_k_by_pos,
    "attention.v": patching.get_act_patch_attn_head_v_by_pos,
}


def difference(logits: Tensor) -> Tensor:
    return logits[0, -1, WANTED] - logits[0, -1, OTHER]


def bridge(theirs: torch.nn.Module) -> TransformerBridge:
    return build_bridge_from_module(
        copy.deepcopy(theirs),
        "GPT2LMHeadModel",
        hf_config=cast(Any, theirs).config,
        tokenizer=None,
    )


def run(
    transformer: Transformer, model: Model, input: Input, through: TraceFactory = unchanged
) -> Run:
    """A run of our decoder on CLEAN or on TEXT."""
    record = Record()
    trace, ids = through(record), CLEAN if input.text == "clean" else TEXT
    transformer.unembed(transformer.decode(ids, masks.causal(N), trace=trace), trace)
    return Run(model, {"text": input.text or ""}, {}, {}, record, {})


def ours(corrupted: Run, goal: Goal, site: str, heads: list[int | None]) -> Tensor:
    """Our logit differences [layer, position, head]."""
    rows = [
        (patch(f"decoder.{layer}.{site}", [(at, at)], Input(text="clean"), head),)
        for layer in range(LAYERS)
        for at in range(N)
        for head in heads
    ]
    found, _ = measured(corrupted, rows, goal, "logit_difference")
    return found.view(LAYERS, N, len(heads))


@torch.inference_mode()
def rows() -> list[Row]:
    torch.manual_seed(0)
    theirs, transformer = gpt_2()
    hooked = bridge(theirs)
    _, cache = hooked.run_with_cache(CLEAN[None])
    model = Model("gpt-2", transformer.config, transformer, cast(Any, None), {})
    found = []
    reading = replace(READINGS["tokens", "decoder-only"], run=partial(run, transformer))
    with replaced.dict(READINGS, {("tokens", "decoder-only"): reading}):
        clean = run_model(model, Input(text="clean"))
        corrupted = run_model(model, Input(text="corrupted"))
        goal = Goal(N - 1, clean.trace["logits"][-1], WANTED, OTHER)
        for site, ask in (SITES | HEAD_SITES).items():
            heads = list(range(HEADS)) if site in HEAD_SITES else [None]
            grid = ask(hooked, TEXT[None], cache, difference).view(LAYERS, N, len(heads))
            mine = ours(corrupted, goal, site, heads)
            assert mine.std() > 10 * EXACT, f"patches at {site} change nothing"
            found.append(
                Row(
                    f"patching at {site}: largest difference from TransformerLens",
                    (grid.double() - mine).abs().max().item(),
                    EXACT,
                )
            )
    return found


if __name__ == "__main__":
    print(json.dumps([asdict(row) for row in rows()]))
