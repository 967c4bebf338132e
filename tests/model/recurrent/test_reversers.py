"""The networks of /recurrence are of like size, small, and refused where a file is not the one that
was measured.
"""

import shutil

import pytest
import torch

from model.errors import CorruptWeights
from model.recurrent import reversers
from model.recurrent.reversal import decoder_input, expected, random_words
from model.recurrent.reversers import (
    NETWORKS,
    file_name,
    fresh_reverser,
    load_reverser,
    read_record,
)
from model.zoo.models import WEIGHTS
from tests.rounding import PRINTED, near

every_network = pytest.mark.parametrize("name", NETWORKS)


@every_network
def test_a_network_has_about_as_many_parameters_as_the_others(name):
    count = sum(p.numel() for p in load_reverser(name, 0).parameters())
    near(count, 42_500, PRINTED, rel=0.04)
    assert count == read_record().entries["parameters"][name]


@every_network
def test_a_trained_network_gives_logits_and_a_fresh_one_others(name):
    words = random_words(2, 4, torch.Generator().manual_seed(0))
    target = decoder_input(words)
    trained = load_reverser(name, 0)(words, target)
    fresh = fresh_reverser(name, torch.Generator().manual_seed(0))(words, target)
    assert trained.shape == fresh.shape == (2, 5, reversers.TOKENIZER.size)
    right = (trained.argmax(-1) == expected(words)).float().mean()
    assert right > (fresh.argmax(-1) == expected(words)).float().mean() + 0.5


def test_all_weights_together_are_small():
    files = [*(WEIGHTS / reversers.FOLDER).iterdir()]
    assert sum(file.stat().st_size for file in files) < 1_500_000


@pytest.fixture
def damaged(tmp_path):
    """A copy of the networks' folder to change."""
    shutil.copytree(WEIGHTS / reversers.FOLDER, tmp_path / reversers.FOLDER)
    return tmp_path


def test_a_changed_file_is_refused(damaged):
    path = damaged / reversers.FOLDER / file_name("lstm", 0)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(CorruptWeights, match="digest"):
        load_reverser("lstm", 0, damaged)
    assert load_reverser("lstm", 1, damaged) is not None


def test_the_weights_of_another_training_are_refused(damaged):
    folder = damaged / reversers.FOLDER
    shutil.copy(folder / file_name("rnn", 1), folder / file_name("rnn", 0))
    with pytest.raises(CorruptWeights):
        load_reverser("rnn", 0, damaged)
