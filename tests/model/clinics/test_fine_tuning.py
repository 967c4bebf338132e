"""Fine-tuning: the answer against the kept file, and the task of the experiment by hand."""

import json

import pytest
import torch

from model.clinics.fine_tuning import EXPERIMENT, fine_tuning
from model.errors import InvalidInput
from model.zoo.results import RESULTS
from tests.rounding import same

STUDY = json.loads((RESULTS / f"{EXPERIMENT}.json").read_text())


def found(answer):
    return {finding.name: finding for finding in answer.fields["findings"]}


def test_the_answer_is_what_was_measured_and_nothing_else():
    answer = fine_tuning(seeds=STUDY["seeds"])
    each = torch.tensor([STUDY["measured"][name] for name in ("frozen", "tuned", "scratch")])
    accuracy = answer.tensors["accuracy.by_seed"].data
    same(accuracy, each.movedim(1, 0))
    assert answer.axes["labelled"].values == STUDY["labelled"]
    assert answer.kind == "trained"


def test_a_gain_is_the_mean_difference_at_the_most_labels():
    tuned, scratch = ([row[-1] for row in STUDY["measured"][name]] for name in ("tuned", "scratch"))
    by_hand = sum(a - b for a, b in zip(tuned, scratch, strict=True)) / len(tuned)
    same(found(fine_tuning())["tuned.over_scratch"].mean, by_hand)


def test_pre_training_pays_with_many_labels_and_with_few_it_does_not():
    of = found(fine_tuning())
    assert of["tuned.over_scratch"].holds
    assert of["tuned.over_frozen"].holds
    assert of["scratch.over_chance"].verdict == "fails"
    assert of["tuned.over_scratch.few"].verdict == "fails"


def test_the_seeds_are_those_that_were_trained():
    first, second = (fine_tuning(seed=seed, seeds=1) for seed in (0, 1))
    assert not torch.equal(first.tensors["accuracy"].data, second.tensors["accuracy"].data)
    again = fine_tuning(seed=STUDY["seeds"], seeds=1)
    assert torch.equal(first.tensors["accuracy"].data, again.tensors["accuracy"].data)
    assert fine_tuning(seeds=16).axes["seed"].size == STUDY["seeds"]
    assert found(first)["tuned.over_scratch"].verdict == "undecided"
    with pytest.raises(InvalidInput, match="seeds is 0; it must be at least 1"):
        fine_tuning(seeds=0)
