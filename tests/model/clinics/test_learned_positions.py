"""Learned positions: the answer against the kept file, by hand."""

import json
import math

import torch

from model.clinics.learned_positions import EXPERIMENT, NEARLY, learned_positions
from model.zoo.results import RESULTS
from tests.rounding import same

STUDY = json.loads((RESULTS / f"{EXPERIMENT}.json").read_text())


def found(answer):
    return {finding.name: finding for finding in answer.fields["findings"]}


def test_the_answer_is_what_was_measured_and_nothing_else():
    answer = learned_positions(seeds=16)
    each = torch.tensor([STUDY["measured"][name] for name in ("sinusoidal", "learned")])
    losses = answer.tensors["loss.by_seed"].data
    same(losses, each.double().movedim(1, 0), scale=1)
    assert answer.axes["trained"].values == STUDY["steps"]


def test_a_ratio_of_perplexities_is_e_to_the_difference_of_losses():
    sinusoidal, learned = (
        [row[-1] for row in STUDY["measured"][name]] for name in ("sinusoidal", "learned")
    )
    logarithm = sum(b - a for a, b in zip(sinusoidal, learned, strict=True)) / len(learned)
    finding = found(learned_positions(seeds=16))["learned_over_sinusoidal"]
    same(finding.mean, math.exp(logarithm))
    assert finding.band == NEARLY


def test_one_training_decides_nothing():
    of = found(learned_positions(seeds=1))
    assert of["learned_over_sinusoidal"].verdict == "undecided"
    assert of["learned_over_sinusoidal"].seeds == 1


def test_both_learned_and_began_as_guesses():
    loss = learned_positions(seeds=16).tensors["loss"].data
    assert (loss[:, 0] > 6.5).all(), "a guess among 1,000 tokens costs ln 1,000 = 6.9 nats"
    assert (loss[:, -1] < 3).all()
    assert (loss.diff(dim=1) < 0).all()
