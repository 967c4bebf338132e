"""An edited pass of BERT, T5 and ViT gives the numbers of forward hooks on the modules of
`transformers` with the same weights.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.model.support.hooks import Change, entering, leaving
from tests.model.support.hub import HEADS, D
from tests.model.support.hub_pairs import EDITS, Inputs, Pair, changed, pairs
from tests.model.support.small import largest_difference
from tests.rounding import same
from tests.thorough import mostly

VISIBLE = 1e-4  # four channels of one patch move a class of the ViT by some 5e-4
HEAD = D // HEADS
OF_HEAD = (..., slice(2 * HEAD, 3 * HEAD))
OF_STREAM = (slice(None), 3, slice(4, 8))
OF_PATTERN = (slice(None), 2, slice(None), 1)

Place = tuple[Callable, Callable[[Any], Any]]
"""Whether a hook is on what a module reads or gives, and which module of theirs that is."""

PLACES: dict[str, dict[str, Place]] = {
    "BERT": {
        "encoder.1.residual.in": (entering, lambda it: it.bert.encoder.layer[1]),
        "encoder.1.attention.z": (
            entering,
            lambda it: it.bert.encoder.layer[1].attention.output.dense,
        ),
        "encoder.1.attention.out": (
            leaving,
            lambda it: it.bert.encoder.layer[1].attention.output.dense,
        ),
        "encoder.1.residual.after_attention": (
            leaving,
            lambda it: it.bert.encoder.layer[1].attention.output.LayerNorm,
        ),
        "encoder.1.feed_forward.out": (leaving, lambda it: it.bert.encoder.layer[1].output.dense),
        "encoder.1.residual.out": (leaving, lambda it: it.bert.encoder.layer[1]),
    },
    "T5": {
        "encoder.1.residual.in": (entering, lambda it: it.encoder.block[1]),
        "encoder.1.attention.z": (
            entering,
            lambda it: it.encoder.block[1].layer[0].SelfAttention.o,
        ),
        "encoder.1.attention.out": (
            leaving,
            lambda it: it.encoder.block[1].layer[0].SelfAttention.o,
        ),
        "encoder.1.residual.after_attention": (leaving, lambda it: it.encoder.block[1].layer[0]),
        "encoder.1.feed_forward.out": (
            leaving,
            lambda it: it.encoder.block[1].layer[1].DenseReluDense,
        ),
        "encoder.norm.out": (leaving, lambda it: it.encoder.final_layer_norm),
        "decoder.1.residual.in": (entering, lambda it: it.decoder.block[1]),
        "decoder.1.attention.z": (
            entering,
            lambda it: it.decoder.block[1].layer[0].SelfAttention.o,
        ),
        "decoder.1.residual.after_attention": (leaving, lambda it: it.decoder.block[1].layer[0]),
        "decoder.1.cross_attention.z": (
            entering,
            lambda it: it.decoder.block[1].layer[1].EncDecAttention.o,
        ),
        "decoder.1.cross_attention.out": (
            leaving,
            lambda it: it.decoder.block[1].layer[1].EncDecAttention.o,
        ),
        "decoder.1.residual.after_cross_attention": (
            leaving,
            lambda it: it.decoder.block[1].layer[1],
        ),
        "decoder.1.residual.out": (leaving, lambda it: it.decoder.block[1]),
    },
    "ViT": {
        "encoder.1.residual.in": (entering, lambda it: it.vit.layers[1]),
        "encoder.1.attention.z": (entering, lambda it: it.vit.layers[1].attention.o_proj),
        "encoder.1.attention.out": (leaving, lambda it: it.vit.layers[1].attention.o_proj),
        "encoder.1.feed_forward.out": (leaving, lambda it: it.vit.layers[1].mlp),
        "encoder.1.residual.out": (leaving, lambda it: it.vit.layers[1]),
        "encoder.norm.out": (leaving, lambda it: it.vit.layernorm),
    },
}
ATTENTIONS: dict[str, dict[str, tuple[str, Callable[[Any], Any], str]]] = {
    "BERT": {
        "encoder.1.attention": (
            "attentions",
            lambda it: it.bert.encoder.layer[1].attention.self.value,
            "encoder.1.attention.z",
        )
    },
    "T5": {
        "encoder.1.attention": (
            "encoder_attentions",
            lambda it: it.encoder.block[1].layer[0].SelfAttention.v,
            "encoder.1.attention.z",
        ),
        "decoder.1.cross_attention": (
            "cross_attentions",
            lambda it: it.decoder.block[1].layer[1].EncDecAttention.v,
            "decoder.1.cross_attention.z",
        ),
    },
    "ViT": {
        "encoder.1.attention": (
            "attentions",
            lambda it: it.vit.layers[1].attention.v_proj,
            "encoder.1.attention.z",
        )
    },
}
"""Where `transformers` returns the pattern of an attention, and what makes its values."""


@pytest.fixture(scope="module")
def pairs_by_name() -> dict[str, Pair]:
    with torch.random.fork_rng():  # transformers draws its weights from the global generator
        torch.manual_seed(0)
        return {name: make() for name, make in pairs().items() if name in PLACES}


def answer(pair: Pair, inputs: Inputs) -> Tensor:
    """The last hidden state of their BERT, the logits of the others [position, …]."""
    with torch.no_grad():
        if hasattr(pair.theirs, "bert"):
            return pair.theirs.bert(**inputs).last_hidden_state[0]
        logits = pair.theirs(**inputs).logits
    return logits.reshape(-1, logits.shape[-1])


def hooked(pair: Pair, inputs: Inputs, place: Place, change: Change) -> Tensor:
    on, module = place
    handle = on(module(pair.theirs), change)
    try:
        return answer(pair, inputs)
    finally:
        handle.remove()


def activation(pair: Pair, inputs: Inputs, place: Place) -> Tensor:
    """What a hook sees of an unedited run."""
    found: list[Tensor] = []
    hooked(pair, inputs, place, lambda x: found.append(x) or x)
    return found[0]


def check(pair: Pair, edit: tuple[str, str, dict], expected: Tensor) -> None:
    """The edit gives the expected answer, which is not that of the unedited run."""
    name = "encoder.2.residual.out" if hasattr(pair.theirs, "bert") else "logits"
    edited = pair.edited(*edit)[name][: len(expected)]  # a ViT answers at its first position
    same(edited, expected, scale=1)
    assert largest_difference(expected, answer(pair, pair.inputs)) > VISIBLE


HOOKS = [
    pytest.param(name, at, op) for name, places in PLACES.items() for at in places for op in EDITS
]


@pytest.mark.parametrize(
    ("name", "at", "op"),
    # every operation at one place of each model, and one that reads another run everywhere
    mostly(HOOKS, *(row for row in HOOKS if "patch" in row.values or row.values[1].endswith(".z"))),
)
def test_an_edit_is_a_hook(pairs_by_name: dict[str, Pair], name: str, at: str, op: str):
    pair, place = pairs_by_name[name], PLACES[name][at]
    axis = "query" if at.endswith("attention.out") else "position"
    if at.endswith(".z"):
        cells, index = {"head": [2]}, OF_HEAD
    else:
        cells, index = {axis: [3], "channel": [4, 5, 6, 7]}, OF_STREAM
    if (name, at) == ("ViT", "encoder.norm.out"):  # the classes are read from [CLS] alone
        cells, index = {"position": [0], "channel": [4, 5, 6, 7]}, (slice(None), 0, slice(4, 8))
    other = activation(pair, pair.other, place)
    expected = hooked(pair, pair.inputs, place, lambda x: changed(op, x, index, other))
    check(pair, (op, at, cells), expected)


def pattern_and_values(pair: Pair, inputs: Inputs, name: str, at: str) -> tuple[Tensor, Tensor]:
    """Of layer 1: [batch, head, query, key] and [batch, head, key, head channel]."""
    field, module, _ = ATTENTIONS[name][at]
    theirs = pair.theirs.bert if name == "BERT" else pair.theirs
    with torch.no_grad():
        pattern = theirs(**inputs, output_attentions=True)[field][1]
    values = activation(pair, inputs, (leaving, module))
    return pattern, values.unflatten(-1, (HEADS, HEAD)).transpose(1, 2)


@pytest.mark.parametrize("op", [*EDITS, "mask"])
@pytest.mark.parametrize(
    ("name", "at"), [(name, at) for name, attentions in ATTENTIONS.items() for at in attentions]
)
def test_an_edited_pattern_is_what_the_heads_average_the_values_with(
    pairs_by_name: dict[str, Pair], name: str, at: str, op: str
):
    """A masked score leaves a row that sums to 1 without the masked key."""
    pair = pairs_by_name[name]
    pattern, values = pattern_and_values(pair, pair.inputs, name, at)
    other, _ = pattern_and_values(pair, pair.other, name, at)
    edited = changed("zero" if op == "mask" else op, pattern, OF_PATTERN, other)
    if op == "mask":
        edited = edited / edited.sum(-1, keepdim=True)
    z = (edited @ values).transpose(1, 2).flatten(-2)
    expected = hooked(pair, pair.inputs, PLACES[name][ATTENTIONS[name][at][2]], lambda _: z)
    site = "scores" if op == "mask" else "pattern"
    check(pair, (op, f"{at}.{site}", {"head": [2], "key": [1]}), expected)
