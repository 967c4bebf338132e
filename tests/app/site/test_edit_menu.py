"""The menu of edits: every edit that it makes for every model is one that the model takes."""

import pytest

from app.site.edit_menu import WHATS, menu, parts
from app.site.pages import cards
from model.edits.edit import read_edits
from model.inputs.input import Input
from model.runs.run_model import run_model
from model.zoo.models import load_model
from tests.model.support.every_model import REPEATED
from tests.thorough import mostly

CARDS = {card["id"]: card for card in cards()}
AXES = {
    "source": {"labels": ["<s>", "i", "am", "cold", "</s>"]},
    "target": {"labels": ["<s>", "j'", "ai"]},
}
TYPED = {"value": "0.5"}


def edit_of(**chosen: str) -> dict | None:
    return menu(CARDS["translator"], AXES, chosen).edit


def test_it_opens_on_a_whole_edit():
    opened = menu(CARDS["translator"], AXES, {})
    assert opened.edit == {"op": "zero", "at": "decoder.0.cross_attention.z"}
    assert opened.sentence == "decoder layer 0 cross-attention: off"


def test_choices_become_indices_of_an_edit():
    of = "decoder.{}.cross_attention.pattern"
    assert edit_of(what="set", of=of, layer="2", head="1", query="2", key="3", value="0.9") == {
        "op": "set",
        "at": "decoder.2.cross_attention.pattern",
        "where": {"head": [1], "query": [2], "key": [3]},
        "value": 0.9,
    }


def test_two_heads_are_exchanged_and_one_is_not_exchanged_with_itself():
    chosen = {"what": "swap", "of": "encoder.{}.attention.z", "head": "3"}
    edit = edit_of(**chosen, other="1")
    assert edit is not None
    assert edit["where"] == {"head": [1, 3]}
    assert edit_of(**chosen, other="3") is None


@pytest.mark.parametrize(
    ("chosen", "missing"),
    [({"what": "scale"}, "number"), ({"what": "scale", "value": "x"}, "number")]
    + [({"what": "scale", "value": text}, "number") for text in ("nan", "inf", "1e999")]
    + [({"what": "patch", "from": "  "}, "input")],
)
def test_what_is_missing_is_said(chosen: dict[str, str], missing: str):
    after = menu(CARDS["translator"], AXES, chosen)
    assert after.edit is None
    assert missing in after.sentence


def test_what_cannot_be_chosen_becomes_the_first_choice():
    after = menu(CARDS["translator"], AXES, {"what": "?", "of": "?", "layer": "9", "head": "-1"})
    assert after.edit == {"op": "zero", "at": "decoder.0.cross_attention.z"}


def test_a_choice_of_another_operation_stays_in_the_same_attention():
    chosen = {"what": "mask", "of": "encoder.{}.attention.z", "layer": "1"}
    assert edit_of(**chosen) == {
        "op": "mask",
        "at": "encoder.1.attention.scores",
        "where": {"key": [0]},
    }


@pytest.mark.parametrize("model", mostly(sorted(CARDS), *(CARDS.keys() - REPEATED)))
def test_every_model_takes_the_edits_of_every_part_of_its_menu(model: str):
    card = CARDS[model]
    run = run_model(load_model(model), Input(**card["examples"][0]["input"]))
    axes = {name: {"labels": axis.labels} for name, axis in run.axes.items()}
    for what in WHATS:
        edits, changed = [], []
        for part in parts(card, axes).values():
            if part.kind not in WHATS[what].kinds:
                continue
            chosen = {"what": what, "of": part.at, "other": "1", "head": "0", "from": "x", **TYPED}
            after = menu(card, axes, {**chosen, "query": "0", "key": "0", "position": "0"})
            assert after.edit is not None, (what, part.name)
            (edit,) = read_edits([after.edit])
            if not edit.inputs:
                edits.append(edit)
                at = after.edit["at"]
                changed.append(at.replace(".scores", ".masked_scores") if what == "mask" else at)
        edited = run_model(run.model, Input(**card["examples"][0]["input"]), edits=tuple(edits))
        assert [edit.names for edit in edited.edits] == [[name] for name in changed], what
