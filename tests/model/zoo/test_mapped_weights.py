"""Weights of single precision are written once and mapped by whoever comes."""

import json
from pathlib import Path

import pytest
import torch

from model.zoo import mapped_weights, models
from model.zoo.mapped_weights import Mapped

ID = "induction-1"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(Mapped, "folder", tmp_path)
    return tmp_path


def loaded() -> torch.nn.Module:
    return models.load_shipped(ID, models.WEIGHTS).transformer


def mappings() -> list[str]:
    """The files that this process has mapped."""
    return [line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines()]


def test_the_weights_are_those_of_the_shipped_file_and_lie_in_one_file(folder: Path):
    shipped = models.load_model(ID).transformer
    first, second = loaded(), loaded()
    (file,) = folder.iterdir()
    card = json.loads((models.WEIGHTS / ID / "card.json").read_text())
    assert file.name == f"{card['weights_sha256']}.safetensors"
    assert str(file) in mappings()
    for network in (first, second):
        for name, value in network.state_dict().items():
            assert torch.equal(value, shipped.state_dict()[name]), name
        assert not any(parameter.requires_grad for parameter in network.parameters())


def test_a_file_with_other_numbers_is_not_used(folder: Path):
    loaded()
    (file,) = folder.iterdir()
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    expected = models.load_model(ID).transformer.state_dict()
    assert all(torch.equal(value, expected[name]) for name, value in loaded().state_dict().items())


def test_where_nothing_can_be_written_the_process_has_weights_of_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Mapped, "folder", folder / "none")
    assert loaded()
    assert not list(folder.iterdir())


def test_without_a_folder_nothing_is_written(tmp_path: Path):
    assert Mapped.folder is None
    assert mapped_weights.with_mapped_weights(torch.nn.Linear(1, 1), "a") is not None
    assert not list(tmp_path.iterdir())
