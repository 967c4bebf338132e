"""A model of `transformers` and ours with the same weights, an input that both read, and one edit
in both: in ours as the question asks it, in theirs as a change of a tensor in a hook.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor, nn

from model.edits.edit import read_edits
from model.edits.editor import Editor
from model.inputs.input import Input
from model.layers import masks
from model.trace import Record
from model.transformer import Transformer
from tests.model.support.hub import TARGET, TEXT, N, bert, gpt_2, t5, vit

Inputs = dict[str, Tensor]
OTHER = {"text": "other"}
EDITS: dict[str, dict] = {
    "zero": {},
    "scale": {"value": -0.5},
    "set": {"value": 0.25},
    "patch": {"from": OTHER},
}
"""The fields of each operation."""


@dataclass(frozen=True)
class Pair:
    """`inputs` has the keywords with which `transformers` is called on a batch of one, the input of
    the encoder first, and `allowed` the masks of ours.
    """

    theirs: nn.Module
    model: Transformer
    inputs: Inputs
    allowed: dict[str, Tensor]

    @cached_property
    def other(self) -> Inputs:
        """Another input of the same shape, from which `patch` copies."""
        return {name: value.flip(-1) for name, value in self.inputs.items()}

    @cached_property
    def other_values(self) -> Mapping[str, Tensor]:
        return self.values(self.other)

    def edited(self, op: str, at: str, where: dict) -> Mapping[str, Tensor]:
        """Our activations on `inputs` with one edit."""
        edit = {"op": op, "at": at, "where": where, **EDITS.get(op, {})}
        return self.values(self.inputs, edit)

    def values(self, inputs: Inputs, *edits: dict) -> Mapping[str, Tensor]:
        others = {Input(**OTHER): self.other_values} if any("from" in e for e in edits) else {}
        record = Record()
        trace = Editor(self.model.config, read_edits(edits), others).through(record)
        read = [value[0] for value in inputs.values()]
        if "encoder" not in self.model.config.stacks:
            read = [None, *read]
        if "decoder" not in self.model.config.stacks:
            read = [*read, None]
        with torch.no_grad():
            self.model(*read, self.allowed, trace)
        return record


def changed(op: str, x: Tensor, index: tuple, other: Tensor | None = None) -> Tensor:
    """What the edit `op` of EDITS makes of the cells `index` of a tensor in a hook; `other` is the
    same tensor in the run that `patch` copies from.
    """
    x = x.clone()
    if op == "patch":
        assert other is not None, "a patch copies from another run"
        x[index] = other[index]
    else:
        x[index] = {"zero": 0.0, "scale": -0.5 * x[index], "set": 0.25, "mask": -torch.inf}[op]
    return x


def pairs() -> dict[str, Callable[[], Pair]]:
    """What makes each pair. The weights are drawn from the global generator."""
    texts = {"input_ids": TEXT[None]}
    image = torch.randn(1, 3, 8, 8, generator=torch.Generator().manual_seed(2))
    everything = {"encoder.attention": masks.full(N)}
    translating = {
        "decoder.attention": masks.causal(len(TARGET)),
        "decoder.cross_attention": torch.ones(len(TARGET), N, dtype=torch.bool),
    }
    return {
        "GPT-2": lambda: Pair(*gpt_2(), texts, {"decoder.attention": masks.causal(N)}),
        "BERT": lambda: Pair(*bert(), texts, everything),
        "T5": lambda: Pair(
            *t5(), texts | {"decoder_input_ids": TARGET[None]}, everything | translating
        ),
        "ViT": lambda: Pair(*vit(), {"pixel_values": image}, {"encoder.attention": masks.full(17)}),
    }
