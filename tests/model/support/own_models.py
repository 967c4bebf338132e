"""A shelf for models of one's own, and folders to add. What reads the folders stands in for
`model.hub`: it knows small random models of the encoding that tests read, and counts what it loads.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from model import hub
from model.errors import NotRead
from model.inputs.hub_text import HubTokenizer
from model.inputs.text import TextTokenizer
from model.zoo import models, own_models
from model.zoo.cards import User
from tests.model.support.runs import small_model, tokenizer

LICENCE = "apache-2.0"


class Tokenizer(TextTokenizer):
    encoding = "hub"


class Shelf:
    """Where cards lie, and what was loaded. `folder` makes a folder that can be added; `most` is
    how many bytes of models may be in memory.
    """

    def __init__(self, place: Path):
        self.place, self.loaded, self.gone = place, list[str](), list[str]()
        self.cards = place / "cards"

    def folder(self, name: str, family: str = "decoder-only") -> Path:
        folder = self.place / name
        folder.mkdir()
        (folder / "config.json").write_text(family)
        (folder / "tokenizer.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(b"\0" * 100)
        return folder

    def most(self, most: int) -> None:
        models.InMemory.models = models.ModelCache(most, lambda model: self.gone.append(model.id))

    def describe(self, folder: Path) -> dict:
        if not (folder / "config.json").is_file():
            raise NotRead("no-file-that-can-be-read", parent=folder.name, file="config.json")
        family = (folder / "config.json").read_text()
        config = small_model(family).config
        return {
            "config": config.as_dict(),
            "family": "Small",
            "bytes": 100,
            "precision": "f16",
            "licence": LICENCE,
            "head": "masked word" if family == "encoder-only" else "next word",
            "classes": [],
            "vocabulary": config.vocabulary_size,
            "source": str(folder),
            "left_aside": {},
        }

    def tokenizer(self, folder: Path) -> Tokenizer:
        return Tokenizer(tokenizer().backend)

    def load(self, folder: Path, separator: int = 0):
        self.loaded.append(folder.name)
        model = small_model((folder / "config.json").read_text())
        return model.config, model.transformer


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    shelf = Shelf(tmp_path)
    monkeypatch.setattr(hub, "describe", shelf.describe)
    monkeypatch.setattr(hub, "load", shelf.load)
    monkeypatch.setattr(HubTokenizer, "load", shelf.tokenizer)
    monkeypatch.setattr(own_models, "probe", lambda file: None)
    monkeypatch.setattr(User, "folder", shelf.cards)
    monkeypatch.setattr(models.InMemory, "models", models.ModelCache(2**31))
    return shelf
