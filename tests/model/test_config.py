"""Choices and sizes of a model are checked when its Config is made."""

import json
import math
import re
from pathlib import Path
from typing import get_args

import pytest

from model.config import PARTS, STACKS, Config, Family, RotarySizes
from model.errors import InvalidInput, UnknownName
from model.layers.choice_names import (
    MASK_NAMES,
    NORM_NAMES,
    PLACEMENT_NAMES,
    SCORE_NAMES,
)
from model.layers.choices import CHOICES
from model.layers.masks import MASKS
from model.layers.position_parameters import BASE
from model.layers.relative_positions import RELATIVE_POSITIONS
from model.transformer import Transformer
from model.zoo.models import ids, read_card

ROOT = Path(__file__).parents[2]
SIZES = {"vocabulary_size": 7, "d_model": 12, "n_heads": 2, "d_ff": 8, "n_decoder_layers": 1}

NAMED = {"placement": PLACEMENT_NAMES, "norm": NORM_NAMES, "score": SCORE_NAMES}


def config(**choices: object) -> Config:
    return Config.from_dict({"family": "decoder-only", **SIZES, **choices})


def test_a_choice_that_there_is_not_is_refused_and_the_nearest_named():
    for name, table in {"family": STACKS, **CHOICES}.items():
        last = list(table)[-1]
        with pytest.raises(UnknownName) as refused:
            Transformer(config(**{name: last + "s"}))
        sentence = str(refused.value)
        kind = "kind of input" if name == "inputs" else name
        assert sentence.startswith(f"There is no {kind} named {last + 's'!r}."), sentence
        assert last in sentence.partition("Did you mean")[2], sentence


REFUSED = [
    ({"d_model": -4}, "d_model is -4; it must be at least 1."),
    ({"max_length": 0}, "max_length is 0; it must be at least 1."),
    ({"vocabulary_size": 0}, "vocabulary_size is 0; it must be at least 1."),
    ({"n_heads": 0}, "n_heads is 0; it must be at least 1."),
    ({"n_features": 0}, "n_features is 0; it must be at least 1."),
    ({"head_dim": -2}, "head_dim is -2; it must be at least 0."),
    ({"rope_base": 0}, "rope_base is 0; it must be at least 1."),
    ({"n_kv_heads": -1}, "n_kv_heads is -1; it must be at least 0."),
    ({"n_encoder_layers": -1}, "n_encoder_layers is -1; it must be at least 0."),
    ({"d_ff": -8}, "d_ff is -8; it must be at least 0."),
    ({"slots": -1}, "slots is -1; it must be at least 0."),
    ({"norm_epsilon": -1}, "norm_epsilon is -1; it must be at least 0."),
    ({"norm_epsilon": math.nan}, "norm_epsilon is nan; it must be a finite number."),
    ({"shortcut": math.inf}, "shortcut is inf; it must be a finite number."),
    ({"shortcut": "1"}, "shortcut is '1'; it must be a number."),
    ({"biases": "no"}, "biases is 'no'; it must be true or false."),
    ({"gated": 1}, "gated is 1; it must be true or false."),
    ({"d_model": 12.0}, "d_model is 12.0; it must be a whole number."),
    ({"n_heads": True}, "n_heads is True; it must be a whole number."),
    (
        {"inputs": "patches", "image_side": 8, "patch_side": 4, "colours": 0},
        "colours is 0; it must be at least 1.",
    ),
    (
        {"inputs": "columns", "n_numeric": 2, "categories": [3, 0]},
        "The number of categories of a column is 0; it must be at least 1.",
    ),
]
"""Values that no model can have, each with the sentence that refuses it."""


@pytest.mark.parametrize(("choices", "sentence"), REFUSED)
def test_a_number_that_no_model_can_have_is_refused_in_a_sentence(choices: dict, sentence: str):
    with pytest.raises(InvalidInput) as refused:
        config(**choices)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"d_model": 13}, "d_model 13 can’t be split into 2 heads: use a multiple of"),
        ({"n_heads": 4, "n_kv_heads": 3}, "4 heads can’t share 3 keys and values evenly."),
        ({"n_decoder_layers": 0}, "decoder-only can’t have 0 decoder layers."),
    ],
)
def test_sizes_that_do_not_fit_are_refused_in_a_sentence(choices: dict, sentence: str):
    with pytest.raises(InvalidInput, match=re.escape(sentence)):
        config(**choices)


def test_a_rotation_of_channels_without_a_partner_is_refused_in_a_sentence():
    with pytest.raises(InvalidInput, match="d_head is 3; rotary positions need an even number"):
        Transformer(config(d_model=6, relative="rope"))


def test_a_base_of_rotary_positions_is_refused_where_nothing_is_rotated():
    assert Transformer(config(rope_base=500.0, relative="rope", positions="none"))
    for relative in ("none", "alibi", "t5", "shaw"):
        sentence = rf"only rotary positions have a base \(relative is {relative}\)"
        with pytest.raises(InvalidInput, match=sentence):
            Transformer(config(rope_base=500.0, relative=relative))


def test_heads_may_be_as_wide_as_they_like_where_the_width_is_not_divided_among_them():
    assert config().d_head == 6
    custom = config(d_model=13, n_heads=5, head_dim=4)
    assert custom.d_head == 4
    attention = Transformer(custom).stack("decoder")[0].attention
    assert attention.query.weight.shape == (13, 20)
    assert attention.output.weight.shape == (20, 13)


def test_a_width_of_heads_and_a_base_are_stated_only_where_they_are_not_the_default():
    """The cards and checkpoints from before these settings stay as they are, to the byte."""
    stated = config(head_dim=8, rope_base=500.0, relative="rope")
    assert Config.from_dict(stated.as_dict()) == stated
    assert {"head_dim": 8, "rope_base": 500.0}.items() <= stated.as_dict().items()
    assert not {"head_dim", "rope_base", "parallel", "headless"} & set(config().as_dict())
    assert RotarySizes.base == BASE
    more = config(rotary_dim=4, relative="rope", placement="pre", parallel=True, unbiased=PARTS[:2])
    assert Config.from_dict(json.loads(json.dumps(more.as_dict()))) == more


def test_the_classes_of_an_image_are_no_vocabulary_and_a_card_states_them_as_one():
    card = {"family": "encoder-only", "inputs": "patches", "image_side": 8, "patch_side": 4}
    card |= {
        "vocabulary_size": 3,
        "tied_unembedding": False,
        "n_encoder_layers": 1,
        "d_model": 8,
        "n_heads": 2,
        "max_length": 5,
    }
    pixels = Config.from_dict(card)
    assert (pixels.vocabulary_size, pixels.head.classes, pixels.n_logits) == (0, 3, 3)
    assert pixels.as_dict()["vocabulary_size"] == 3
    assert Config.from_dict(pixels.as_dict()) == pixels
    with pytest.raises(InvalidInput, match="vocabulary_size is 0; it must be at least"):
        Config.from_dict({**card, "vocabulary_size": 0})
    with pytest.raises(InvalidInput, match="Classes can’t share their unembedding with the token"):
        Transformer(config(n_classes=3))


def test_parts_without_biases_are_parts_that_there_are():
    model = Transformer(config(unbiased=["query_key_value", "feed_forward"]))
    biases = {name for name, _ in model.named_parameters() if name.endswith(".bias")}
    assert {name for name in biases if ".norm" not in name} == {
        "decoder.0.attention.output.bias",
    }
    with pytest.raises(UnknownName, match="no part named 'queries'"):
        config(unbiased=["queries"])


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"relative": "rope", "rotary_dim": 3}, "rotary_dim is 3; it must be even and at most"),
        ({"relative": "rope", "rotary_dim": 8}, "it must be even and at most"),
        (
            {"parallel": True, "placement": "post"},
            "Parallel sub-layers need Pre-LN and no cross-attention.",
        ),
    ],
)
def test_choices_that_do_not_go_together_are_refused_in_a_sentence(choices: dict, sentence: str):
    with pytest.raises(InvalidInput, match=sentence):
        Transformer(config(**choices))


def test_a_kind_of_input_and_a_readout_that_there_are_not_are_refused():
    with pytest.raises(UnknownName, match="There is no kind of input named 'patchess'"):
        config(inputs="patchess")
    with pytest.raises(UnknownName, match="no readout named 'bypas'"):
        config(inputs="columns", n_numeric=1, readout="bypas")


def test_sizes_of_another_kind_of_input_are_refused():
    with pytest.raises(InvalidInput, match="belong to models of"):
        config(image_side=8)


@pytest.mark.parametrize("id", ids())
def test_a_card_is_read_and_written_to_the_byte(id: str):
    fields = read_card(id)["config"]
    assert json.dumps(Config.from_dict(fields).as_dict()) == json.dumps(fields)


def test_a_scheme_of_relative_positions_that_adds_to_scores_is_known_by_what_it_does():
    adding = {name for name, scheme in RELATIVE_POSITIONS.items() if scheme.bias}
    assert adding == {"alibi", "t5", "shaw"}
    assert {name for name, scheme in RELATIVE_POSITIONS.items() if scheme.rotation} == {"rope"}


def test_every_choice_is_a_field_of_a_configuration_that_names_a_part():
    default = Config(family="encoder-only", vocabulary_size=1, n_encoder_layers=1)
    names = {name for name, (of, _) in default.flat_fields().items() if of.type is str}
    assert names == set(CHOICES)
    assert all(list(CHOICES[choice]) == list(called) for choice, called in NAMED.items())
    assert MASKS.keys() == MASK_NAMES.keys()
    assert all(default.choice(name) in table for name, table in CHOICES.items())
    assert set(STACKS) == set(get_args(Family))
