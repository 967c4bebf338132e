"""Models with tokenizers of other people: a decoder of bytes that is given no start, an encoder
with [CLS], [SEP] and [MASK], and an encoder-decoder that begins with <pad>.
"""

from dataclasses import replace

import pytest
import torch

from model import analyses
from model.errors import InvalidInput
from model.inputs.input import Input
from model.layers import masks
from model.runs.run_model import run_model
from model.zoo.models import Model
from tests.model.support.models_of_others import TEXTS, hub_model
from tests.rounding import same


@pytest.fixture(autouse=True)
def models(monkeypatch):
    monkeypatch.setattr(analyses, "load_model", hub_model)


def ask(word: str, name: str, **question):
    return analyses.answer(word, {"model": name, **TEXTS[name], **question})


def ids_of(tokens) -> list[int]:
    return [token.id for token in tokens]


def written_by_hand(model: Model, ids: list[int], most: int) -> list[int]:
    """The most probable tokens after `ids`, each from a pass over the whole text."""
    text = list(ids)
    for _ in range(most):
        mask = masks.causal(len(text))
        logits = model.transformer.unembed(model.transformer.decode(torch.tensor(text), mask))
        text.append(int(logits[-1].argmax()))
    return text[len(ids) :]


def test_a_decoder_without_a_start_reads_what_was_typed_and_nothing_else():
    model, text = hub_model("gpt-2"), TEXTS["gpt-2"]["text"]
    run = run_model(model, Input(text=text))
    ids = model.text_tokenizer.backend.encode(text).ids
    assert ids_of(run.tokens["text"]) == ids
    assert ids_of(run.next_tokens) == ids[1:]
    assert not run.notes
    mask = masks.causal(len(ids))
    expected = model.transformer.unembed(model.transformer.decode(torch.tensor(ids), mask))
    same(run.trace["logits"], expected)
    assert run.prediction == model.tokenizer.label(int(expected[-1].argmax()))


def test_a_decoder_of_bytes_answers_about_a_text_of_one_token():
    for word in ("attention", "residual", "logits", "tokens"):
        answer = analyses.answer(word, {"model": "gpt-2", "text": "x"})
        assert answer.axes["text"].labels == ["x"]
    assert len(ask("generate", "gpt-2", text="x", max_new_tokens=2).fields["steps"]) == 2
    with pytest.raises(InvalidInput, match="empty"):
        ask("attention", "gpt-2", text="  ")


def test_a_decoder_writes_until_one_of_its_ends():
    model = hub_model("gpt-2")
    tokens = model.text_tokenizer.encode(TEXTS["gpt-2"]["text"])
    expected = written_by_hand(model, ids_of(tokens), 6)
    answer = ask("generate", "gpt-2", max_new_tokens=6)
    assert [step["token"]["id"] for step in answer.fields["steps"]] == expected
    assert answer.fields["text"] == model.text_tokenizer.decode(expected)
    assert answer.fields["stopped"] == "limit"


@pytest.mark.parametrize("strategy", ["greedy", "beam"])
def test_each_of_several_ends_ends_a_text(monkeypatch, strategy):
    model = hub_model("gpt-2")
    frame, tokens = model.text_tokenizer.frame, model.text_tokenizer.encode("The")
    expected = written_by_hand(model, ids_of(tokens), 8)
    ends = frozenset({expected[-1], model.config.vocabulary_size - 1})
    monkeypatch.setattr(model.tokenizer, "frame", replace(frame, ends=ends))
    question = {"strategy": strategy, "beams": 1, "max_new_tokens": 20}
    answer = ask("generate", "gpt-2", text="The", **question)
    ids = [step["token"]["id"] for step in answer.fields["steps"]]
    assert ids == expected[: expected.index(expected[-1]) + 1]
    assert answer.fields["stopped"] == "end"


def test_an_encoder_says_the_word_at_its_blank():
    model = hub_model("bert")
    run = run_model(model, Input(**TEXTS["bert"]))
    labels = [token.text for token in run.tokens["text"]]
    assert (labels[0], labels[-3:]) == ("[CLS]", ["<mask>", ".", "[SEP]"])
    assert run.answer_positions == run.blanks == [len(labels) - 3]
    best = int(run.trace["logits"][-3].argmax())
    assert run.prediction == model.tokenizer.label(best)
    answer = ask("attention", "bert", stack="encoder", kind="self", layer=0, head=0)
    assert answer.axes["text"].labels == labels
    (pattern,) = (tensor for name, tensor in answer.tensors.items() if name.endswith("pattern"))
    same(pattern.data[0], run.trace["encoder.0.attention.pattern"][0])
    assert ask("patching", "bert", clean="The capital of [MASK] is Paris.").fields


def test_the_roles_of_heads_are_called_by_the_signs_of_the_model():
    roles = {role["role"]: role for role in ask("heads", "bert").fields["roles"]}
    assert roles["separator"]["name"] == "[SEP]"
    assert roles["first"]["looks_at"] == "the first token ([CLS] in most texts)"


def test_an_encoder_without_a_head_gives_streams_and_says_nothing():
    name = "bert without a head"
    run = run_model(hub_model(name), Input(**TEXTS[name]))
    assert run.prediction == ""
    assert "logits" not in run.trace
    for word in ("attention", "residual", "feed-forward", "tokens"):
        assert "text" in ask(word, name).axes
    assert ask("architecture", name).fields["says"] == []
    for word in ("heads", "logits", "journey", "effects", "patching"):
        with pytest.raises(InvalidInput, match="has no head"):
            ask(word, name)


def test_a_classifier_of_texts_says_the_class_that_it_reads_at_the_first_position():
    name = "bert of classes"
    run = run_model(hub_model(name), Input(**TEXTS[name]))
    expected = ["sad", "glad", "neither"][int(run.trace["logits"][0].argmax())]
    assert run.prediction == expected
    assert ask("logits", name, top=3).fields["top_tokens"][0][0] == expected
    assert [guess.token for guess in ask("architecture", name).fields["says"]] == [expected]
    assert ask("effects", name).fields["reply"]["kind"] == "class"
    with pytest.raises(InvalidInput, match="no walk"):
        ask("journey", name)


def test_an_encoder_decoder_begins_and_ends_as_its_files_say():
    model = hub_model("t5")
    run = run_model(model, Input(**TEXTS["t5"]))
    source, target = (ids_of(run.tokens[name]) for name in ("source", "target"))
    typed = model.text_tokenizer.backend.encode(TEXTS["t5"]["source"]).ids
    assert source == [*typed, 1]
    assert target[0] == 0
    assert ids_of(run.next_tokens) == [*target[1:], 1]
    with_target = run_model(model, Input(**TEXTS["t5"], target="cold"))
    typed = model.text_tokenizer.backend.encode("cold").ids
    assert ids_of(with_target.tokens["target"]) == [0, *typed]
    assert ids_of(with_target.next_tokens) == [*typed, 1]
    steps = ask("generate", "t5", max_new_tokens=3).fields["steps"]
    assert [step["token"]["id"] for step in steps] == target[1:4]
