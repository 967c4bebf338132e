"""What memory is worth: bits a character by hand, segments that remember everything, and a text
that can be tried.
"""

import math
from dataclasses import replace

import pytest
import torch

from model.errors import InvalidInput
from model.layers import masks
from model.measure.memory_length import memory_lengths
from model.zoo.models import Model
from tests.model.support.runs import small_model
from tests.rounding import SINGLE, same

TEXT = "the cat sees the dog . i am late ?"
LENGTHS = [0, 2, 6, 40]


@pytest.fixture
def model() -> Model:
    read = small_model("decoder-only", positions="none", relative="alibi", segment=4, memory=6)
    measured = {"lengths": LENGTHS, "bits_per_character": [2.5, 2.4, 2.2, 2.3]}
    return replace(
        read,
        card=read.card
        | {
            "quality": {"memory": measured},
            "examples": [{"id": "cat", "input": {"text": TEXT}}],
        },
    )


def found(model: Model, name: str, text: str | None = TEXT) -> dict:
    return next(finding for finding in memory_lengths(model, text)[2] if finding.name == name)


def test_bits_at_each_length_are_those_of_the_whole_text_under_the_mask_that_memory_makes(
    model,
):
    ids = torch.tensor([token.id for token in model.tokenizer.encode(TEXT, start=True)])
    place = torch.arange(len(ids) - 1)
    for memory, bits in zip(
        LENGTHS, memory_lengths(model, TEXT)[1]["bits"].data.tolist(), strict=True
    ):
        visible = masks.causal(len(place)) & (place >= (place // 4 * 4)[:, None] - memory)
        logits = model.transformer.unembed(model.transformer.decode(ids[:-1], visible))
        by_hand = (
            -logits.log_softmax(-1)[place, ids[1:]].double().sum().item() / math.log(2) / len(TEXT)
        )
        same(bits, by_hand, SINGLE)


def test_the_card_s_curve_is_served_as_it_is_and_what_memory_saves_is_read_off_it(model):
    axes, tensors, findings = memory_lengths(model, None)
    assert axes["memory"].ids == LENGTHS
    assert tensors["held_out"].data.tolist() == [2.5, 2.4, 2.2, 2.3]
    same(found(model, "saved").value, 0.3)
    assert [finding.holds for finding in findings] == [True, None, True, None], (
        "how far it reaches is counted, not judged"
    )


def test_segments_that_remember_everything_are_the_whole_text_and_reach_grows_with_layers(model):
    assert found(model, "cached").value < 1e-5
    assert found(model, "reach").value == 2 * 6


def test_a_text_of_one_token_or_none_is_refused(model):
    for text in ("", "?"):
        with pytest.raises(InvalidInput):
            memory_lengths(model, text)
