"""Every choice that model/layers can compute has its entry in model/activations, and no entry is
about a choice that cannot be computed.
"""

from pkgutil import resolve_name

import pytest

from model.activations import (
    attention,
    attention_scores,
    block,
    feed_forward,
    norms,
    positional_encodings,
    random_features,
    relative_positions,
    residual,
)
from model.config import STACKS
from model.inputs.kinds import KINDS
from model.inputs.sizes import INPUTS
from model.layers.choices import CHOICES
from model.layers.sublayers import SUBLAYERS

ENTRIES = {
    "norm": norms.NORMS,
    "placement": residual.PLACEMENTS,
    "score": attention_scores.SCORES,
    "positions": positional_encodings.POSITIONS,
    "relative": relative_positions.RELATIVE_POSITIONS,
    "activation": feed_forward.ACTIVATIONS,
    "features": random_features.FEATURES,
    "weighing": attention.PATTERNS,
}


@pytest.mark.parametrize("choice", ENTRIES)
def test_every_choice_of_a_configuration_has_its_entry(choice):
    assert set(CHOICES[choice]) == set(ENTRIES[choice])


def test_every_sublayer_has_its_activations():
    assert set(SUBLAYERS) == set(block.SUBLAYERS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_path_of_a_kind_of_tokens_leads_to_what_its_room_has(kind):
    row = KINDS[kind]
    runs = [reading.run for reading in row.readings.values()]
    for path in (row.embedding, row.activation, *row.tokenizers, *runs):
        assert callable(resolve_name(path)), path
    assert all(name in STACKS or name == "segments" for name in row.readings)


def test_every_kind_of_tokens_that_an_input_has_has_its_sizes():
    assert set(INPUTS) == {name for name, row in KINDS.items() if row.readings}
