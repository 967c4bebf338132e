"""Training is a function of recipe, data and seed: interrupted or not, it arrives at the same
weights along the same curve.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from model.errors import CorruptWeights
from model.zoo.files import write_atomically
from tests.model.support import tiny_training
from tests.model.support.tiny_training import train_tiny, write_pairs
from tests.rounding import SINGLE, same

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write_pairs(folder / "pairs.tsv")
    return folder


@pytest.fixture(scope="module")
def uninterrupted(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("uninterrupted")
    model, _ = train_tiny(data, folder)
    return model.state_dict(), curve(folder), folder


def curve(folder: Path) -> list[tuple]:
    rows = map(json.loads, (folder / "losses.jsonl").read_text().splitlines())
    return [(row["step"], row["loss"], row["rate"]) for row in rows]


RECORDED = [
    6.14104309,
    5.47020750,
    4.76306553,
    4.32526226,
    4.27568607,
    4.13252974,
    4.02846551,
    3.95859475,
]
"""Losses of the uninterrupted training, the mean of every five steps."""


def test_the_curve_is_the_recorded_one(uninterrupted):
    """Batches, initialisation, dropout, rates and the loss are what they were when the curve was
    recorded. Other processors add in another order, which changes the eighth digit.
    """
    same([loss for _, loss, _ in uninterrupted[1]], RECORDED, SINGLE)


def same_bits(a: dict, b: dict) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def test_it_learns(uninterrupted):
    _, losses, _ = uninterrupted
    assert [step for step, _, _ in losses] == list(range(5, 41, 5))
    assert losses[-1][1] < 0.8 * losses[0][1]


def test_the_same_seed_gives_the_same_bits_and_another_seed_does_not(data, uninterrupted, tmp_path):
    again, _ = train_tiny(data, tmp_path / "again")
    assert same_bits(again.state_dict(), uninterrupted[0])
    assert curve(tmp_path / "again") == uninterrupted[1]
    other, _ = train_tiny(data, tmp_path / "other", seed=1, stop_after=5)
    assert not same_bits(other.state_dict(), uninterrupted[0])


@pytest.mark.thorough  # live trainings that are killed go on by the same steps
def test_killed_in_the_middle_and_started_again_it_goes_on_along_the_same_curve(
    data, uninterrupted, tmp_path
):
    """kill -9 between two checkpoints: the steps after the last one are taken again."""
    command = [sys.executable, tiny_training.__file__, str(data), str(tmp_path), "27"]
    killed = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, timeout=600
    )
    assert killed.returncode == -signal.SIGKILL
    assert json.loads((tmp_path / "manifest.json").read_text())["done"] == 20
    assert curve(tmp_path)[-1][0] == 25
    (tmp_path / "step-000050.12345.part").write_bytes(b"half a check")
    model, state = train_tiny(data, tmp_path)
    assert state.done == 40
    assert same_bits(model.state_dict(), uninterrupted[0])
    assert curve(tmp_path) == uninterrupted[1]


def test_a_finished_training_started_again_is_left_as_it_is(data, uninterrupted):
    weights, losses, folder = uninterrupted
    model, state = train_tiny(data, folder)
    assert state.done == 40
    assert same_bits(model.state_dict(), weights)
    assert curve(folder) == losses


@pytest.mark.parametrize("change", ["seed", "data"])
def test_the_checkpoint_of_another_training_is_refused(data, tmp_path, change):
    train_tiny(data, tmp_path / "folder", stop_after=5)
    if change == "data":
        data = tmp_path
        write_pairs(data / "pairs.tsv")
        with (data / "pairs.tsv").open("a") as file:
            file.write("One more.\tEncore une.\n")
    with pytest.raises(CorruptWeights, match="Remove it or use another folder"):
        train_tiny(data, tmp_path / "folder", seed=1 if change == "seed" else 0)


def test_a_damaged_checkpoint_is_refused(data, tmp_path):
    train_tiny(data, tmp_path, stop_after=5)
    (checkpoint,) = tmp_path.glob("step-*.safetensors")
    content = bytearray(checkpoint.read_bytes())
    content[len(content) // 2] ^= 1
    checkpoint.write_bytes(content)
    with pytest.raises(CorruptWeights, match="damaged"):
        train_tiny(data, tmp_path)


def test_only_the_last_checkpoint_is_kept_and_no_half_written_file(data, tmp_path):
    train_tiny(data, tmp_path, stop_after=15)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "losses.jsonl",
        "manifest.json",
        "step-000015.safetensors",
    ]


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "file.txt"
    write_atomically(path, b"old")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("no space left")))
    with pytest.raises(OSError, match="no space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
