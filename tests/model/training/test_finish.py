"""The last step of every recipe: what the recipe says, and what is the same for every model."""

import dataclasses
import json

import pytest
import torch

from model.training.checkpoint import State
from model.training.finish import finish
from model.training.loop import Recipe
from model.training.model_card import Card
from model.training.schedule import Cycle, Dropout
from model.zoo.models import load_model
from tests.model.support import tiny_training
from tests.model.support.runs import tokenizer
from tests.model.support.small import small

ENTRIES = [
    *("id", "name", "modality", "task", "kind", "limits", "columns", "quality", "training", "kept"),
    *("split", "data_notice", "data_sha256", "examples", "family", "encoding", "config"),
    *("parameters", "weights_sha256", "tokenizer_sha256"),
]
CYCLE = Cycle(peak=0.1, warmup=2, steps=9, dropout=Dropout(0.0))
CARD = Card(
    name="Tiny",
    modality="text",
    task="a task",
    limits={"tokens": 32},
    columns=[{"name": "a"}],
    quality={"accuracy": {"value": 0.5, "how": "share"}},
    training={"batch": 16},
    kept={"steps": [0]},
    split="by sentence",
    data_notice="Ours.",
    examples=[],
    files={"more.bin": b"more"},
)


class Task(tiny_training.TinyTranslation):
    def __init__(self):
        self.tokenizer, self.digest = tokenizer(), "digest"


def finished(folder, card=CARD, **how):
    model = small(dtype=torch.float32, vocabulary_size=tokenizer().size)
    recipe = Recipe(id="tiny", cycles=(CYCLE,), prepare=Task, describe=lambda *_, **__: card, **how)
    return finish(recipe, Task(), model, State(done=9, seconds=90.0), folder, seed=3)


def test_a_card_has_every_entry_in_one_order_and_is_what_was_written(tmp_path):
    card = finished(tmp_path)
    assert list(card) == ENTRIES
    text = (tmp_path / "tiny" / "card.json").read_text(encoding="utf-8")
    assert list(json.loads(text).items()) == list(card.items())
    assert card["training"].items() >= {"minutes": 1.5, "steps": 9, "seed": 3, "batch": 16}.items()
    assert (card["id"], card["kind"], card["data_sha256"]) == ("tiny", "trained", "digest")
    assert load_model("tiny", tmp_path).card["name"] == "Tiny"


def test_what_a_recipe_does_not_state_is_not_on_its_card(tmp_path):
    card = finished(tmp_path, dataclasses.replace(CARD, columns=None, kept=None, files={}))
    assert list(card) == [name for name in ENTRIES if name not in ("columns", "kept")]
    assert not (tmp_path / "tiny" / "more.bin").exists()


def test_further_files_stand_beside_the_weights(tmp_path):
    finished(tmp_path)
    assert (tmp_path / "tiny" / "more.bin").read_bytes() == b"more"


def test_the_cycles_of_a_card_are_those_of_the_teacher_and_then_its_own(tmp_path):
    first = dataclasses.replace(CYCLE, steps=5)
    teacher = Recipe(id="teacher", cycles=(first,), prepare=Task)
    cycles = finished(tmp_path, teacher=teacher)["training"]["cycles"]
    assert [cycle["steps"] for cycle in cycles] == [5, 9]


def test_a_teacher_has_no_card(tmp_path):
    teacher = Recipe(id="teacher", cycles=(CYCLE,), prepare=Task)
    with pytest.raises(AssertionError, match="without a card"):
        finish(teacher, Task(), small(dtype=torch.float32), State(), tmp_path)
