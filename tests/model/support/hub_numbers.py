"""What a model of `transformers` and ours compute of one input, by the names of our activations."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from model.activations.activation import block_output, stack_output
from model.config import Config
from model.generation.decoding import IncrementalDecoder
from model.hub import describe, load
from model.layers import masks
from model.trace import Recorder
from model.transformer import Transformer
from tests.model.support.hub_models import in_double, rounding_nothing
from tests.rounding import SHIPPED, near, same

Inputs = Mapping[str, Tensor]
"""What `transformers` is called with, each a batch of one; the input of the encoder comes first."""

STACKS = {
    "encoder-only": {"encoder": ("hidden_states", "attentions")},
    "decoder-only": {"decoder": ("hidden_states", "attentions")},
    "encoder-decoder": {
        "encoder": ("encoder_hidden_states", "encoder_attentions"),
        "decoder": ("decoder_hidden_states", "decoder_attentions"),
    },
}


def greedy_ids(decoder: IncrementalDecoder, first: Tensor, n: int) -> list[int]:
    """`n` ids that are written greedily behind `first`."""
    new, ids = first[None], []
    for _ in range(n):
        new = decoder.read(new).argmax(-1)[:, None]
        ids.append(int(new))
    return ids


def their_numbers(theirs: nn.Module, config: Config, inputs: Inputs) -> dict[str, Tensor]:
    """Every stream, every pattern and the logits of a model that has a head."""
    with torch.no_grad():
        out = theirs(**inputs, output_hidden_states=True, output_attentions=True)
    numbers = {}
    for stack, (streams, patterns) in STACKS[config.family].items():
        for layer, pattern in enumerate(out[patterns]):
            numbers[f"{stack}.{layer}.residual.in"] = out[streams][layer][0]
            numbers[f"{stack}.{layer}.attention.pattern"] = pattern[0]
        last = block_output(stack, config.layers(stack) - 1)
        # ViT alone keeps the last stream as the last block left it.
        after = last if config.inputs == "patches" else stack_output(config, stack)
        numbers[after] = out[streams][-1][0]
    for layer, pattern in enumerate(out["cross_attentions"] if config.cross else ()):
        numbers[f"decoder.{layer}.cross_attention.pattern"] = pattern[0]
    if not config.head.absent:
        of_whole = config.head.classes
        logits = out["logits" if "logits" in out else "prediction_logits"]
        numbers["logits"] = logits if of_whole else logits[0]
    return numbers


def our_numbers(model: Transformer, inputs: Inputs) -> dict[str, Tensor]:
    """All that a pass of ours records; of the classes of a whole text, the logits at its start."""
    config, trace = model.config, Recorder()
    read = [value[0] for name, value in inputs.items()]
    n = len(read[0]) if config.inputs == "tokens" else config.max_length
    if config.family == "encoder-decoder":
        source, target = read
        allowed = {
            "encoder.attention": masks.full(n),
            "decoder.attention": masks.causal(len(target)),
            "decoder.cross_attention": torch.ones(1, n, dtype=torch.bool),
        }
        model(source, target, allowed, trace)
    elif config.family == "encoder-only":
        model(read[0], None, {"encoder.attention": masks.full(n)}, trace)
    else:
        model(None, read[0], {"decoder.attention": masks.causal(n)}, trace)
    numbers = dict(trace.values)
    if config.head.classes:
        numbers |= {"logits": numbers["logits"][:1]} if "logits" in numbers else {}
    return numbers


def check_same(ours: Mapping[str, Tensor], theirs: Mapping[str, Tensor]) -> None:
    """The numbers of one name are equal up to rounding."""
    assert max(float(value.abs().max()) for value in theirs.values()) > 0.5, "a mistake would show"
    same({name: ours[name] for name in theirs}, theirs, n=SHIPPED, scale=1)


def check_read_exactly(
    theirs: nn.Module, family: str, inputs: Inputs, folder: Path, patch: pytest.MonkeyPatch
) -> Transformer:
    """Saves and reads a model, and compares what both compute in single and in double precision."""
    theirs.save_pretrained(folder)
    config, ours = load(folder)
    assert describe(folder)["family"] == family
    assert describe(folder)["config"] == config.as_dict()
    expected = their_numbers(theirs, config, inputs)
    check_same(our_numbers(ours, inputs), expected)
    double = {name: x.double() if x.is_floating_point() else x for name, x in inputs.items()}
    with rounding_nothing(patch):
        expected = their_numbers(in_double(theirs), config, double)
    _, twin = load(folder)
    found = our_numbers(twin.double(), double)
    if getattr(theirs.config, "hidden_act", "") == "gelu_fast":
        why = "the ten digits of the root of 2 / pi in the gelu_fast of transformers"
        near([found[name] for name in expected], list(expected.values()), why, abs=1e-10)
    else:
        check_same(found, expected)
    return ours
