"""The text of an operand names the numbers that it says, and a cell that does not exist is
refused.
"""

from types import SimpleNamespace

import pytest
import torch

from model.activations.activation import Activation
from model.activations.derivation import copy
from model.activations.operands import Numbers, cell_at, parts_at, read_operand
from model.answers.answer import Axis
from model.config import Config
from model.errors import InvalidInput

CONFIG = Config(
    family="decoder-only",
    vocabulary_size=5,
    d_model=8,
    n_heads=4,
    n_kv_heads=2,
    d_ff=6,
    n_decoder_layers=1,
)
TOKENS = [SimpleNamespace(id=4, place=1, category=2), SimpleNamespace(id=3, place=0, category=1)]
ROW = Activation(
    "row", ("head", "position", "channel"), ("head", "text", "channel"), "", "", copy, ()
)
CELL = {"head": 3, "position": 1, "channel": 5}


def numbers(tensor: torch.Tensor) -> Numbers:
    return Numbers(
        CONFIG,
        activations={"decoder.0.x": tensor},
        inputs={"patches": tensor},
        masks={"decoder.attention": torch.tensor([[True, False], [True, True]])},
        parameter={"table": tensor}.__getitem__,
        tokens={"text": TOKENS},
        axes={},
    )


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("*", None),
        ("0", 0),
        ("channel", 5),
        ("(head *)", [6, 8]),
        ("(kv_head *)", [2, 4]),
        ("(head position)", 7),
        ("(kv_head position)", 3),
        ("(position channel)", 13),
        ("id:position", 3),
        ("patch:position", 2),
        ("reference:position", 2),
        ("column:position", 0),
        ("category:position", 1),
    ],
)
def test_an_index_of_an_operand_is_what_the_grammar_says(index, expected):
    tensor = torch.arange(20)
    operand = read_operand(numbers(tensor), ROW, CELL, f"table[{index}]")
    assert operand.index == [expected]
    wanted = slice(None) if expected is None else expected
    wanted = slice(*wanted) if isinstance(wanted, list) else wanted
    assert torch.equal(operand.values, tensor[wanted])


def test_a_name_is_an_activation_a_part_of_the_input_a_mask_or_a_weight():
    of = numbers(torch.zeros(2, 2))
    names = ("decoder.0.x", "patches", "decoder.attention.mask", "table")
    kinds = [read_operand(of, ROW, CELL, f"{name}[* *]").kind for name in names]
    assert kinds == ["activation", "input", "mask", "weight"]
    mask = read_operand(of, ROW, CELL, "decoder.attention.mask[* *]").values
    assert mask.tolist() == [[0.0, -torch.inf], [0.0, 0.0]]


def test_a_tensor_without_axes_has_an_empty_index():
    assert read_operand(numbers(torch.tensor(2.0)), ROW, CELL, "table[]").values == 2


def test_a_name_that_is_no_tensor_is_a_bug_of_the_catalogue():
    with pytest.raises(KeyError):
        read_operand(numbers(torch.zeros(2)), ROW, CELL, "nothing[*]")
    with pytest.raises(AssertionError, match="no operand"):
        read_operand(numbers(torch.zeros(2)), ROW, CELL, "table")


def test_the_part_of_an_axis_counts_its_own_indices():
    axes = {
        "head": Axis("head", 4),
        "text": Axis("position", 5, parts={"memory": 3, "text": 2}),
        "channel": Axis("channel", 8),
    }
    found = [parts_at(ROW, axes, CELL | {"position": position}) for position in (0, 2, 3, 4)]
    assert found == [{"memory": 0}, {"memory": 2}, {"text": 0}, {"text": 1}]


def test_a_cell_is_one_index_for_each_axis():
    assert cell_at(ROW, (4, 2, 8), "3,1,5") == CELL


@pytest.mark.parametrize(
    ("at", "sentence"),
    [
        ("3,1", "3 axes"),
        ("3,1,5,0", "3 axes"),
        ("4,1,5", "4 does not exist"),
        ("3,-1,5", "-1 does not exist"),
        ("3,1,x", "whole numbers"),
        ("3,1,", "whole numbers"),
        ("", "whole numbers"),
    ],
)
def test_a_cell_that_does_not_exist_is_refused(at, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        cell_at(ROW, (4, 2, 8), at)
