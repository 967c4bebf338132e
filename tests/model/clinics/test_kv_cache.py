"""KV cache: what is computed at each step, against the formula and against the model's matrices."""

import pytest
import torch

from model.clinics.kv_cache import COMPUTED, READ, kv_cache, law
from model.errors import InvalidInput
from model.zoo.models import load_model
from tests.rounding import SINGLE, same


def found(answer, name: str):
    return next(finding for finding in answer.fields["findings"] if finding.name == name)


@pytest.fixture(scope="module")
def answer():
    return kv_cache(tokens=8, seeds=1)


def test_with_the_cache_one_token_a_step_is_computed_and_without_it_all(answer):
    cached, again = (answer.tensors[f"keys.{way}"].data for way in ("with", "without"))
    read_so_far = torch.ones(8, 8, dtype=torch.bool).tril()
    assert torch.equal(cached == COMPUTED, torch.eye(8, dtype=torch.bool))
    assert torch.equal(cached == READ, read_so_far.tril(-1))
    assert torch.equal(again == COMPUTED, read_so_far)
    assert torch.equal(cached.isneginf(), ~read_so_far)


def test_the_logits_are_those_of_the_model_and_the_count_is_the_formula(answer):
    for name in ("logits", "choices", "counted", "bytes"):
        assert found(answer, name).holds


def test_the_multiplications_of_the_first_step_are_those_of_its_matrices(answer):
    model = load_model("shakespeare")
    matrices = sum(
        weight.numel()
        for name, weight in model.transformer.stack("decoder").named_parameters()
        if name.endswith("weight")
    )
    scores_and_sums = 2 * model.config.n_decoder_layers * model.config.d_model
    unembedding = model.config.d_model * model.config.vocabulary_size
    counted = answer.tensors["multiplications"].data[:, 0].tolist()
    assert counted == [matrices + scores_and_sums + unembedding] * 2
    assert law(model.config, 1, 1) == counted[0]


def test_the_cache_grows_by_a_key_and_a_value_in_each_layer(answer):
    config = load_model("shakespeare").config
    each = 2 * config.n_decoder_layers * config.d_model * 4
    assert answer.tensors["bytes"].data.tolist() == [each * t for t in range(1, 9)]


def test_the_saving_is_the_ratio_of_the_sums(answer):
    cached, again = answer.tensors["multiplications"].data.sum(-1).tolist()
    same(found(answer, "saved").number, again / cached, SINGLE)


def test_fewer_than_four_tokens_are_refused():
    with pytest.raises(InvalidInput, match="tokens"):
        kv_cache(tokens=3)
