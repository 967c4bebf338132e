"""What a chip says of an edit, and which edit a refusal is about."""

import json

import pytest

from app.captions.edited import UNREADABLE, chips, label, refused

HEAD = {"op": "zero", "at": "decoder.2.cross_attention.z", "where": {"head": [1]}}


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (HEAD, "decoder layer 2 cross-attention head 1: off"),
        ({**HEAD, "where": {"head": [0, 2]}}, "decoder layer 2 cross-attention heads 0 and 2: off"),
        ({"op": "zero", "at": HEAD["at"]}, "decoder layer 2 cross-attention: off"),
        (
            {
                "op": "set",
                "at": "encoder.0.attention.pattern",
                "where": {"head": [3], "query": [1], "key": [2]},
                "value": 0.25,
            },
            "encoder layer 0 self-attention head 3, weights, query 1, key 2: set to 0.25",
        ),
        (
            {"op": "mask", "at": "decoder.1.cross_attention.scores", "where": {"key": [0, 4]}},
            "decoder layer 1 cross-attention, scores, keys 0 and 4: hidden",
        ),
        (
            {"op": "scale", "at": "decoder.1.feed_forward.out", "value": 0.5},
            "decoder layer 1 feed-forward: × 0.5",
        ),
        (
            {"op": "zero", "at": "encoder.1.feed_forward.post", "where": {"hidden": [7]}},
            "encoder layer 1 feed-forward, neurons, neuron 7: set to 0",
        ),
        (
            {"op": "swap", "at": "encoder.0.attention.z", "where": {"head": [0, 3]}},
            "encoder layer 0 self-attention heads 0 and 3: exchanged",
        ),
        (
            {"op": "patch", "at": "encoder.1.residual.out", "from": {"source": "i am hot"}},
            "encoder layer 1 stream after the block: copied from “i am hot”",
        ),
        (
            {"op": "patch", "at": "encoder.1.attention.pattern"},
            "encoder layer 1 self-attention, weights: frozen at its original value",
        ),
        (
            {"op": "add", "at": "encoder.embedding.sum", "value": [1, 2]},
            "encoder token + position: plus a list of numbers",
        ),
        (
            {"op": "mean", "at": "decoder.*.attention.z"},
            "decoder, every layer, self-attention: mean over the positions",
        ),
    ],
)
def test_a_chip_says_what_becomes_of_which_numbers(edit: dict, words: str):
    assert label(edit) == words


def test_many_indices_are_counted():
    where = {"query": list(range(12))}
    edit = {"op": "zero", "at": "decoder.0.attention.pattern", "where": where}
    assert "12 queries" in label(edit)


@pytest.mark.parametrize(
    "edits",
    ["[", "{}", "[1]", "[null]", '[{"at": "x"}]', '[{"op": 3}]', "[" * 5000, '"x"'],
)
def test_what_is_no_edit_has_a_chip_that_can_be_taken_back(edits: str):
    assert chips(edits) == [UNREADABLE]


@pytest.mark.parametrize(
    "edit",
    [
        {"op": "zero", "at": 7},
        {"op": "zero", "at": "decoder.0.attention.z", "where": [1]},
        {"op": "zero", "at": "decoder.0.attention.z", "where": {"head": "x"}},
        {"op": "zero", "at": "decoder.0.attention.z", "where": {"head": []}},
        {"op": "zero", "at": "decoder.0.attention.z", "where": {"": [1]}},
        {"op": "scale", "at": "logits", "value": "x"},
        {"op": "patch", "at": "logits", "from": {"source": 3}},
        {"op": "nothing that is known", "at": "x" * 500},
    ],
)
def test_whatever_an_address_says_a_chip_says_something_short(edit: dict):
    (chip,) = chips(json.dumps([edit]))
    assert 0 < len(chip) < 120


def test_without_edits_there_are_no_chips():
    assert chips(None) == chips("") == chips("[]") == []


def test_a_refusal_is_about_the_edit_that_it_points_at_or_names():
    edits = json.dumps([HEAD, {"op": "zero", "at": "logits"}])
    assert refused(edits, "…", [{"pointer": "/edits/1/where"}])["wrong"] == 1
    assert refused(edits, "There is no activation named 'logits'.", [])["wrong"] == 1
    assert refused(edits, "The source is empty.", [{"pointer": "/source"}])["wrong"] is None
