"""A table becomes a model from end to end: its files, its card, and a training that goes on."""

import json
from dataclasses import replace

import pytest
import torch

from model.analyses.tables import tables
from model.errors import InvalidInput, NotRead
from model.inputs.input import Input
from model.runs.run_model import run_model
from model.training.own_tables.choices import Choices
from model.training.own_tables.parts import log_loss
from model.training.own_tables.task import TableTask, chances
from model.training.own_tables.train import train_table
from model.zoo import cards
from model.zoo.models import load_model, read_card
from model.zoo.own_models import remove_model
from tests.model.support.made_table import made_table
from tests.rounding import PRINTED, near
from tests.thorough import mostly

CHOICES = Choices(target="bought", drop=("day",), categories=("hour",), steps=20)


def silent(_: str) -> None:
    pass


@pytest.mark.parametrize("architecture", mostly(["ft", "tab", "saint"], "ft"))
def test_a_table_becomes_a_model_whose_card_says_what_was_measured(architecture, tmp_path):
    choices, lines = replace(CHOICES, architecture=architecture), []
    card = train_table(made_table(), choices, "mine", tmp_path, tmp_path / "w", say=lines.append)
    assert card == json.loads((tmp_path / "mine/card.json").read_text(encoding="utf-8"))
    assert "left out: day, because as asked" in lines
    model = load_model("mine", tmp_path)
    task = TableTask(made_table(), choices)
    assert model.tokenizer == task.tokenizer
    read = chances(task, model.transformer, task.test.rows)
    loss = float(log_loss(read, task.test.classes).mean())
    near(card["quality"]["log_loss"]["value"], loss, PRINTED, abs=1e-4)
    assert loss < card["quality"]["log_loss"]["most_frequent"]
    for bins in card["held_out"]["reliability"]["model"]:
        assert sum(row["rows"] for row in bins) == len(task.test)
    worth = {column["name"]: column for column in card["held_out"]["worth"]["columns"]}
    assert list(worth) == ["size", "tempo", "city", "hour"]
    assert worth["size"]["shuffled"][0] > max(0.0, worth["tempo"]["shuffled"][0])
    for layer in card["held_out"]["worth"]["attention"]:
        assert len(layer["columns"]) == len(layer["mean"])
    for example in card["examples"]:
        answer = tables(run_model(model, Input(row=example["id"])))
        assert f"with probability {answer.fields['says']['probability']:.2f}" in example["look_for"]


def test_a_training_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path):
    few = replace(CHOICES, steps=6)
    whole = train_table(made_table(), few, "mine", tmp_path / "a", tmp_path / "1", say=silent)
    work, arguments = tmp_path / "2", (made_table(), few, "mine", tmp_path / "b")
    assert train_table(*arguments, work, stop_after=3, say=silent) is None
    assert train_table(*arguments, work, say=silent)["weights_sha256"] == whole["weights_sha256"]
    other = replace(few, seed=1)
    fresh = train_table(made_table(), other, "mine", tmp_path / "b", work, say=silent)
    assert fresh["weights_sha256"] != whole["weights_sha256"]


@pytest.mark.parametrize(("pretrain", "phrase"), [(True, "read back"), ("replace", "told from")])
def test_pre_training_says_what_it_gained(pretrain, phrase, tmp_path):
    choices = replace(CHOICES, pretrain=pretrain, steps=4)
    card = train_table(made_table(), choices, "mine", tmp_path, tmp_path / "w", say=silent)
    plain = train_table(
        made_table(),
        replace(choices, pretrain=False),
        "plain",
        tmp_path,
        tmp_path / "w",
        say=silent,
    )
    found = card["quality"]["log_loss"]
    assert found["without_pretraining"] == plain["quality"]["log_loss"]["value"]
    assert found["value"] != found["without_pretraining"]
    assert card["training"]["steps"] == 6
    assert phrase in card["training"]["pretraining"]
    assert "pretraining" not in plain["training"]


def test_rows_of_a_day_are_measured_together(tmp_path):
    choices = Choices(target="bought", group="day", steps=5)
    card = train_table(made_table(), choices, "mine", tmp_path, tmp_path / "w", say=silent)
    assert "so that no day is in two parts: 60 rows for the figures" in card["split"]
    assert card["held_out"]["groups"] == 2
    assert torch.isfinite(torch.tensor(card["quality"]["accuracy"]["interval"])).all()


def test_a_trained_table_stands_on_the_shelf_of_ones_own_models(tmp_path, monkeypatch):
    monkeypatch.setattr(cards.User, "folder", tmp_path)
    choices = replace(CHOICES, steps=3)
    trained = train_table(made_table(), choices, "mine", tmp_path, tmp_path / "w", say=silent)
    assert cards.own_ids() == ["mine"]
    card = cards.read_card("mine")
    assert {"folder", "files"}.isdisjoint(card)
    assert (card["id"], card["kind"], card["quality"]) == ("mine", "trained", trained["quality"])
    assert card["bytes"] == (tmp_path / "mine/model.safetensors").stat().st_size
    assert load_model("mine").transformer.config.columns.n_numeric == 2
    (tmp_path / "mine/model.safetensors").write_bytes(b"")
    assert cards.read_card("mine")["unreadable"].endswith("train it again.")
    with pytest.raises(NotRead, match="changed after the model was added: train it again"):
        load_model("mine")
    remove_model("mine")
    assert not (tmp_path / "mine").exists()


def test_the_name_of_an_added_model_is_not_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(cards.User, "folder", tmp_path)
    (tmp_path / "theirs").mkdir()
    shipped = read_card("translator")
    names = ("config", "parameters", "bytes", "weights_sha256", "encoding")
    texts = dict.fromkeys(("folder", "source", "architecture", "precision"), "theirs")
    rest = {"kind": "yours", "head": "none", "files": {}, "classes": [], "vocabulary": 9}
    added = {name: shipped[name] for name in names} | texts | rest
    (tmp_path / "theirs/card.json").write_text(json.dumps(added))
    with pytest.raises(InvalidInput, match="is already the name of an added model: choose another"):
        train_table(made_table(), CHOICES, "theirs", tmp_path, tmp_path / "w", say=silent)


@pytest.mark.parametrize("name", ["penguins-ft", "A b", "../up", ""])
def test_a_name_that_cannot_be_is_refused(name, tmp_path):
    with pytest.raises(InvalidInput, match=r"choose another|is no valid name"):
        train_table(made_table(), CHOICES, name, tmp_path, tmp_path)
