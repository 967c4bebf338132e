"""`vitrine add`, `list` and `remove`: what they print, and a sentence and 2 for each refusal."""

import fnmatch
import shutil
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from app import cli, own_models
from model.zoo.cards import own_ids
from tests.model.support.own_models import Shelf


@pytest.fixture
def run(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """What the command prints, in words; a refusal is one sentence on standard error."""
    monkeypatch.setenv("VITRINE_MODELS", str(shelf.cards))

    def printed(*arguments: str | Path, refused: bool = False) -> str:
        code = cli.main(list(map(str, arguments)))
        out, err = capsys.readouterr()
        assert code == (2 if refused else 0), err
        assert (err if refused else out).endswith((".\n", "?\n") if refused else "\n")
        assert err.count("\n") == (1 if refused else 0)
        return " ".join((err if refused else out).split())

    return printed


def test_what_was_found_is_printed_and_what_is_there_is_listed(run, shelf: Shelf):
    assert "You have not added a model yet: use vitrine add FOLDER." in run("list")
    output = run("add", shelf.folder("My Model"))
    for part in (
        "my-model is added",
        "family Small",
        "layers × heads × width 2 × 4 × 16",
        "vocabulary 415",
        "head next word",
        "precision f16, as single precision",
        "license apache-2.0",
        "size 0 kB",
    ):
        assert part in output
    run("add", shelf.folder("other"), "--name", "second")
    assert run("list").startswith("my-model Small, next word, 0 kB My Model second Small")
    shutil.rmtree(shelf.place / "other")
    assert "is gone: put it back, or run vitrine remove" in run("list")
    assert "is removed. Its folder is unchanged." in run("remove", "my-model")
    assert own_ids() == ["second"]
    assert (shelf.place / "My Model").is_dir()


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["add", "{place}/nowhere"], "There is no folder"),
        (["add", "{place}/empty"], "empty has no readable config.json"),
        (
            ["add", "{place}/mine", "--name", "Mine"],
            "is no valid name: use up to 40 lowercase letters, digits,",
        ),
        (["add", "{place}/mine", "--name", "translator"], "the name of a shipped model"),
        (["add", "{place}/mine", "--name", "taken"], "added from taken"),
        (["add", "{place}/…"], "can’t be turned into a name: give one with --name."),
        (["remove", "translator"], "can’t be removed"),
        (["remove", "mine"], "There is no model of yours named 'mine'"),
    ],
)
def test_a_refusal_is_a_sentence_and_nothing_is_added(
    run, shelf: Shelf, arguments: list[str], part: str
):
    (shelf.place / "empty").mkdir()
    shelf.folder("mine")
    shelf.folder("…")
    run("add", shelf.folder("taken"))
    assert part in run(*(word.format(place=shelf.place) for word in arguments), refused=True)
    assert own_ids() == ["taken"]


def test_cards_that_cannot_be_written_are_told_with_the_folder(run, shelf: Shelf):
    shelf.cards.touch()
    assert str(shelf.cards) in run("add", shelf.folder("mine"), refused=True)


def test_a_name_of_the_hub_is_fetched_without_pickles(run, shelf: Shelf, monkeypatch):
    names = []

    def fetch(name: str, allow_patterns: list[str]) -> str:
        names.append(name)
        files = ("model.safetensors", "config.json", "tokenizer.json", "pytorch_model.bin", "x.py")
        taken = [file for file in files if any(fnmatch.fnmatch(file, p) for p in allow_patterns)]
        assert taken == ["model.safetensors", "config.json", "tokenizer.json"]
        return str(shelf.folder("0123abc"))

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    assert "small-llama is added" in run("add", "org/Small-Llama")
    assert names == ["org/Small-Llama"]
    assert "org/Small-Llama" in run("list")


def test_without_a_network_or_the_library_a_name_of_the_hub_is_refused(run, monkeypatch):
    def unreachable(name: str, allow_patterns: list[str]) -> str:
        raise LocalEntryNotFoundError("a long text\nof several lines")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", unreachable)
    assert "and the Hub can’t be reached." in run("add", "org/name", refused=True)
    monkeypatch.setattr(own_models, "find_spec", lambda name: None)
    assert "pip install 'vitrine-lab[hub]'" in run("add", "org/name", refused=True)
