"""What stands beside an answer about one token of an arranged run is about the same token."""

import pytest
import torch

from model import analyses
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
    asked = COLD | field
    both = analyses.answer(word, asked | {"order": ORDER, "beside": True})
    said = "followed" if word == "journey" else "position"
    there = [int(place) for place in ORDER.split(",")][both.fields[said]]
    name = "token" if word == "journey" else "position"
    alone = analyses.answer(word, asked | {name: there})
    wanted = alone.tensors[tensor].data
    if word == "journey":
        wanted = wanted[[int(place) for place in ORDER.split(",")]]
        followed = both.unedited["text.followed"].data
        assert torch.equal(followed, both.tensors["text.followed"].data)
    assert torch.equal(both.unedited[tensor].data, wanted)


@pytest.mark.parametrize("word", ["journey", "feed-forward"])
def test_a_pad_has_nothing_beside_it(word: str):
    field = {"token": 0} if word == "journey" else {"stack": "encoder", "position": 0}
    asked = COLD | field | {"pad": "left:2"}
    assert analyses.answer(word, asked).tensors
    with pytest.raises(InvalidInput, match="pad"):
        analyses.answer(word, asked | {"beside": True})


def test_the_target_of_a_translation_keeps_its_positions():
    asked = COLD | {"stack": "decoder", "layer": 0, "position": 2}
    both = analyses.answer("feed-forward", asked | {"order": ORDER, "beside": True})
    alone = analyses.answer("feed-forward", asked)
    assert torch.equal(both.unedited["x"].data, alone.tensors["x"].data)
