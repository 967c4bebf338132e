"""Padding: both conventions of torch give the weights of ours, and a mask makes padding nothing."""

import pytest

from model.clinics.padding import CONVENTIONS, padding
from model.errors import InvalidInput
from model.inputs.input import Input
from model.runs.run_model import run_model
from model.zoo.models import load_model
from tests.rounding import same


def found(answer, name: str):
    return next(finding for finding in answer.fields["findings"] if finding.name == name)


@pytest.fixture(scope="module")
def answer():
    return padding(seeds=2)


def test_both_conventions_of_torch_and_added_numbers_give_the_same_weights(answer):
    ours = answer.tensors["pattern.ours"].data
    for name in CONVENTIONS[:-1]:
        same(answer.tensors[f"pattern.{name}"].data, ours)


def test_the_weights_of_real_tokens_are_those_of_the_sentence_alone(answer):
    real = answer.fields["real"]
    sentences = answer.axes["sentence"].labels
    runs = [run_model(load_model("translator"), Input(sentence, ".")) for sentence in sentences]
    shortest = min(runs, key=lambda run: len(run.tokens["source"]))
    weights = shortest.trace["encoder.0.attention.pattern"][0]
    assert weights.shape == (real, real)
    same(answer.tensors["pattern.ours"].data[:real, :real], weights)


def test_a_mask_that_is_mistaken_for_the_other_convention_gives_all_weight_to_the_padding(answer):
    mistaken = answer.tensors["pattern.mistaken"].data
    same(mistaken[:, answer.fields["real"] :].sum(-1), 1)
    assert (mistaken[:, : answer.fields["real"]] == 0).all()


def test_with_its_mask_a_padded_sentence_is_the_sentence_alone_and_without_it_another(answer):
    masked, bare = answer.tensors["change"].data
    assert masked.max() < 1e-5 < 1e-2 < bare.max()
    for name in ("with", "bits", "sdpa", "multihead", "additive"):
        assert found(answer, name).holds


def test_a_sentence_without_padding_is_unchanged_with_a_mask_and_without():
    answer = padding(sentences=2, pads=0, seeds=1)
    masked, bare = answer.tensors["change"].data
    assert bare.min() == masked[bare.argmin()] < 1e-5


@pytest.mark.parametrize(
    "wrong", [{"sentences": 1}, {"sentences": 9}, {"pads": -1}, {"pads": 17}, {"head": 4}]
)
def test_what_the_model_cannot_read_is_refused(wrong: dict):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        padding(**wrong)
