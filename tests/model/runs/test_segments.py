"""A run of a text in segments: what stands in the map is what was read, and what is remembered
comes from where it was computed.
"""

import numpy as np
import pytest
import torch

from model.analyses.attention import attention
from model.analyses.explain import explain
from model.analyses.generate import generate
from model.analyses.logits import logits
from model.analyses.masks import under
from model.analyses.residual import residual
from model.analytic.custom_mask import custom_mask
from model.errors import InvalidInput
from model.inputs.input import Input
from model.layers import masks
from model.runs.run import id_tensor
from model.runs.run_model import run_model
from tests.model.support.runs import small_model
from tests.rounding import SINGLE, same

TEXT = "the cat sees the dog . i am late ?"
CHOICES = {"positions": "none", "relative": "rope", "segment": 4, "memory": 6, "placement": "pre"}


def read(text=TEXT, **choices):
    return run_model(small_model("decoder-only", **{**CHOICES, **choices}), Input(text=text))


def whole_tokens(of, text=TEXT):
    return of.model.tokenizer.encode(text, start=True)


def test_the_map_has_the_last_segment_as_rows_and_what_is_remembered_as_further_columns():
    of = read()
    tokens = [token.text for token in whole_tokens(of)]
    n, begins = len(tokens), (len(tokens) - 1) // 4 * 4
    answer = attention(of)
    assert answer.axes["text"].labels == tokens[begins:]
    assert answer.axes["recalled"].labels == tokens[begins - 6 :]
    assert answer.axes["recalled"].parts == {"memory": 6, "text": n - begins}
    assert answer.tensors["decoder.0.attention.pattern"].axes == ("head", "text", "recalled")
    assert (
        answer.tensors["decoder.attention.mask"].data.tolist()
        == masks.causal(n - begins, 6).int().tolist()
    )
    assert of.expected == tokens[begins + 1 :]
    assert any("segments of 4" in note and "remember the 6" in note for note in of.notes)


@pytest.mark.parametrize("relative", ["rope", "alibi", "t5", "shaw"])
def test_a_run_is_the_end_of_the_whole_text_where_memory_covers_everything(relative):
    """Cached is full context (Dai et al. 2019): the identity of SCIENCE's row, here for all that
    the run recorded.
    """
    of, plain = read(relative=relative, memory=32), read(relative=relative, segment=0, memory=0)
    n, size = len(whole_tokens(of)), of.inputs["text"].size
    assert of.inputs["recalled"].size == n
    for name in ("logits", "decoder.1.residual.out", "decoder.0.norm1.out"):
        same(of.trace[name], plain.trace[name][n - size :], scale=1)
    for layer in (0, 1):
        name = f"decoder.{layer}.attention.pattern"
        same(of.trace[name], plain.trace[name][:, n - size :], scale=1)


def test_what_a_layer_remembers_is_what_it_read_in_the_segment_before():
    of = read()
    begins = len(whole_tokens(of)) - of.inputs["text"].size
    before = "".join(TEXT)[: whole_tokens(of)[begins - 1].end]
    earlier = read(before)
    assert earlier.inputs["text"].size == 4
    for layer in (0, 1):
        same(
            of.constants[f"decoder.{layer}.memory"][-4:],
            earlier.trace[f"decoder.{layer}.norm1.out"],
        )


def test_a_text_of_one_segment_remembers_nothing():
    of = read("the cat")
    assert of.inputs["recalled"].parts == {"memory": 0, "text": of.inputs["text"].size}
    assert of.notes == []


def test_a_remembered_key_is_explained_from_the_memory_and_one_s_own_from_the_stream():
    of = read()
    remembered, current = (
        explain(of, name="decoder.1.attention.recalled", at=f"{at},3").fields for at in (2, 7)
    )
    assert (remembered["operands"][0]["name"], remembered["operands"][0]["kind"]) == (
        "decoder.1.memory",
        "input",
    )
    assert (current["operands"][0]["name"], current["operands"][0]["index"]) == (
        "decoder.1.norm1.out",
        [1, 3],
    )
    score = explain(of, name="decoder.0.attention.scores", at="1,0,2").fields
    assert score["labels"] == {
        "query": of.inputs["text"].labels[0],
        "key": of.inputs["recalled"].labels[2],
    }


def test_the_distance_of_a_head_counts_from_the_query_s_own_place():
    of = read()
    pattern, places = (
        of.trace["decoder.0.attention.pattern"].numpy(),
        np.arange(of.inputs["recalled"].size),
    )
    queries = np.arange(of.inputs["text"].size) + 6
    by_hand = (pattern * np.abs(queries[:, None] - places)).sum(-1).mean(-1)
    same(attention(of).fields["distance"]["decoder.0.attention"], by_hand, SINGLE)


def test_what_stands_on_a_run_stands_on_one_in_segments():
    of = read()
    assert residual(of).fields["largest_difference"]["value"] < 1e-5
    assert logits(of, lens=True, attribution=True).axes["text"].size == of.inputs["text"].size


@pytest.mark.parametrize("choices", [{}, {"slots": 2}, {"segment": 0, "memory": 0, "slots": 2}])
def test_a_mask_is_tried_on_the_segment_with_its_memory_and_its_slots_open(choices):
    of = read(**choices)
    n = of.inputs["text"].size
    as_trained = under(of, "decoder", 0, custom_mask("causal", n, {}, None, None)).tensors
    same(as_trained["decoder.0.attention.pattern"].data, of.trace["decoder.0.attention.pattern"])
    assert torch.equal(as_trained["trained"].data, masks.causal(n).to(torch.uint8))
    blocked = under(of, "decoder", 1, custom_mask("block", n, {"block": 1}, None, None))
    pattern = blocked.tensors["decoder.1.attention.pattern"]
    assert pattern.axes == ("head", "query", "column")
    assert blocked.axes["column"].size == pattern.data.shape[-1]
    same(pattern.data.sum(-1), torch.ones(4, n))
    assert all(fact.holds for fact in blocked.facts)


@pytest.mark.parametrize("family", ["encoder-only", "decoder-only", "encoder-decoder"])
def test_slots_are_labelled_columns_of_every_self_attention(family):
    text = (
        Input(source="the cat", target="le chat")
        if family == "encoder-decoder"
        else Input(text="the cat")
    )
    of = run_model(small_model(family, slots=2), text)
    answer = attention(of)
    for name, tensor in answer.tensors.items():
        columns = answer.axes[tensor.axes[-1]]
        if ".cross_attention." in name:
            assert (tensor.axes[-1], columns.kind) == ("source", "position")
        else:
            assert columns.kind == "slot"
            assert columns.labels[-2:] == ["slot 1", "slot 2"]
    assert set(answer.fields["distance"].values()) == {None}
    name = f"{of.config.stacks[-1]}.0.attention"
    last = of.trace[f"{name}.k"].shape[1] - 1
    (slot,) = explain(of, name=f"{name}.k", at=f"1,{last},2").fields["operands"]
    assert (slot["name"], slot["index"]) == (f"{name}.slots.keys", [1, 1, 2])


def test_who_generates_looks_at_the_text_where_it_stands_in_it():
    """The weights of a step over the whole text: 0 before the memory, and without the columns of
    the slots.
    """
    model = small_model("decoder-only", slots=2, **CHOICES)
    answer = generate(model, Input(text=TEXT), max_new_tokens=4)
    patterns = answer.tensors["decoder.1.attention.pattern"].data
    n = answer.axes["text"].size
    assert patterns.shape == (4, 4, n)
    for step, pattern in enumerate(patterns.unbind(1)):
        read = n - 3 + step
        first = max(0, (read - 1) // 4 * 4 - 6)
        assert (pattern[:, :first] == 0).all()
        assert (pattern[:, first:read] > 0).all()
        assert (pattern[:, read:] == 0).all()
        assert (pattern.sum(-1) < 1).all()


def test_a_text_longer_than_the_windows_of_training_is_said_to_be():
    of = read("the cat sees the dog . " * 3)
    assert "extrapolation" in of.notes[0]


def test_two_texts_are_refused():
    with pytest.raises(InvalidInput, match="takes one text"):
        run_model(small_model("decoder-only", **CHOICES), Input(source="a"))


def test_the_ids_of_the_run_are_the_text_s_last():
    of = read()
    assert (
        id_tensor(of.tokens["text"]).tolist()
        == [token.id for token in whole_tokens(of)][-of.inputs["text"].size :]
    )
