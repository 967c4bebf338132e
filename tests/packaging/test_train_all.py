"""`vitrine train --all`: every recipe, one after another, each with a checkpoint of its own."""

from pathlib import Path

import pytest

from app import cli
from model.training import registry


def test_training_of_all_takes_one_after_another(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    two = {id: registry.RECIPES[id] for id in ("digits", "induction-1")}
    monkeypatch.setattr(registry, "RECIPES", two)
    assert cli.main(["train", "--all", "--out", str(tmp_path), "--stop-after", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("/")[-1] for line in lines] == ["digits.", "induction-1."]
    assert all((tmp_path / id / "manifest.json").is_file() for id in two)
