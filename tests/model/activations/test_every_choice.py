"""Every choice that model/layers can compute has its entry in model/activations, and no entry is
about a choice that cannot be computed.
"""

import pytest

from model.activations import (
    activation,
    attention,
    attention_scores,
    block,
    catalogue,
    embedding,
    feed_forward,
    norms,
    positional_encodings,
    random_features,
    relative_positions,
    residual,
    transform,
)
from model.config import STACKS
from model.inputs.sizes import INPUTS
from model.layers.block import SUBLAYERS
from model.layers.choices import CHOICES
from model.layers.embedding import EMBEDDINGS
from model.runs.readings import READINGS

ENTRIES = {
    "norm": norms.NORMS,
    "placement": residual.PLACEMENTS,
    "score": attention_scores.SCORES,
    "positions": positional_encodings.POSITIONS,
    "relative": relative_positions.RELATIVE_POSITIONS,
    "activation": feed_forward.ACTIVATIONS,
    "transform": {"none", *transform.TRANSFORMS},
    "features": random_features.FEATURES,
    "weighing": attention.PATTERNS,
}


@pytest.mark.parametrize("choice", ENTRIES)
def test_every_choice_of_a_configuration_has_its_entry(choice):
    assert set(CHOICES[choice]) == set(ENTRIES[choice])


def test_every_sublayer_has_its_activations():
    assert set(SUBLAYERS) == set(block.SUBLAYERS)


def test_every_kind_of_tokens_has_its_vectors_their_entry_its_axis_and_what_the_logits_say():
    kinds = set(EMBEDDINGS)
    assert kinds == set(embedding.TOKENS) == set(activation.AXES) == set(catalogue.SUGGESTED)
    assert kinds - {"queries"} == set(INPUTS), "object queries are no input"


def test_every_kind_of_input_is_read_by_families_that_there_are():
    assert {kind for kind, _ in READINGS} == set(INPUTS)
    assert {family for _, family in READINGS} == {*STACKS, "segments"}
