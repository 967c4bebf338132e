"""How the networks of /recurrence are trained: from the same batches, to be gone on with after a
kill, and measured as the record says.
"""

import json
import math

import pytest
import torch

from model.errors import CorruptWeights
from model.recurrent import train as reversers
from model.recurrent.reversal import right, share_of_letters, share_of_words
from model.recurrent.reversers import (
    LONGEST,
    NETWORKS,
    TRAINED,
    TRAININGS,
    TRUNCATED,
    fresh_reverser,
    load_reverser,
    read_record,
)
from model.recurrent.train import by_length, by_letter, held_out, loss, train
from tests.model.support.plays import check_resumed
from tests.rounding import RANDOM, REMEASURED, near
from tests.thorough import mostly


def test_a_batch_depends_on_seed_and_step_alone_and_its_words_have_trained_lengths():
    assert torch.equal(reversers.batch(1, 7), reversers.batch(1, 7))
    assert not torch.equal(reversers.batch(1, 7)[:, :1], reversers.batch(2, 7)[:, :1])
    lengths = {reversers.batch(0, step).shape[1] for step in range(200)}
    assert lengths == set(range(1, TRAINED + 1))


@pytest.mark.parametrize("name", NETWORKS)
def test_a_fresh_network_knows_nothing(name):
    network = fresh_reverser(name, torch.Generator().manual_seed(0))
    start = loss(network, reversers.batch(0, 0)).item()
    near(start, math.log(29), RANDOM, rel=0.35)


def test_a_training_that_was_killed_goes_on_as_if_it_had_not(tmp_path):
    network = "lstm-attention"
    check_resumed(lambda folder, stop: train(network, 0, folder, stop_after=stop), tmp_path)


def test_a_checkpoint_of_another_truncation_is_not_gone_on_with(tmp_path):
    train(TRUNCATED, 0, tmp_path, truncation=2, stop_after=1)
    with pytest.raises(CorruptWeights, match=r"belongs to .* not \{'network'"):
        train(TRUNCATED, 0, tmp_path, stop_after=2)


def test_a_few_steps_make_the_loss_smaller(tmp_path):
    before = fresh_reverser("lstm", torch.Generator().manual_seed(0))
    after, _ = train("lstm", 0, tmp_path, stop_after=30)
    with torch.no_grad():
        assert loss(after, held_out(2)) < loss(before, held_out(2)) - 0.3


ENDS = {
    (name, training): pytest.param(name, training)
    for name in ("lstm", "transformer")
    for training in (0, TRAININGS - 1)
}


@pytest.mark.parametrize("length", mostly(range(1, LONGEST + 1), 1, TRAINED, TRAINED + 2))
@pytest.mark.parametrize(
    ("name", "training"),
    mostly(ENDS.values(), ENDS["lstm", 0], ENDS["transformer", TRAININGS - 1]),
)
def test_the_record_is_what_the_shipped_weights_measure(name, training, length):
    found = right(load_reverser(name, training), held_out(length))
    letters, words = (
        read_record().measured(unit)[training, list(NETWORKS).index(name), length - 1].item()
        for unit in ("letters", "words")
    )
    near(letters, share_of_letters(found), REMEASURED, abs=0.01)
    near(words, share_of_words(found), REMEASURED, abs=0.02)


def test_lengths_are_measured_in_their_order(monkeypatch):
    """Of words up to the length at which this network has begun to err."""
    monkeypatch.setattr(reversers, "LONGEST", 9)
    letters, words = by_length(load_reverser("lstm", 0))
    place = list(NETWORKS).index("lstm")
    letters_told, words_told = (
        read_record().measured(unit)[0, place, :9].tolist() for unit in ("letters", "words")
    )
    near(letters, letters_told, REMEASURED, abs=0.01)
    near(words, words_told, REMEASURED, abs=0.02)
    assert letters[-1] < letters[0]


def test_the_whole_gradient_among_the_truncated_is_that_of_the_shipped_network():
    found = by_letter(load_reverser(TRUNCATED, 0))
    truncated = read_record().measured("truncated")
    near(truncated[0, -1].tolist(), found, REMEASURED, abs=0.01)
    assert found != by_letter(load_reverser(TRUNCATED, 1))


def test_the_record_has_every_training_network_and_length():
    record = read_record()
    assert record.measured("letters").shape == (TRAININGS, len(NETWORKS), LONGEST)
    assert record.measured("truncated").shape == (TRAININGS, 4, TRAINED)
    assert record.entries["training"]["steps"] == dict.fromkeys(NETWORKS, reversers.STEPS)
    json.dumps(record.entries)
