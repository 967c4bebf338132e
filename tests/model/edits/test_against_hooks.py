"""An edited pass gives the numbers of forward hooks on the modules of others with the same weights:
those of torch.nn and of GPT-2 in `transformers`. For its BERT, T5 and ViT see
test_against_hooks_of_hub.py.
"""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from model.edits.edit import read_edits
from model.edits.editor import Editor
from model.inputs.input import Input
from model.layers import masks
from model.runs.run_model import run_model
from model.trace import Record, Recorder
from model.transformer import Transformer
from tests.model.support.hooks import entering, leaving
from tests.model.support.hub import HEADS, TEXT, D, N, gpt_2
from tests.model.support.runs import small_model
from tests.model.support.small import SOURCE, TARGET, largest_difference, small
from tests.model.test_parity_torch import torch_transformer
from tests.rounding import same

HEAD = D // HEADS
OTHER = TEXT.flip(0)


@pytest.fixture(scope="module")
def pair() -> tuple[nn.Module, Transformer]:
    with torch.random.fork_rng():  # transformers draws its weights from the global generator
        torch.manual_seed(0)
        return gpt_2()


def ours(model: Transformer, *edits: dict) -> Tensor:
    """The logits of our decoder with edits; a patch is from the text OTHER."""
    other, theirs = Input(text="other"), Recorder()
    model.unembed(model.decode(OTHER, masks.causal(N), trace=theirs), theirs)
    whole = [
        edit | ({"from": {"text": "other"}} if edit["op"] == "patch" else {}) for edit in edits
    ]
    editor = Editor(model.config, read_edits(whole), {other: theirs.values})
    trace = editor.through(Record())
    return model.unembed(model.decode(TEXT, masks.causal(N), trace=trace), trace)


def with_cells(index: tuple, value: float | Tensor) -> Callable[[Tensor], Tensor]:
    def change(x: Tensor) -> Tensor:
        x[index] = value
        return x

    return change


VECTOR = [(-1) ** channel * channel / D for channel in range(D)]
CASES = {
    "a head is off": (
        {"op": "zero", "at": "decoder.1.attention.z", "where": {"head": [2]}},
        lambda gpt: entering(
            gpt.h[1].attn.c_proj, with_cells((..., slice(2 * HEAD, 3 * HEAD)), 0.0)
        ),
    ),
    "a head says its mean": (
        {"op": "mean", "at": "decoder.0.attention.z", "where": {"head": [1]}},
        lambda gpt: entering(
            gpt.h[0].attn.c_proj,
            lambda x: torch.cat(
                [
                    x[..., :HEAD],
                    x[..., HEAD : 2 * HEAD].mean(1, keepdim=True).expand(-1, N, -1),
                    x[..., 2 * HEAD :],
                ],
                -1,
            ),
        ),
    ),
    "an attention writes half": (
        {"op": "scale", "at": "decoder.2.attention.out", "value": 0.5},
        lambda gpt: leaving(gpt.h[2].attn.c_proj, lambda x: x / 2),
    ),
    "a neuron is set": (
        {"op": "set", "at": "decoder.0.feed_forward.pre", "where": {"hidden": [5]}, "value": 3.0},
        lambda gpt: leaving(gpt.h[0].mlp.c_fc, with_cells((..., 5), 3.0)),
    ),
    "a vector is added": (
        {"op": "add", "at": "decoder.1.residual.in", "value": VECTOR},
        lambda gpt: entering(gpt.h[1], lambda x: x + torch.tensor(VECTOR)),
    ),
    "two positions are swapped": (
        {"op": "swap", "at": "decoder.1.norm2.out", "where": {"position": [2, 6]}},
        lambda gpt: leaving(gpt.h[1].ln_2, lambda x: x[:, [0, 1, 6, 3, 4, 5, 2, 7, 8]]),
    ),
    "the last norm is scaled": (
        {"op": "scale", "at": "decoder.norm.out", "where": {"position": [8]}, "value": 2},
        lambda gpt: leaving(gpt.ln_f, lambda x: torch.cat([x[:, :8], 2 * x[:, 8:]], 1)),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_an_edit_is_a_hook_on_gpt_2(pair: tuple[nn.Module, Transformer], case: str):
    (theirs, model), (edit, hook) = pair, CASES[case]
    handle = hook(theirs.transformer)
    try:
        with torch.no_grad():
            expected = theirs(TEXT[None]).logits[0]
    finally:
        handle.remove()
    edited = ours(model, edit)
    same(edited, expected, scale=1)
    assert largest_difference(edited, ours(model)) > 1e-3


@pytest.mark.parametrize("layer", range(3))
@pytest.mark.parametrize("position", [0, 4, 8])
def test_activation_patching_is_that_of_hooks_on_gpt_2(
    pair: tuple[nn.Module, Transformer], layer: int, position: int
):
    theirs, model = pair
    block, inputs = theirs.transformer.h[layer], []
    with torch.no_grad():
        handle = entering(block, lambda x: inputs.append(x) or x)
        theirs(OTHER[None])
        handle.remove()
        handle = entering(block, with_cells((slice(None), position), inputs[0][:, position]))
        expected = theirs(TEXT[None]).logits[0]
        handle.remove()
    edit = {"op": "patch", "at": f"decoder.{layer}.residual.in", "positions": [[position] * 2]}
    same(ours(model, edit), expected, scale=1)


def test_edits_of_an_encoder_and_a_decoder_are_hooks_on_torch():
    model = small(dtype=torch.float32, placement="post")
    theirs = torch_transformer(model)
    edits = read_edits(
        [
            {"op": "zero", "at": "encoder.0.feed_forward.pre", "where": {"hidden": [1, 4]}},
            {"op": "scale", "at": "decoder.1.cross_attention.out", "value": -1},
            {"op": "set", "at": "decoder.0.norm1.out", "where": {"position": [2]}, "value": 0.5},
        ]
    )
    editor = Editor(model.config, edits, {})
    record = Record()
    trace = editor.through(record)
    allowed = {
        "encoder.attention": masks.full(len(SOURCE)),
        "decoder.attention": masks.causal(len(TARGET)),
        "decoder.cross_attention": torch.ones(len(TARGET), len(SOURCE), dtype=torch.bool),
    }
    model(SOURCE, TARGET, allowed, trace)
    leaving(theirs.encoder.layers[0].linear1, with_cells((..., [1, 4]), 0.0))
    leaving(theirs.decoder.layers[1].multihead_attn, lambda x: -x)
    leaving(theirs.decoder.layers[0].norm1, with_cells((slice(None), 2), 0.5))
    source, target = (record[f"{stack}.embedding.sum"][None] for stack in ("encoder", "decoder"))
    with torch.no_grad():
        expected = theirs(source, target, tgt_mask=~masks.causal(len(TARGET)))[0]
    same(record["decoder.1.residual.out"], expected, scale=1)


@pytest.mark.parametrize("placement", ["post", "pre", "branch"])
@pytest.mark.parametrize("part", ["attention", "feed_forward", "norm1"])
def test_an_edit_is_a_hook_on_our_own_modules(placement: str, part: str):
    model, text = small_model("encoder-only", placement), Input(text="the cat sees me")
    edit = {"op": "scale", "at": f"encoder.1.{part}.out", "value": 0.25}
    edited = run_model(model, text, read_edits([edit]))
    handle = leaving(getattr(model.transformer.encoder[1], part), lambda x: x / 4)
    try:
        expected = run_model(model, text).trace["logits"]
    finally:
        handle.remove()
    same(edited.trace["logits"], expected, scale=1)
