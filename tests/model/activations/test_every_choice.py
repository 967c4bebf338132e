"""Every choice that model/layers can compute has its entry in model/activations, and no entry is
about a choice that cannot be computed.
"""

from typing import get_args

import pytest

from model import config
from model.activations import (
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
)
from model.layers import attention_scores as score_layers
from model.layers import block as block_layer
from model.layers import embedding as embedding_layer
from model.layers import favor_attention
from model.layers import feed_forward as feed_forward_layer
from model.layers import norms as norm_layers
from model.layers import random_features as feature_layers
from model.layers import relative_positions as relative_layers
from model.layers import residual as residual_layer

CHOICES = {
    "norm": (norm_layers.NORMS, norms.NORMS, config.Norm),
    "placement": (residual_layer.PLACEMENTS, residual.PLACEMENTS, config.Placement),
    "score": (score_layers.ALIGNMENTS, attention_scores.SCORES, config.Score),
    "positions": (embedding_layer.POSITIONS, positional_encodings.POSITIONS, config.Absolute),
    "relative": (
        relative_layers.RELATIONS,
        relative_positions.RELATIVE_POSITIONS,
        config.Relative,
    ),
    "activation": (
        feed_forward_layer.ACTIVATIONS,
        feed_forward.ACTIVATIONS,
        config.Activation,
    ),
    "features": (feature_layers.FEATURES, random_features.FEATURES, config.Features),
    "weighing": (favor_attention.ATTENTIONS, attention.PATTERNS, config.Weighing),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_every_choice_has_its_module_its_entry_and_its_name_in_the_configuration(choice):
    layers, entries, names = CHOICES[choice]
    assert set(layers) == set(entries) == set(get_args(names))


def test_every_sublayer_every_kind_of_token_and_every_readout_has_its_activations():
    assert set(catalogue.READOUTS) == set(get_args(config.Readout))
    assert set(block_layer.SUBLAYERS) == set(block.SUBLAYERS)
    assert set(embedding_layer.TOKENS) == set(embedding.TOKENS)
