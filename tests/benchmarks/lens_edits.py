"""Edits by us and by hooks of TransformerLens 4's bridge, on GPT-2, BERT, T5 and ViT with the same
weights: the same cells are changed, and the answers are compared. Prints the largest differences as
rows in JSON.

Some hooks of the bridge are not what their names say.

- The hooks of the pattern and of the scores in BERT, T5 and ViT are called once the attention is
  done, and nothing uses what they give. The edited pattern times `hook_v` is written into `hook_z`.
- `hook_resid_mid` of GPT-2 and ViT is what the norm reads. The residual connection goes past it,
  and sees an edit only if it is written in place, as in TransformerLens' own patching.
- In BERT `hook_resid_mid` is what the last norm of a layer reads, and `hook_attn_out` the stream
  behind the first norm. What its attention adds is at `attn.o.hook_out`.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

import torch
from torch import Tensor
from transformer_lens.model_bridge import TransformerBridge
from transformer_lens.model_bridge.sources._bridge_builder import build_bridge_from_module

from tests.benchmarks.timing import Row
from tests.model.support.hub_pairs import EDITS, Inputs, Pair, changed, pairs

EXACT = 1e-5
LAYER = 1
Hook = tuple[str, Callable[..., Tensor]]

STREAM = {
    "residual.in": "hook_resid_pre",
    "residual.after_attention": "hook_resid_mid",
    "attention.out": "hook_attn_out",
    "feed_forward.out": "hook_mlp_out",
    "residual.out": "hook_resid_post",
}
BERT_STREAM = STREAM | {
    "residual.after_attention": "hook_attn_out",
    "attention.out": "attn.o.hook_out",
}
T5_STREAM = STREAM | {
    "residual.after_cross_attention": "hook_resid_mid2",
    "cross_attention.out": "hook_cross_attn_out",
}


@dataclass(frozen=True)
class Blocks:
    """A stack in the bridge: the name of its blocks, the hook for each of our sites of the stream,
    and the name of each attention.
    """

    name: str
    stream: Mapping[str, str]
    attentions: Mapping[str, str]
    pattern_is_read: bool = False
    """Whether the attention reads what the hook of its pattern gives."""


@dataclass(frozen=True)
class Built:
    """A model as the bridge names it: its class, the answer in ours and in its cache, the stacks in
    ours and in its, and other names of keywords.
    """

    architecture: str
    answer: tuple[str, str]
    stacks: Mapping[str, Blocks]
    keywords: Mapping[str, str]


SELF = {"attention": "attn"}
LOGITS = ("logits", "unembed.hook_out")
BUILT = {
    "GPT-2": Built(
        "GPT2LMHeadModel",
        LOGITS,
        {"decoder": Blocks("blocks", STREAM, SELF, pattern_is_read=True)},
        {"input_ids": "input"},
    ),
    "BERT": Built(
        "BertForMaskedLM",
        ("encoder.2.residual.out", "blocks.2.hook_out"),
        {"encoder": Blocks("blocks", BERT_STREAM, SELF)},
        {"input_ids": "input"},
    ),
    "T5": Built(
        "T5ForConditionalGeneration",
        LOGITS,
        {
            "encoder": Blocks("encoder_blocks", STREAM, SELF),
            "decoder": Blocks(
                "decoder_blocks",
                T5_STREAM,
                {"attention": "self_attn", "cross_attention": "cross_attn"},
            ),
        },
        {"input_ids": "input", "decoder_input_ids": "decoder_input"},
    ),
    "ViT": Built(
        "ViTForImageClassification",
        LOGITS,
        {"encoder": Blocks("blocks", STREAM, SELF)},
        {"pixel_values": "input"},
    ),
}


class Bridged:
    """The bridge around the model of a pair, and its numbers on both inputs."""

    def __init__(self, pair: Pair, built: Built):
        self.built, self.pair = built, pair
        theirs = cast(Any, pair.theirs)
        self.bridge: TransformerBridge = build_bridge_from_module(
            theirs, built.architecture, hf_config=theirs.config, tokenizer=None
        )
        self.cache, self.other = (
            self.bridge.run_with_cache(**self.keywords(inputs))[1]
            for inputs in (pair.inputs, pair.other)
        )

    def keywords(self, inputs: Inputs) -> Inputs:
        return {self.built.keywords[name]: value for name, value in inputs.items()}

    def answer(self, hooks: list[Hook]) -> Tensor:
        """The answer [position, …] with hooks."""
        found = []
        last = (self.built.answer[1], lambda value, hook: found.append(value) or value)
        self.bridge.run_with_hooks(**self.keywords(self.pair.inputs), fwd_hooks=[*hooks, last])
        return found[0].reshape(-1, found[0].shape[-1])

    def hook(self, op: str, name: str, index: tuple) -> Hook:
        """The edit at one hook, in place."""
        return name, lambda value, hook: value.copy_(changed(op, value, index, self.other[name]))

    def pattern(self, op: str, attention: str, index: tuple) -> Hook:
        """The edit of a pattern, as what the heads then read. A mask sets the logarithm of the
        pattern to -inf, which is a score less what its row has in common.
        """
        pattern, other = (run[f"{attention}.hook_pattern"] for run in (self.cache, self.other))
        if op == "mask":
            edited = changed(op, pattern.log(), index).softmax(-1)
        else:
            edited = changed(op, pattern, index, other)
        z = torch.einsum("bhqk,bkhc->bqhc", edited, self.cache[f"{attention}.hook_v"])
        return f"{attention}.hook_z", lambda value, hook: z


def cases(bridged: Bridged, stack: str, blocks: Blocks):
    """(operation, our activation, cells, hook) of every edit in one layer of a stack."""
    block = f"{blocks.name}.{LAYER}"
    for op in EDITS:
        for site, hook in blocks.stream.items():
            axis = "query" if site.endswith("attention.out") else "position"
            cells, index = {axis: [3], "channel": [4, 5, 6, 7]}, (slice(None), 3, slice(4, 8))
            there = bridged.hook(op, f"{block}.{hook}", index)
            yield op, f"{stack}.{LAYER}.{site}", cells, there
    for name, attention in blocks.attentions.items():
        at, there = f"{stack}.{LAYER}.{name}", f"{block}.{attention}"
        cell = (slice(None), 2, slice(None), 1)
        for op in EDITS:
            z = (slice(None), slice(None), 2)
            yield op, f"{at}.z", {"head": [2]}, bridged.hook(op, f"{there}.hook_z", z)
        for op in (*EDITS, "mask"):
            site, hook = ("scores", "attn_scores") if op == "mask" else ("pattern", "pattern")
            if blocks.pattern_is_read:
                change = bridged.hook(op, f"{there}.hook_{hook}", cell)
            else:
                change = bridged.pattern(op, there, cell)
            yield op, f"{at}.{site}", {"head": [2], "key": [1]}, change


def compared(name: str, pair: Pair) -> list[Row]:
    """One row for each operation: the largest difference of all edits with it, and where it is."""
    built = BUILT[name]
    ours = built.answer[0]
    plain = pair.values(pair.inputs)[ours]
    bridged = Bridged(pair, built)
    found: dict[str, list[tuple[float, str]]] = defaultdict(list)
    found["no edit"].append((difference(plain, bridged.answer([])), ""))
    for stack, blocks in built.stacks.items():
        for op, at, cells, hook in cases(bridged, stack, blocks):
            edited = pair.edited(op, at, cells)[ours]
            expected = bridged.answer([hook])
            moved = difference(edited, plain[: len(expected)])
            assert moved > 10 * EXACT, f"{name}: {op} at {at} changes nothing"
            found[op].append((difference(edited, expected), at))
    return [
        Row(
            f"{name}, {op}: largest difference from TransformerLens",
            max(differences)[0],
            EXACT,
            note=f"edits: {len(differences)}; {max(differences)[1]}" if op != "no edit" else "",
        )
        for op, differences in found.items()
    ]


def difference(ours: Tensor, theirs: Tensor) -> float:
    """A ViT answers at its first position only."""
    return (ours[: len(theirs)] - theirs).abs().max().item()


@torch.no_grad()
def rows() -> list[Row]:
    torch.manual_seed(0)
    return [row for name, make in pairs().items() for row in compared(name, make())]


if __name__ == "__main__":
    print(json.dumps([asdict(row) for row in rows()]))
