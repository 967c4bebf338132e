"""Every choice that model/layers can compute has its entry in model/activations, and no entry is
about a choice that cannot be computed.
"""

from dataclasses import replace

import pytest

from model.activations import activation, block, catalogue, embedding
from model.activations.catalogue import EXPLANATIONS, activations
from model.config import STACKS
from model.inputs.sizes import INPUTS
from model.layers.choices import CHOICES
from model.layers.embedding import EMBEDDINGS
from model.layers.sublayers import SUBLAYERS
from model.runs.readings import READINGS
from tests.model.support.small import small


@pytest.mark.parametrize("choice", sorted({*CHOICES} - {"draws"}))  # the rows of FAVOR+ alone
def test_every_choice_of_a_configuration_has_its_entry(choice):
    assert set(CHOICES[choice]) == set(EXPLANATIONS[choice])


def test_a_choice_without_an_entry_is_named_with_the_place_of_its_entry():
    with pytest.raises(AssertionError, match=r"score has the choice 'distance'.*model/activations"):
        activations(replace(small("decoder-only").config, score="distance"))


def test_every_sublayer_has_its_activations():
    assert set(SUBLAYERS) == set(block.SUBLAYERS)


def test_every_kind_of_tokens_has_its_vectors_their_entry_its_axis_and_what_the_logits_say():
    kinds = set(EMBEDDINGS)
    assert kinds == set(embedding.TOKENS) == set(activation.AXES) == set(catalogue.SUGGESTED)
    assert kinds - {"queries"} == set(INPUTS), "object queries are no input"


def test_every_kind_of_input_is_read_by_families_that_there_are():
    assert {kind for kind, _ in READINGS} == set(INPUTS)
    assert {family for _, family in READINGS} == {*STACKS, "segments"}
