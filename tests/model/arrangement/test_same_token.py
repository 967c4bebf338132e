"""What stands beside an answer about one token of an arranged run is about the same token."""

import pytest
import torch

from model import analyses
from model.arrangement.same_token import in_place_of
from model.errors import InvalidInput

COLD = {"model": "translator", "source": "i am cold"}
ORDER = "0,3,2,1,4"


@pytest.mark.parametrize(
    ("word", "field", "tensor"),
    [
        ("journey", {"token": 1}, "text.ids"),
        ("journey", {}, "text.ids"),
        ("feed-forward", {"stack": "encoder", "layer": 0, "position": 1}, "x"),
        ("residual", {"stack": "encoder", "position": 1}, "norm"),
    ],
)
def test_beside_is_the_same_token_of_the_run_without_edits(word: str, field: dict, tensor: str):
    question = COLD | field
    both = analyses.answer(word, question | {"order": ORDER, "beside": True})
    key = "followed" if word == "journey" else "position"
    index = [int(place) for place in ORDER.split(",")][both.fields[key]]
    name = "token" if word == "journey" else "position"
    plain = analyses.answer(word, question | {name: index})
    expected = plain.tensors[tensor].data
    if word == "journey":
        expected = expected[[int(place) for place in ORDER.split(",")]]
        followed = both.unedited["text.followed"].data
        assert torch.equal(followed, both.tensors["text.followed"].data)
    assert torch.equal(both.unedited[tensor].data, expected)


@pytest.mark.parametrize("word", ["journey", "feed-forward"])
def test_a_pad_has_nothing_beside_it(word: str):
    field = {"token": 0} if word == "journey" else {"stack": "encoder", "position": 0}
    question = COLD | field | {"pad": "left:2"}
    assert analyses.answer(word, question).tensors
    with pytest.raises(InvalidInput, match="pad"):
        analyses.answer(word, question | {"beside": True})


def test_the_target_of_a_translation_keeps_its_positions():
    question = COLD | {"stack": "decoder", "layer": 0, "position": 2}
    both = analyses.answer("feed-forward", question | {"order": ORDER, "beside": True})
    plain = analyses.answer("feed-forward", question)
    assert torch.equal(both.unedited["x"].data, plain.tensors["x"].data)


@pytest.mark.parametrize("arranged", [{"order": "shuffle", "seed": 1}, {"pad": "left:2"}])
def test_an_answer_in_place_has_each_token_where_the_arranged_run_has_it(arranged: dict):
    edited, plain = (
        analyses.answer("logits", {"model": "shakespeare", "text": "the king is", "lens": True} | q)
        for q in (arranged, {})
    )
    moved = in_place_of(edited, plain, "text")
    assert moved.axes["text"] == edited.axes["text"]
    assert moved.fields["expected"] == edited.fields["expected"]
    lens, guesses = "lens.top_probability", moved.fields["lens_tokens"]
    for here, there in enumerate(edited.fields["aligned"]["text"]):
        numbers = moved.tensors[lens].data[:, here]
        if there is None:
            assert torch.isneginf(numbers).all()
            assert not any(guess for row in guesses for guess in row[here])
        else:
            assert torch.equal(numbers, plain.tensors[lens].data[:, there])
            assert [row[here] for row in guesses] == [
                row[there] for row in plain.fields["lens_tokens"]
            ]


def test_an_answer_without_another_arrangement_is_in_place():
    plain = analyses.answer("logits", COLD)
    edited = analyses.answer("logits", COLD | {"edits": [{"op": "zero", "at": "decoder.0.*.z"}]})
    assert in_place_of(edited, plain, "target") is plain
