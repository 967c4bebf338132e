"""The residual stream: what enters it, what is written to it, and what is read out (rows 15, 17 and
28 of the science).
"""

import math

import pytest
import torch

from model.trace import Recorder
from tests.model.support.small import (
    SOURCE,
    continue_text,
    small,
    traced,
    translate,
)
from tests.rounding import same

PLACEMENTS = pytest.mark.parametrize("placement", ["post", "pre"])
FAMILIES = pytest.mark.parametrize("family", ["encoder-only", "decoder-only", "encoder-decoder"])
SUBLAYERS = {
    "attention": "after_attention",
    "cross_attention": "after_cross_attention",
    "feed_forward": "out",
}


def forward(model, trace):
    return (translate if model.config.cross else continue_text)(model, trace=trace)


@FAMILIES
@PLACEMENTS
def test_recording_changes_no_bit(family, placement):
    model, trace = small(family, placement=placement, dtype=torch.float32), Recorder()
    recorded = forward(model, trace)
    assert torch.equal(recorded, (translate if model.config.cross else continue_text)(model))
    assert torch.equal(recorded, trace.values["logits"])
    assert torch.equal(recorded.softmax(-1), trace.values["probabilities"])


@FAMILIES
@PLACEMENTS
def test_each_block_reads_what_the_one_before_it_left_bit_for_bit(family, placement):
    trace = traced(small(family, placement=placement, dtype=torch.float32))
    for stack in {name.split(".")[0] for name in trace if ".1." in name}:
        assert torch.equal(trace[f"{stack}.0.residual.in"], trace[f"{stack}.embedding.sum"])
        assert torch.equal(trace[f"{stack}.1.residual.in"], trace[f"{stack}.0.residual.out"])


def layer_norm(x, gain, bias, epsilon=1e-5):
    centred = x - x.sum(-1, keepdim=True) / x.shape[-1]
    return (
        centred / ((centred**2).sum(-1, keepdim=True) / x.shape[-1] + epsilon).sqrt() * gain + bias
    )


@FAMILIES
@PLACEMENTS
def test_post_normalises_after_the_addition_and_pre_before_the_sublayer(family, placement):
    model = small(family, placement=placement)
    trace = traced(model)
    for stack in model.config.stacks:
        for layer in (0, 1):
            scope, x = f"{stack}.{layer}", trace[f"{stack}.{layer}.residual.in"]
            names = [name for name in SUBLAYERS if f"{scope}.{name}.out" in trace]
            for number, name in enumerate(names, start=1):
                norm = model.get_submodule(f"{scope}.norm{number}")
                output, after = (
                    trace[f"{scope}.{name}.out"],
                    trace[f"{scope}.residual.{SUBLAYERS[name]}"],
                )
                if placement == "post":
                    same(after, layer_norm(x + output, norm.gain, norm.bias), scale=1)
                else:
                    assert torch.equal(after, x + output)
                    same(
                        trace[f"{scope}.norm{number}.out"],
                        layer_norm(x, norm.gain, norm.bias),
                        scale=1,
                    )
                x = after
        if placement == "pre":
            final = model.get_submodule(f"{stack}.norm")
            same(trace[f"{stack}.norm.out"], layer_norm(x, final.gain, final.bias), scale=1)


def parts_of(model, trace, stack: str) -> list[torch.Tensor]:
    """Embedding, position, every head, every feed-forward and every bias, carried to the last
    block's output.

    A Post-LN carries each part by its own linear share: minus the part's mean, over the scale that
    was, times the gain.
    """
    parts = [trace[f"{stack}.embedding.token"], trace[f"{stack}.embedding.position"]]
    for layer in range(model.config.layers(stack)):
        scope = f"{stack}.{layer}"
        for number, name in enumerate(
            [name for name in SUBLAYERS if f"{scope}.{name}.out" in trace], start=1
        ):
            if name == "feed_forward":
                output = model.get_submodule(f"{scope}.feed_forward.output")
                parts += [
                    trace[f"{scope}.feed_forward.post"] @ output.weight,
                    output.bias.expand_as(parts[0]),
                ]
            else:
                parts += [
                    *trace[f"{scope}.{name}.head_out"],
                    model.get_submodule(f"{scope}.{name}.output").bias.expand_as(parts[0]),
                ]
            if model.config.placement == "post":
                norm, scale = (
                    model.get_submodule(f"{scope}.norm{number}"),
                    trace[f"{scope}.norm{number}.scale"][:, None],
                )
                parts = [(part - part.mean(-1, keepdim=True)) / scale * norm.gain for part in parts]
                parts.append(norm.bias.expand_as(parts[0]))
    return parts


@FAMILIES
@PLACEMENTS
def test_the_stream_is_the_sum_of_its_parts(family, placement):
    model = small(family, placement=placement)
    trace = traced(model)
    for stack in model.config.stacks:
        same(sum(parts_of(model, trace, stack)), trace[f"{stack}.1.residual.out"], scale=1)


@pytest.mark.parametrize("tied", [True, False])
@PLACEMENTS
def test_embedding_is_a_row_of_a_table_and_unembedding_a_product_with_one(placement, tied):
    model = small(placement=placement, tied_unembedding=tied)
    trace = traced(model)
    one_hot = torch.eye(13, dtype=torch.float64)[SOURCE]
    same(one_hot @ model.embedding.token * math.sqrt(16), trace["encoder.embedding.token"], scale=1)
    last = trace["decoder.norm.out" if placement == "pre" else "decoder.1.residual.out"]
    table = model.embedding.token if tied else model.untied
    by_token = torch.stack([(last * row).sum(-1) for row in table], dim=-1)
    same(by_token, trace["logits"], scale=1)
    parameters = 13 * 16 * (1 if tied else 2)
    assert (
        sum(
            p.numel()
            for name, p in model.named_parameters()
            if name.startswith(("embedding", "untied"))
        )
        == parameters
    )
