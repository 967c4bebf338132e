"""Models of one's own: found beside the shipped ones, read when they are asked for, forgotten by
the bytes that they take, and never half there.
"""

import hashlib
import json
import os
import shutil
from dataclasses import replace

import pytest
from tokenizers import Tokenizer as Backend

from model.analyses import answer
from model.errors import InvalidInput, NotRead, UnknownName
from model.inputs.hub_text import HubTokenizer
from model.inputs.text import TextTokenizer
from model.zoo.cards import ids, own_ids, read_card, version, version_of
from model.zoo.models import InMemory, bytes_of, load_model
from model.zoo.own_models import add_model, check_name, name_for, remove_model
from tests.model.support.own_models import LICENCE, Shelf
from tests.model.support.runs import tokenizer

MOST = 2**31


def add(shelf: Shelf, name: str, family: str = "decoder-only") -> None:
    add_model(shelf.folder(name, family), name, name, MOST)
    shelf.loaded.clear()


def test_an_added_model_is_one_of_the_models_and_only_its_card_is_written(shelf: Shelf):
    assert own_ids() == []
    before = ids()
    add(shelf, "mine")
    assert ids() == [*before, "mine"]
    assert [path.name for path in shelf.cards.rglob("*.*")] == ["card.json"]
    card, transformer = read_card("mine"), load_model("mine").transformer
    assert card["weights_sha256"] == hashlib.sha256(b"\0" * 100).hexdigest()
    assert card["parameters"] == sum(value.numel() for value in transformer.parameters())
    fields = {name: card[name] for name in ("kind", "architecture", "source", "licence", "head")}
    assert fields == {
        "kind": "yours",
        "architecture": "Small",
        "source": "mine",
        "licence": LICENCE,
        "head": "next word",
    }


def test_what_nobody_knows_is_not_on_the_card_and_no_path_of_this_machine(shelf: Shelf):
    add(shelf, "mine")
    card = read_card("mine")
    assert not {"training", "split", "data_notice", "kept", "folder", "files"} & card.keys()
    assert card["quality"] == {}
    assert card["limits"] == {"tokens": 32}
    assert {example["look_for"] for example in card["examples"]} == {""}
    assert str(shelf.place) not in json.dumps(card)


def test_the_first_input_is_one_that_the_model_can_read(shelf: Shelf):
    add(shelf, "next")
    add(shelf, "masked", "encoder-only")
    add(shelf, "pair", "encoder-decoder")
    first = {id: read_card(id)["examples"][0]["input"] for id in own_ids()}
    assert first["next"] == {"text": "The capital of France is"}
    assert first["masked"] == {"text": "The capital of France is [MASK]."}
    assert list(first["pair"]) == ["source"]


def test_an_answer_about_an_added_model_is_yours_and_says_nothing_of_a_training(shelf: Shelf):
    add(shelf, "mine")
    long = " ".join(["the cat sees the dog"] * 2)
    found = answer("attention", {"model": "mine", "text": long})
    assert (found.kind, found.model) == ("yours", "mine")
    assert not {"notes", "certainty", "confidence"} & found.fields.keys()


def test_twelve_models_cost_nothing_until_one_is_asked_for(shelf: Shelf):
    for number in range(12):
        add(shelf, f"m{number}")
    assert len(own_ids()) == 12
    assert shelf.loaded == []
    assert load_model("m3") is load_model("m3")
    assert shelf.loaded == ["m3"]


def test_the_model_that_was_used_longest_ago_goes_first_and_is_read_again(shelf: Shelf):
    for name in ("a", "b", "c"):
        add(shelf, name)
    each = bytes_of(load_model("a").transformer)
    shelf.most(2 * each)
    for name in ("a", "b", "a", "c"):
        load_model(name)
    assert shelf.gone == ["b"]
    assert InMemory.models.currsize == 2 * each
    shelf.loaded.clear()
    for name in ("a", "c", "b"):
        load_model(name)
    assert shelf.loaded == ["b"]


def test_a_shipped_model_gives_way_by_the_same_rule(shelf: Shelf):
    add(shelf, "mine")
    shipped = load_model("induction-1")
    shelf.most(bytes_of(shipped.transformer))
    assert load_model("induction-1") is not shipped
    load_model("mine")
    assert shelf.gone == ["induction-1"]


def test_a_model_larger_than_all_that_is_kept_is_refused_with_what_to_set(shelf: Shelf):
    with pytest.raises(NotRead, match="VITRINE_MODEL_BYTES"):
        add_model(shelf.folder("large"), "large", "large", 99)
    assert shelf.loaded == []
    with pytest.raises(NotRead, match="VITRINE_MODEL_BYTES"):
        add_model(shelf.place / "large", "large", "large", 101)
    assert own_ids() == []
    add_model(shelf.place / "large", "large", "large", MOST)
    shelf.most(101)
    with pytest.raises(NotRead, match="VITRINE_MODEL_BYTES"):
        load_model("large")


def test_a_tokenizer_with_more_tokens_than_the_model_embeds_is_refused(shelf: Shelf, monkeypatch):
    backend = Backend.from_str(tokenizer().backend.to_str())
    rows = backend.get_vocab_size()
    backend.add_special_tokens(["<none>"])
    larger = TextTokenizer(backend)
    larger.encoding = "hub"
    larger.frame = replace(larger.frame, special=larger.frame.special | {rows})  # as no text
    monkeypatch.setattr(HubTokenizer, "load", lambda folder: larger)
    add(shelf, "padded")
    backend.add_tokens(["zzz"])
    with pytest.raises(NotRead, match=f"has token {rows + 1}, but the model only {rows}"):
        add_model(shelf.folder("larger"), "larger", "larger", MOST)
    assert own_ids() == ["padded"]
    with pytest.raises(NotRead, match="embeddings: they don’t belong together"):
        load_model("padded")


def gone(folder):
    shutil.rmtree(folder)


def missing(folder):
    (folder / "tokenizer.json").unlink()


def changed(folder):
    os.utime(folder / "model.safetensors", ns=(0, 0))


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (gone, "is gone: put it back, or run vitrine remove"),
        (missing, "File tokenizer.json of mine is gone"),
        (changed, "File model.safetensors of mine changed"),
    ],
)
def test_a_folder_that_is_gone_or_has_changed_says_so(shelf: Shelf, damage, sentence: str):
    add(shelf, "mine")
    before, model = version("mine"), load_model("mine")
    damage(shelf.place / "mine")
    assert version("mine") != before, "what was kept is about another model"
    assert sentence in read_card("mine")["unreadable"]
    assert ids()[-1] == "mine"
    with pytest.raises(NotRead, match=sentence):
        load_model("mine")
    assert model not in InMemory.models.values()


def test_added_again_the_changed_model_is_read_anew(shelf: Shelf):
    add(shelf, "mine")
    old = load_model("mine")
    (shelf.place / "mine" / "config.json").write_text("encoder-only")
    add_model(shelf.place / "mine", "mine", "mine", MOST)
    assert load_model("mine").config.family == "encoder-only"
    assert old not in InMemory.models.values()


def test_answers_are_kept_apart_by_the_model_that_they_are_about(shelf: Shelf):
    question = {"model": "mine", "text": "a"}
    before = version_of("attention", question), version_of("models", {})
    add(shelf, "mine")
    after = version_of("attention", question), version_of("models", {})
    assert before == ("", "")
    assert "" not in after
    assert version_of("attention", {"model": "translator"}) == ""
    assert version_of("scaling", {}) == ""


@pytest.mark.parametrize("name", ["", "Mine", "a b", "../a", "a/b", ".", "a" * 41, "-a", "é"])
def test_a_name_that_cannot_stand_in_an_address_is_refused_and_finds_nothing(
    shelf: Shelf,
    name: str,
):
    add(shelf, "mine")
    with pytest.raises(
        InvalidInput, match="is no valid name: use up to 40 lowercase letters, digits,"
    ):
        check_name(name)
    with pytest.raises(UnknownName):
        load_model(name)
    with pytest.raises(UnknownName):
        remove_model(name)


def test_a_name_that_another_model_has_is_refused(shelf: Shelf):
    add(shelf, "mine")
    with pytest.raises(InvalidInput, match="name of a shipped model"):
        check_name("translator")
    with pytest.raises(InvalidInput, match="added from mine"):
        add_model(shelf.folder("other"), "mine", "other", MOST)


def test_a_name_is_made_of_that_of_the_folder():
    assert name_for("SmolLM2-135M Instruct!") == "smollm2-135m-instruct"
    assert check_name(name_for("x" * 39 + "--y")) is None
    with pytest.raises(InvalidInput, match="--name"):
        name_for("…")


def test_a_removed_model_is_gone_and_its_folder_stays(shelf: Shelf):
    add(shelf, "mine")
    (shelf.cards / "mine" / "of-somebody-else").touch()
    remove_model("mine")
    assert own_ids() == []
    assert (shelf.place / "mine" / "model.safetensors").is_file()
    assert (shelf.cards / "mine" / "of-somebody-else").is_file()
    with pytest.raises(UnknownName):
        remove_model("mine")
    with pytest.raises(InvalidInput, match="comes with Vitrine"):
        remove_model("translator")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"config": {"family": "round"}}'])
def test_a_card_that_is_none_hides_nothing_else(shelf: Shelf, content: str):
    add(shelf, "mine")
    (shelf.cards / "broken").mkdir()
    (shelf.cards / "broken" / "card.json").write_text(content)
    assert own_ids() == ["mine"]
    with pytest.raises(NotRead, match="The card of broken is invalid"):
        load_model("broken")
    remove_model("broken")
