"""The numbers that a model begins with: how they are drawn, and that none is forgotten."""

import math

import pytest
import torch
from torch import nn

from model.config import Config
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from model.zoo.models import ids, read_card
from tests.rounding import RANDOM, near

SIZES = {"vocabulary_size": 50, "d_model": 64, "n_heads": 4, "d_ff": 128, "max_length": 16}
CHOICES = [
    {},
    {"placement": "admin", "norm": "rms", "score": "additive"},
    {"placement": "b2t", "norm": "scale", "score": "location", "slots": 3},
    {"placement": "pre", "relative": "t5", "positions": "learned", "tied_unembedding": False},
    {"relative": "shaw"},
    {"weighing": "favor", "n_features": 8, "gated": True, "biases": False},
]


def model(seed: int = 0, **choices) -> Transformer:
    stacks = {"family": "encoder-decoder", "n_encoder_layers": 1, "n_decoder_layers": 1}
    config = Config.from_dict(stacks | SIZES | choices)
    return initialise(Transformer(config), torch.Generator().manual_seed(seed))


def test_the_same_seed_draws_the_same_numbers_and_another_seed_others():
    first, again, other = (model(seed).state_dict() for seed in (0, 0, 1))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["embedding.token"], other["embedding.token"])


def test_an_embedding_times_the_root_of_d_model_has_variance_one():
    scaled = model().embedding.token * math.sqrt(SIZES["d_model"])
    near(scaled.var().item(), 1, RANDOM, abs=0.05)


def test_matrices_are_uniform_within_the_bound_of_xavier_and_biases_are_zero():
    feed_forward = model().encoder[0].feed_forward
    bound = math.sqrt(6 / (SIZES["d_model"] + SIZES["d_ff"]))
    assert 0.99 * bound < feed_forward.hidden.weight.abs().max() <= bound
    assert (feed_forward.hidden.bias == 0).all()


@pytest.mark.parametrize("choices", CHOICES, ids=str)
def test_no_matrix_and_no_vector_is_left_at_zero(choices):
    zero = [name for name, value in model(**choices).named_parameters() if not value.any()]
    assert all(name.endswith("bias") for name in zero)


def test_every_matrix_of_every_shipped_model_is_drawn():
    for name in ids():
        transformer = Transformer(Config.from_dict(read_card(name)["config"]))
        initialise(transformer, torch.Generator().manual_seed(0))
        for parameter, value in transformer.named_parameters():
            assert value.any() or value.ndim == 1, f"{name}: {parameter}"


def test_a_matrix_that_no_row_draws_is_an_error_and_not_a_silent_zero():
    with pytest.raises(KeyError):
        initialise(nn.Linear(2, 2), torch.Generator())
