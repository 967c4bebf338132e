"""What the chips say of how a run reads its input."""

import json

import pytest

from app.captions.arrangement import changes, chips, in_order, without_frame

ANSWER = {
    "axes": {"source": {"labels": ["<pad>", "<s>", "cold", "i", "am", "</s>"]}},
    "aligned": {"source": [None, 0, 3, 1, 2, 4]},
}


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ({"order": "0,3,1,2,4"}, "source tokens in the order 0 3 1 2 4"),
        ({"order": "shuffle"}, "source tokens shuffled"),
        ({"positions": "off"}, "positions off"),
        ({"positions": "shift:3"}, "positions from 3"),
        ({"positions": "1,0,2"}, "positions 1 0 2"),
        ({"pad": "left:1"}, "1 pad on the left"),
        ({"pad": "right:3", "padding_mask": "off"}, "3 pads on the right, not masked"),
    ],
)
def test_a_chip_says_how_the_input_is_read(question: dict, texts: str):
    assert [chip.sentence for chip in chips(question, "source")] == [texts]


def test_a_run_says_all_that_is_otherwise_in_it():
    off = {"op": "zero", "at": "decoder.2.cross_attention.head_out", "where": {"head": [1]}}
    question = {"edits": [off], "positions": "off", "source": "i am cold"}
    changes_read = ["decoder layer 2 cross-attention head 1: off", "positions off"]
    assert changes(question, "source") == changes_read
    assert changes({**question, "edits": json.dumps([off])}, "source") == changes_read
    assert changes({"source": "i am cold", "padding_mask": "on"}, "source") == []


def test_the_order_is_said_in_tokens_once_they_are_known():
    tokens = without_frame(in_order(ANSWER, "source"))
    (chip,) = chips({"order": "0,3,1,2,4"}, "source", tokens)
    assert chip == ("order", "source tokens in the order cold i am")


def test_a_token_of_the_frame_is_named_where_it_is_moved():
    moved = {
        "axes": {"source": {"labels": ["i", "<s>", "</s>"]}},
        "aligned": {"source": [1, 0, 2]},
    }
    assert without_frame(in_order(moved, "source")) == ["i", "<s>"]


def test_of_a_prefix_model_the_target_is_no_part_of_the_order():
    labels = ["<s>", "i", "</s>", "<s>", "je"]
    answer = {"axes": {"text": {"labels": labels}}, "expected_from": 3}
    assert in_order(answer, "source") == [(0, "<s>"), (1, "i"), (2, "</s>")]


def test_pads_are_taken_back_with_their_mask_and_a_mask_alone_is_no_chip():
    (chip,) = chips({"pad": "left:2", "padding_mask": "off"}, "text")
    assert chip.fields == "pad padding_mask"
    assert chips({"padding_mask": "off"}, "text") == chips({}, "text") == []


@pytest.mark.parametrize("name", ["order", "positions", "pad"])
@pytest.mark.parametrize("text", [":", ",", "x" * 500, "left", "shift:", "☃"])
def test_whatever_an_address_says_a_chip_says_something_short(name: str, text: str):
    (chip,) = chips({name: text}, "row")
    assert 0 < len(chip.sentence) < 120
