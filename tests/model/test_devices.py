"""A model on another device computes there: nothing that a pass needs is left behind on the
processor. The device `meta` has shapes and no numbers, and meets no tensor of the processor.
"""

from copy import deepcopy
from dataclasses import replace

import pytest
import torch

from model.generation.decoding import IncrementalDecoder
from model.inputs.input import Input
from model.layers import attention, masks
from model.runs.run_model import reading
from model.transformer import Transformer
from model.zoo.models import load_model
from tests.model.support.every_model import MODELS
from tests.model.support.small import small
from tests.thorough import mostly

ELSEWHERE = torch.device("meta")


@pytest.fixture(autouse=True)
def without_a_look_at_numbers(monkeypatch):
    """The softmax asks whether a query sees nothing, which only numbers can tell."""
    monkeypatch.setattr(attention, "softmax", lambda scores: scores.softmax(-1))


def moved(transformer: Transformer) -> Transformer:
    return deepcopy(transformer).to(ELSEWHERE)


@pytest.mark.parametrize("id", MODELS)
def test_every_activation_lies_where_the_weights_lie(id):
    model = load_model(id)
    fields = model.card["examples"][0]["input"]
    if "source" in fields:  # its own target would be read off numbers
        sounds = model.card["encoding"] == "pronunciation"
        fields = {"target": "HH AH0 L OW1" if sounds else fields["source"], **fields}
    elsewhere = replace(model, transformer=moved(model.transformer))
    with torch.inference_mode():
        run = reading(elsewhere).prepare(elsewhere, Input(**fields))()
    assert {name for name, value in run.trace.items() if value.device != ELSEWHERE} == set()


@pytest.mark.parametrize("relative", ["none", "rope", "alibi", "t5", "shaw"])
@pytest.mark.parametrize("positions", mostly(["sinusoidal", "learned", "sine", "none"], "learned"))
def test_a_decoder_reads_on_where_the_weights_lie(relative, positions):
    decoder = IncrementalDecoder(
        moved(small("decoder-only", relative=relative, positions=positions))
    )
    for ids in ([[3, 4, 5]], [[6]]):
        assert decoder.read(torch.tensor(ids)).device == ELSEWHERE


def test_a_translator_decodes_where_the_weights_lie():
    decoder = IncrementalDecoder(moved(small()), [[1, 5, 6, 2], [1, 5, 2]])
    assert decoder.read(torch.tensor([[1], [1]])).device == ELSEWHERE


def test_an_estimated_attention_lies_where_the_weights_lie():
    model = moved(small("decoder-only", weighing="favor", slots=2))
    states = model.decode(torch.tensor([3, 4, 5]), masks.causal(3))
    assert states.device == ELSEWHERE


def test_a_tensor_that_is_left_behind_is_met_by_nothing(monkeypatch):
    monkeypatch.setattr(
        "model.layers.relative_positions.offsets", lambda n, m, device: torch.ones(n, m)
    )
    with pytest.raises(RuntimeError, match="device"):
        moved(small("decoder-only", relative="alibi")).decode(torch.tensor([3]), masks.causal(1))
